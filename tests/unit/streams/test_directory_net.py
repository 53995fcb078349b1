"""Net changes of directory tables against an oracle: the files at both versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.catalog.volumes import DirectoryFile, FileChange, FileImage
from headwater.streams.directory_net import ChangeType, NetChange, all_inserted, net_changes

START = datetime(2026, 11, 15, 12, tzinfo=UTC)
Directory = dict[str, FileImage]

INSERT, DELETE = ChangeType.INSERT, ChangeType.DELETE
BEFORE, AFTER = ChangeType.UPDATE_BEFORE, ChangeType.UPDATE_AFTER


def at(seconds: int) -> datetime:
    return START + timedelta(seconds=seconds)


def image(version: int, path: str = "a", **changes: object) -> FileImage:
    file = DirectoryFile(path, f"s3://b/{path}", 10, START, "e1")
    return FileImage(replace(file, **changes), version, at(version))  # type: ignore[arg-type]


def changed(before: FileImage | None, after: FileImage | None, version: int) -> FileChange:
    path = (before or after).file.relative_path  # type: ignore[union-attr]
    return FileChange(version, path, before, after)


def test_what_became_of_a_file() -> None:
    first, second, third = image(1), image(2, size=11), image(3, etag="e3")
    made = changed(None, first, 1)
    grown, again = changed(first, second, 2), changed(second, third, 3)
    removed = changed(third, None, 4)
    assert net_changes([made]) == [NetChange(INSERT, first)]
    assert net_changes([made, grown]) == [NetChange(INSERT, second)]
    assert net_changes([grown]) == [NetChange(BEFORE, first), NetChange(AFTER, second)]
    assert net_changes([grown, again]) == [NetChange(BEFORE, first), NetChange(AFTER, third)]
    assert net_changes([removed]) == [NetChange(DELETE, third)]
    assert net_changes([again, removed]) == [NetChange(DELETE, second)]
    assert net_changes([made, grown, again, removed]) == []


def test_a_file_that_is_again_what_it_was_has_not_changed() -> None:
    first, other, back = image(1), image(2, size=1), image(3)
    assert net_changes([changed(first, other, 2), changed(other, back, 3)]) == []
    assert net_changes([changed(first, None, 2), changed(None, back, 3)]) == []


def test_replaced_is_told_by_size_time_and_etag_and_by_nothing_else() -> None:
    first = image(1)
    for other in (image(2, size=1), image(2, modified_at=at(9)), image(2, etag=None)):
        assert len(net_changes([changed(first, other, 2)])) == 2
    assert net_changes([changed(first, image(2, url="s3://c/a"), 2)]) == []


def test_rows_come_in_the_order_of_paths() -> None:
    found = net_changes([changed(None, image(1, path), 1) for path in ("b", "ä", "a", "a/b")])
    assert [row.image.file.relative_path for row in found] == ["a", "a/b", "b", "ä"]


# A directory at each version: contents by path. Few of each, so that files come back.
contents = st.dictionaries(st.sampled_from("abc"), st.sampled_from([(1, "x"), (2, "x"), (2, "y")]))


def history(
    states: Sequence[dict[str, tuple[int, str]]],
) -> tuple[list[Directory], list[list[FileChange]]]:
    """The directory at each version, and what each version did; the first is empty."""
    directories: list[Directory] = [{}]
    steps: list[list[FileChange]] = []
    for version, state in enumerate(states, start=1):
        old, new = directories[-1], {}
        for path, (size, etag) in state.items():
            made = image(version, path, size=size, etag=etag)
            known = old.get(path)
            new[path] = known if known is not None and known.has_content_of(made) else made
        paths = sorted(old.keys() | new.keys())
        pairs = [(old.get(path), new.get(path)) for path in paths]
        steps.append([changed(b, a, version) for b, a in pairs if b is not a])
        directories.append(new)
    return directories, steps


def oracle(before: Directory, after: Directory) -> list[NetChange]:
    """What tells two directories apart, without looking at what happened between them."""
    rows = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old is not None and new is not None:
            same = (old.file.size, old.file.etag) == (new.file.size, new.file.etag)
            rows += [] if same else [NetChange(BEFORE, old), NetChange(AFTER, new)]
        else:
            rows += [NetChange(DELETE, old)] if old is not None else []
            rows += [NetChange(INSERT, new)] if new is not None else []
    return rows


def applied(files: dict[str, DirectoryFile], rows: Sequence[NetChange]) -> dict[str, DirectoryFile]:
    """What a consumer has that keeps a copy; it fails on a row that does not fit."""
    made = dict(files)
    for row in rows:
        path = row.image.file.relative_path
        if row.type in (DELETE, BEFORE):
            assert made.pop(path) == row.image.file
        else:
            assert path not in made
            made[path] = row.image.file
    return made


def plain(directory: Directory) -> dict[str, DirectoryFile]:
    return {path: found.file for path, found in directory.items()}


@given(st.lists(contents, max_size=7), st.data())
def test_any_range_is_the_difference_of_its_ends_and_any_split_of_it_composes(
    states: list[dict[str, tuple[int, str]]], data: st.DataObject
) -> None:
    directories, steps = history(states)
    start = data.draw(st.integers(0, len(states)), label="from")
    end = data.draw(st.integers(start, len(states)), label="to")
    whole = net_changes(change for step in steps[start:end] for change in step)
    assert whole == oracle(directories[start], directories[end])
    cuts = data.draw(st.lists(st.integers(start, end), max_size=3), label="cuts")
    copy, place = plain(directories[start]), start
    for cut in sorted([*cuts, end]):
        copy = applied(copy, net_changes(c for step in steps[place:cut] for c in step))
        place = cut
    assert copy == plain(directories[end])


def test_what_was_there_at_first_comes_as_inserted() -> None:
    images = [image(1), image(2, "b")]
    assert all_inserted(images) == [NetChange(INSERT, found) for found in images]
