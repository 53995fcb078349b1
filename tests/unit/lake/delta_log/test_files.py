"""Where log files are found, and that a missing one is an answer."""

from __future__ import annotations

import pytest

from headwater.lake.delta_log.files import (
    Checkpoint,
    LocalLogFiles,
    complete_checkpoints,
    local_path,
    parse_last_checkpoint,
)


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/lake/t", "/lake/t"),
        ("lake/a b", "lake/a b"),
        ("/lake/50%25", "/lake/50%25"),
        ("file:/lake/t", "/lake/t"),
        ("file:///lake/a%20b", "/lake/a b"),
    ],
)
def test_a_location_is_a_path_or_a_file_url(location, path):
    assert str(local_path(location)) == path


def test_a_folder_that_is_not_there_answers_nothing(tmp_path):
    files = LocalLogFiles(tmp_path / "no such table")
    assert not files.exists(0)
    assert files.read_commit(0) is None
    assert files.read_head(0) is None
    assert files.modified_ms(0) is None
    assert files.last_checkpoint() is None
    assert files.list_commits() == []
    assert files.list_checkpoints() == []


def test_commits_are_listed_in_order_and_nothing_else_is(log):
    for _ in range(12):
        log.commit()
    log.checkpoint(3)
    (log.log / "00000000000000000005.crc").write_text("")
    (log.log / ".00000000000000000013.json.tmp").write_text("")
    (log.log / "00000000000000000002.00000000000000000004.compacted.json").write_text("")
    assert log.files.list_commits() == list(range(12))
    assert log.files.exists(11)
    assert not log.files.exists(12)
    assert log.files.modified_ms(0) is not None


def test_a_file_url_reads_the_same_log(log):
    log.commit()
    files = LocalLogFiles(log.folder.as_uri())
    assert files.read_commit(0) == log.files.read_commit(0)


def test_a_checkpoint_counts_only_with_all_its_parts():
    names = [
        "00000000000000000007.checkpoint.0000000001.0000000002.parquet",
        "00000000000000000003.checkpoint.0000000002.0000000002.parquet",
        "00000000000000000003.checkpoint.0000000001.0000000002.parquet",
        "00000000000000000002.checkpoint.parquet",
        "00000000000000000009.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json",
        "00000000000000000009.json",
    ]
    assert [found.version for found in complete_checkpoints(names)] == [2, 3, 9]
    assert complete_checkpoints(names)[1].names == (names[2], names[1])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"size": 3}', '{"version": "x"}'])
def test_a_damaged_hint_is_no_hint(text):
    assert parse_last_checkpoint(text) is None


def test_a_hint_names_the_files_of_its_checkpoint():
    stem = "00000000000000000004.checkpoint"
    parts = tuple(f"{stem}.000000000{n}.0000000002.parquet" for n in (1, 2))
    assert parse_last_checkpoint('{"version": 4}') == Checkpoint(4, (f"{stem}.parquet",))
    assert parse_last_checkpoint('{"version": 4, "parts": 2}') == Checkpoint(4, parts)
    newer = '{"version": 4, "v2Checkpoint": {"path": "x.parquet"}}'
    assert parse_last_checkpoint(newer) == Checkpoint(4, ("x.parquet",))


def test_a_hint_to_a_checkpoint_that_is_gone_is_no_hint(log):
    log.create()
    log.checkpoint(0)
    log.path(0, "checkpoint.parquet").unlink()
    assert log.files.last_checkpoint() is None
