"""Which files a pipe loads next, by what is known of their paths."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.catalog.load_history import LoadedFile, LoadStatus, SourceFile
from headwater.pipes.choosing import Choice, Rules, Verdict, is_temporary, sort_out, verdict
from headwater.sql.pipe_properties import OnReplaced
from headwater.storage.store import FileInfo

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)
FILE = FileInfo("a.csv", 10, AT, "new")


def entry(
    status: LoadStatus, etag: str | None = "new", *, age: int = 0, written: datetime = AT
) -> LoadedFile:
    source = SourceFile("file:///a.csv", 10, written, etag)
    return LoadedFile("t", "j", source, status, "p", AT - timedelta(seconds=age))


LOADED, FAILED, LOADING = LoadStatus.LOADED, LoadStatus.LOAD_FAILED, LoadStatus.LOADING
LOAD, FAIL = Rules(OnReplaced.LOAD), Rules(OnReplaced.FAIL)
CHANGED = Rules(failed_since=AT)


@pytest.mark.parametrize(
    ("history", "rules", "expected"),
    [
        ([], Rules(), Verdict.NEW),
        ([entry(LOADED)], Rules(), Verdict.KNOWN),
        ([entry(LOADED)], LOAD, Verdict.KNOWN),
        ([entry(LOADED, None)], LOAD, Verdict.KNOWN),
        ([entry(LOADED, written=AT + timedelta(milliseconds=3))], Rules(), Verdict.KNOWN),
        ([entry(LOADED, written=AT - timedelta(hours=1))], Rules(), Verdict.REPLACED),
        ([entry(LOADED, written=AT - timedelta(hours=1))], LOAD, Verdict.NEW),
        ([entry(LOADED, "old")], Rules(), Verdict.REPLACED),
        ([entry(LOADED, "old")], LOAD, Verdict.NEW),
        ([entry(LOADED, "old")], FAIL, Verdict.FORBIDDEN),
        ([entry(LOADED, "old"), entry(LOADED, age=9)], LOAD, Verdict.KNOWN),
        ([entry(LOADING, "old")], LOAD, Verdict.KNOWN),
        ([entry(FAILED)], Rules(), Verdict.KNOWN),
        ([entry(FAILED, "old")], Rules(), Verdict.NEW),
        ([entry(FAILED)], Rules(retry_failed=True), Verdict.NEW),
        ([entry(FAILED, age=1)], CHANGED, Verdict.NEW),
        ([entry(FAILED, age=0)], CHANGED, Verdict.KNOWN),
        ([entry(FAILED), entry(LOADED, "old", age=9)], LOAD, Verdict.KNOWN),
        ([entry(FAILED, "old"), entry(LOADED, age=9)], Rules(), Verdict.KNOWN),
    ],
)
def test_a_file_is_judged_by_its_path_and_its_version(
    history: list[LoadedFile], rules: Rules, expected: Verdict
) -> None:
    assert verdict(FILE, history, rules) is expected


def test_a_page_is_sorted_out_by_path() -> None:
    other = FileInfo("b.csv", 1, AT, "b")
    found = sort_out([FILE, other], {"a.csv": [entry(LOADED)]}, Rules())
    assert found[Verdict.KNOWN] == [FILE]
    assert found[Verdict.NEW] == [other]
    assert found.keys() == set(Verdict)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".SUCCESS", True),
        ("a/.hidden/b.csv", True),
        ("_temporary", True),
        ("_temporary_123/part.csv", True),
        ("a/b/_temporary1.csv", True),
        ("_SUCCESS", False),
        ("a._temporary", False),
        ("a/x.csv", False),
        ("a.b/c.csv", False),
    ],
)
def test_temporary_files_are_told_by_a_name_on_their_way(path: str, expected: bool) -> None:
    assert is_temporary(path) is expected


SIZES = st.lists(st.integers(0, 50), max_size=40)


@given(SIZES, st.integers(1, 10), st.integers(1, 100))
def test_a_batch_is_as_full_as_its_bounds_allow(sizes: list[int], files: int, size: int) -> None:
    found = [FileInfo(str(i), each, AT, "e") for i, each in enumerate(sizes)]
    choice = Choice(files, size)
    waiting = choice.take(found)
    taken = len(choice.files)
    assert choice.files == found[:taken]
    assert waiting == (found[taken] if taken < len(found) else None)
    assert choice.full is (waiting is not None)
    assert taken <= files
    assert choice.bytes == sum(sizes[:taken])
    assert choice.bytes <= size or taken == 1
    if waiting is not None:
        assert taken == files or choice.bytes + waiting.size > size


def test_a_single_bigger_file_is_a_batch_alone() -> None:
    big, small = FileInfo("big", 100, AT, "e"), FileInfo("small", 1, AT, "e")
    choice = Choice(10, 50)
    assert choice.take([big, small]) is small
    assert choice.files == [big]
    behind = Choice(10, 50)
    assert behind.take([small, big]) is big
    assert behind.files == [small]
