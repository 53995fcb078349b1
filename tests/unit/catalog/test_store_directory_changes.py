"""Versions of directory tables, and the changes that are kept while a stream watches."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.catalog.new_catalog import emptied_store
from tests.unit.catalog.samples import (
    START,
    WORKSPACE,
    FakeClock,
    a_volume,
    at,
    fresh_id,
    with_schema,
)

from headwater.catalog.store import Store, volume_messages
from headwater.catalog.streams import Stream, StreamMode, StreamMove, StreamOffset, StreamSource
from headwater.catalog.volumes import (
    DirectoryChange,
    DirectoryFile,
    FileChange,
    FileImage,
    Volume,
    VolumeMessage,
)
from headwater.errors import UserError

URL = "s3://bucket/landing/"
Listing = dict[str, tuple[int, str | None]]


@pytest.fixture
def volume(store: Store) -> Volume:
    with_schema(store)
    return store.volumes.create(a_volume(url=URL))


def a_file(path: str, **changes: Any) -> DirectoryFile:
    return replace(DirectoryFile(path, URL + path, 10, START, "e1"), **changes)


def a_stream(volume: Volume, name: str = "s", *, position: int = 0) -> Stream:
    return Stream(
        id=fresh_id("stream"),
        workspace=WORKSPACE,
        schema="public",
        name=name,
        source=StreamSource.VOLUME,
        source_id=volume.id,
        mode=StreamMode.STANDARD,
        offset=StreamOffset(position),
        creator="ann",
        created_at=START,
        modified_at=START,
    )


def watch(store: Store, volume: Volume, name: str = "s", *, position: int = 0) -> Stream:
    stream = a_stream(volume, name, position=position)
    store.streams.create(stream)
    return stream


def refresh(store: Store, volume: Volume, *files: DirectoryFile, seconds: float) -> DirectoryChange:
    return store.directory_files.replace(volume, [files], listed_at=at(seconds))


def version_of(store: Store, volume: Volume) -> int:
    found = store.volumes.by_id(volume.id)
    assert found is not None
    return found.directory_version


def kept(store: Store, volume: Volume) -> list[int]:
    """The versions of which changes are kept, once for each file."""
    return [change.version for change in store.directory_changes.since(volume, 0)[1]]


def test_only_a_refresh_that_changes_something_makes_a_version(
    store: Store, volume: Volume
) -> None:
    refresh(store, volume, seconds=1)
    assert version_of(store, volume) == 0
    refresh(store, volume, a_file("a"), seconds=2)
    refresh(store, volume, a_file("a"), seconds=3)
    assert version_of(store, volume) == 1
    refresh(store, volume, a_file("a", size=2), seconds=4)
    store.directory_files.patch(volume, {"a": a_file("a", size=2), "b": None}, looked_at=at(5))
    assert version_of(store, volume) == 2
    store.directory_files.patch(volume, {"a": None}, looked_at=at(6))
    assert version_of(store, volume) == 3
    refresh(store, volume, seconds=7)
    assert version_of(store, volume) == 3


def test_a_row_keeps_the_version_and_the_time_that_brought_it_as_it_is(
    store: Store, volume: Volume, clock: FakeClock
) -> None:
    times = {}
    for version, files in enumerate(
        [
            [a_file("a"), a_file("b"), a_file("c")],
            [a_file("a"), a_file("b", etag="e2"), a_file("c")],
            [a_file("a"), a_file("b", etag="e2"), a_file("d")],
        ],
        start=1,
    ):
        times[version] = clock.advance(10)
        refresh(store, volume, *files, seconds=version)
    times[4] = clock.advance(10)
    looked = {"d": a_file("d", size=5), "e": a_file("e"), "a": a_file("a"), "never": None}
    assert store.directory_files.patch(volume, looked, looked_at=at(4)) == DirectoryChange(1, 1, 0)
    version, images = store.directory_files.images(volume)
    assert version == 4
    assert images == [
        FileImage(a_file("a"), 1, times[1]),
        FileImage(a_file("b", etag="e2"), 2, times[2]),
        FileImage(a_file("d", size=5), 4, times[4]),
        FileImage(a_file("e"), 4, times[4]),
    ]


def test_an_empty_directory_has_a_version_too(store: Store, volume: Volume) -> None:
    assert store.directory_files.images(volume) == (0, [])
    store.volumes.drop(volume)
    for read in (
        store.directory_files.images,
        lambda gone: store.directory_changes.since(gone, 0),
        lambda gone: store.directory_files.patch(gone, {}, looked_at=at(1)),
    ):
        with pytest.raises(UserError, match="VOLUME_NOT_FOUND"):
            read(volume)


def test_changes_are_kept_from_the_moment_a_stream_watches(store: Store, volume: Volume) -> None:
    refresh(store, volume, a_file("a"), a_file("b"), a_file("c"), seconds=1)
    assert store.directory_changes.since(volume, 0) == (1, [])
    watch(store, volume, position=1)
    refresh(store, volume, a_file("a"), a_file("b", size=3), a_file("d"), seconds=2)
    first = {name: FileImage(a_file(name), 1, START) for name in "abc"}
    expected = [
        FileChange(2, "b", first["b"], FileImage(a_file("b", size=3), 2, START)),
        FileChange(2, "c", first["c"], None),
        FileChange(2, "d", None, FileImage(a_file("d"), 2, START)),
    ]
    assert store.directory_changes.since(volume, 1) == (2, expected)
    store.directory_files.patch(volume, {"d": None, "a": a_file("a")}, looked_at=at(3))
    assert store.directory_changes.since(volume, 2) == (
        3,
        [FileChange(3, "d", FileImage(a_file("d"), 2, START), None)],
    )
    assert store.directory_changes.since(volume, 3) == (3, [])


def test_a_listing_and_a_look_at_each_path_keep_the_same_changes(
    store: Store, volume: Volume
) -> None:
    other = store.volumes.create(a_volume("other", url=URL))
    watch(store, volume)
    watch(store, other, "t")
    strange = ["b c%20#+'\"`\\.csv", "ä/☂", "new\nline", "\U0001f40d", "a/b"]
    odd = [a_file(path, etag=None if "☂" in path else f'W/"{path}"') for path in strange]
    odd.append(a_file("elsewhere", url="s3://other/'x'\\☂", size=2**40))
    steps = [odd, [replace(file, size=1, modified_at=at(0.000001)) for file in odd], odd[:2], []]
    for number, files in enumerate(steps):
        refresh(store, volume, *files, seconds=number)
        gone = {file.relative_path: None for file in odd}
        present = {file.relative_path: file for file in files}
        store.directory_files.patch(other, gone | present, looked_at=at(number))
    listed = store.directory_changes.since(volume, 0)
    assert listed == store.directory_changes.since(other, 0)
    assert listed[0] == 4
    assert len(listed[1]) == 6 + 6 + 6 + 2


def test_rows_from_before_there_were_versions_have_none(store: Store, volume: Volume) -> None:
    refresh(store, volume, a_file("a"), a_file("b"), a_file("c"), seconds=1)
    with store.begin() as own:
        own.exec_driver_sql("UPDATE directory_files SET version = NULL, seen_at = NULL")
    watch(store, volume)
    refresh(store, volume, a_file("b", size=2), a_file("c"), seconds=2)
    store.directory_files.patch(volume, {"c": None}, looked_at=at(3))
    _now, changes = store.directory_changes.since(volume, 1)
    old = {name: FileImage(a_file(name), 0, None) for name in "abc"}
    assert [change.before for change in changes] == [old["a"], old["b"], old["c"]]
    assert store.directory_files.images(volume)[1] == [FileImage(a_file("b", size=2), 2, START)]


def test_a_path_that_is_listed_twice_changes_once(store: Store, volume: Volume) -> None:
    watch(store, volume)
    refresh(store, volume, a_file("a"), a_file("a"), seconds=1)
    for seconds in (2, 3):
        refresh(store, volume, a_file("a", size=seconds), a_file("a", size=7), seconds=seconds)
    now, changes = store.directory_changes.since(volume, 0)
    assert kept(store, volume) == [1, 2, 3][:now]
    _version, images = store.directory_files.images(volume)
    assert changes[-1].after == images[0]
    for earlier, later in pairwise(changes):
        assert later.before == earlier.after


def test_what_every_stream_consumed_is_forgotten(store: Store, volume: Volume) -> None:
    slow, quick = watch(store, volume, "slow"), watch(store, volume, "quick")
    for version in range(1, 5):
        refresh(store, volume, a_file("a", size=version), seconds=version)
    store.streams.move([StreamMove(quick.id, 1, StreamOffset(4))], START)
    refresh(store, volume, a_file("a", size=4), seconds=5)
    assert kept(store, volume) == [1, 2, 3, 4]
    store.streams.move([StreamMove(slow.id, 1, StreamOffset(2))], START)
    refresh(store, volume, a_file("a", size=4), seconds=6)
    assert kept(store, volume) == [3, 4]
    store.streams.drop(slow)
    store.directory_files.patch(volume, {"a": None}, looked_at=at(7))
    assert kept(store, volume) == [5]
    store.streams.drop(quick)
    refresh(store, volume, a_file("b"), seconds=8)
    assert kept(store, volume) == []


def test_a_look_that_is_older_than_the_directory_changes_nothing(
    store: Store, volume: Volume
) -> None:
    late = DirectoryChange(late=True)
    refresh(store, volume, a_file("a"), seconds=5)
    assert store.directory_files.patch(volume, {"a": None}, looked_at=at(4)) == late
    store.directory_files.patch(volume, {"b": a_file("b")}, looked_at=at(8))
    assert refresh(store, volume, a_file("a"), seconds=7) == late
    found = [file.relative_path for file in store.directory_files.read(volume)]
    assert found == ["a", "b"]
    assert version_of(store, volume) == 2


def test_a_stream_made_while_others_refresh_misses_nothing(store: Store, volume: Volume) -> None:
    def grow(number: int) -> None:
        looked = {f"{number}-{n}": a_file(f"{number}-{n}") for n in range(3)}
        for path, file in looked.items():
            while store.directory_files.patch(volume, {path: file}, looked_at=_later()).late:
                pass

    counter = iter(range(1, 1_000))

    def _later() -> Any:
        return at(next(counter))

    with ThreadPoolExecutor(3) as pool:
        growing = [pool.submit(grow, number) for number in range(3)]
        with store.begin() as own:
            version = store.directory_changes.hold(volume, connection=own)
            seen = {f.relative_path for f in store.directory_files.read(volume)}
            store.streams.create(a_stream(volume, position=version), connection=own)
        for future in growing:
            future.result()
    now, changes = store.directory_changes.since(volume, version)
    assert now == 9
    assert len(changes) == 9 - version
    assert seen.isdisjoint(change.relative_path for change in changes)
    assert len(seen) == version


def test_a_volume_that_a_stream_watches_stays(store: Store, volume: Volume) -> None:
    stream = watch(store, volume)
    with pytest.raises(UserError, match="VOLUME_IN_USE_BY_STREAM") as caught:
        store.volumes.drop(volume)
    assert caught.value.hint == "first DROP TABLE STREAM public.s"
    with pytest.raises(UserError, match="VOLUME_IN_USE_BY_STREAM"):
        store.volumes.create_or_replace(a_volume(url="s3://other/"))
    assert store.volumes.by_id(volume.id) == volume
    store.streams.drop(stream)
    store.volumes.create_or_replace(a_volume(url="s3://other/"))


def test_volumes_with_a_queue_are_found_while_a_stream_watches_them(store: Store) -> None:
    with_schema(store)
    queue = {"queue_type": "AWS_SQS", "queue_name": "q", "virtual_cluster": "DEFAULT"}
    watched = store.volumes.create(a_volume("watched", notification=queue))
    store.volumes.create(a_volume("unwatched", notification=queue))
    listed = store.volumes.create(a_volume("listed"))
    stream = watch(store, watched)
    watch(store, watched, "second")
    watch(store, listed, "third")
    assert store.volumes.with_watched_queues() == [watched]
    store.streams.drop(stream)
    assert store.volumes.with_watched_queues() == [watched]


def test_messages_are_laid_aside_once_and_the_oldest_go(
    store: Store, volume: Volume, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(volume_messages, "KEPT", 3)
    messages = [VolumeMessage(f"m{n}", f"body {n}", "no JSON", at(n)) for n in range(5)]
    store.volume_messages.set_aside(volume, [])
    store.volume_messages.set_aside(volume, messages[:2])
    store.volume_messages.set_aside(volume, [replace(messages[1], at=at(1)), messages[2]])
    assert store.volume_messages.of(volume) == [messages[2], messages[1], messages[0]]
    store.volume_messages.set_aside(volume, messages[3:])
    assert store.volume_messages.of(volume) == [messages[4], messages[3], messages[2]]
    assert store.volume_messages.count(volume) == 3
    long = VolumeMessage("x" * 5_000, "\0" * 10_000, "why", at(9))
    store.volume_messages.set_aside(volume, [long])
    assert len(store.volume_messages.of(volume, 1)[0].body) == 4_000


def _applied(files: dict[str, DirectoryFile], changes: list[FileChange]) -> dict[str, Any]:
    made = dict(files)
    for change in changes:
        before = None if change.before is None else change.before.file
        assert made.get(change.relative_path) == before
        made.pop(change.relative_path, None)
        if change.after is not None:
            made[change.relative_path] = change.after.file
    return made


listing = st.dictionaries(
    st.text(st.sampled_from("abÄ/'"), min_size=1, max_size=2),
    st.tuples(st.integers(0, 2), st.sampled_from([None, "e1"])),
    max_size=5,
)


@settings(max_examples=40)
@given(
    steps=st.lists(st.tuples(listing, st.booleans()), min_size=1, max_size=6), since=st.integers(0)
)
def test_the_changes_behind_a_version_lead_from_it_to_now(
    steps: list[tuple[Listing, bool]], since: int
) -> None:
    store, _clock = emptied_store()
    with_schema(store)
    volume = store.volumes.create(a_volume(url=URL))
    watch(store, volume)
    states: list[dict[str, DirectoryFile]] = [{}]
    for number, (listed, by_path) in enumerate(steps):
        files = {p: a_file(p, size=size, etag=etag) for p, (size, etag) in listed.items()}
        if by_path:
            gone: dict[str, DirectoryFile | None] = dict.fromkeys(states[-1])
            change = store.directory_files.patch(volume, gone | files, looked_at=at(number))
        else:
            change = refresh(store, volume, *files.values(), seconds=number)
        if change.any:
            states.append(files)
    version = since % len(states)
    now, changes = store.directory_changes.since(volume, version)
    assert now == len(states) - 1
    assert _applied(states[version], changes) == states[-1]
