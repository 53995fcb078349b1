"""What is kept stays within its limit."""

from __future__ import annotations

from datetime import UTC, datetime

from headwater.lake.delta_log.kept_files import KeptFiles
from headwater.storage.store import FileInfo, FoundFile


def file(path: str, size: int) -> FoundFile:
    return FoundFile(FileInfo(path, size, datetime(2026, 1, 1, tzinfo=UTC), "e"), b"x" * size)


def test_what_was_used_least_recently_goes_first():
    kept = KeptFiles(most_bytes=80)
    for number in range(8):
        kept.keep(file(str(number), 10))
    assert kept.get("0") is not None
    kept.keep(file("new", 10))
    assert kept.get("1") is None
    assert kept.get("0") is not None
    assert kept.get("new") is not None


def test_a_large_file_does_not_drive_all_others_out():
    kept = KeptFiles(most_bytes=80)
    kept.keep(file("small", 10))
    kept.keep(file("large", 11))
    assert kept.get("large") is None
    assert kept.get("small") is not None


def test_a_file_that_is_kept_again_counts_once():
    kept = KeptFiles(most_bytes=80)
    kept.keep(file("other", 10))
    for _ in range(20):
        kept.keep(file("same", 10))
    assert kept.get("other") is not None
