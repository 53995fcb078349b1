"""Directory tables in the store."""

from __future__ import annotations

import sqlite3
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.catalog.new_catalog import emptied_store
from tests.unit.catalog.samples import (
    START,
    WORKSPACE,
    a_volume,
    an_instance,
    at,
    with_schema,
)

from headwater.catalog.store import Store, directory_files
from headwater.catalog.volumes import DirectoryChange, DirectoryFile, Volume
from headwater.errors import TransientError, UserError

URL = "s3://bucket/landing/"


@pytest.fixture
def volume(store: Store) -> Volume:
    with_schema(store)
    return store.volumes.create(a_volume(url=URL))


def a_file(path: str, **changes: object) -> DirectoryFile:
    file = DirectoryFile(path, URL + path, 10, START, "e1")
    return replace(file, **changes)  # type: ignore[arg-type]


def files(count: int) -> Iterator[list[DirectoryFile]]:
    for start in range(0, count, 1000):
        yield [a_file(f"part-{n:07d}.csv", size=n) for n in range(start, min(count, start + 1000))]


def content(store: Store, volume: Volume) -> list[DirectoryFile]:
    return list(store.directory_files.read(volume))


def test_a_directory_reads_back_in_the_order_of_paths(store: Store, volume: Volume) -> None:
    strange = ["b c%20#+'\"`.csv", "ä/☂", "new\nline", "\U0001f40d", "Z", "a", "a/b", "\uffff"]
    listed = [a_file(path) for path in strange]
    listed.append(a_file("elsewhere", url="s3://other/x", etag=None, size=2**40))
    change = store.directory_files.replace(volume, [listed[:3], [], listed[3:]], listed_at=at(5))
    assert change == DirectoryChange(added=9)
    found = content(store, volume)
    assert found == sorted(listed, key=lambda file: file.relative_path.encode())
    refreshed = store.volumes.by_id(volume.id)
    assert refreshed == replace(volume, refreshed_at=at(5), directory_version=1)


def test_a_refresh_counts_what_it_added_changed_and_removed(store: Store, volume: Volume) -> None:
    first = [a_file(name) for name in ("same", "size", "time", "etag", "gone", "url", "none")]
    store.directory_files.replace(volume, [first], listed_at=at(1))
    second = [
        a_file("same"),
        a_file("size", size=11),
        a_file("time", modified_at=at(0.000001)),
        a_file("etag", etag="e2"),
        a_file("url", url="s3://other/url"),
        a_file("none", etag=None),
        a_file("new"),
    ]
    change = store.directory_files.replace(volume, [second], listed_at=at(2))
    assert change == DirectoryChange(added=1, changed=5, removed=1)
    assert content(store, volume) == sorted(second, key=lambda file: file.relative_path)
    again = store.directory_files.replace(volume, [second], listed_at=at(3))
    assert again == DirectoryChange()
    assert store.directory_files.replace(volume, [], listed_at=at(4)).removed == 7
    assert content(store, volume) == []


def test_a_refresh_writes_no_row_that_did_not_change(
    store: Store, volume: Volume, url: str, backend: str
) -> None:
    if backend == "sqlite":
        watch = sqlite3.connect(url.removeprefix("sqlite:///"))
        watch.execute("CREATE TABLE written (n INTEGER)")
        for verb in ("INSERT", "UPDATE", "DELETE"):
            watch.execute(
                f"CREATE TRIGGER note_{verb} AFTER {verb} ON directory_files"
                " BEGIN INSERT INTO written VALUES (1); END"
            )
        watch.commit()
        watch.close()
    store.directory_files.replace(volume, files(50), listed_at=at(1))
    before = _row_places(url, backend)
    store.directory_files.replace(volume, files(50), listed_at=at(2))
    assert _row_places(url, backend) == before
    assert len(before) == 50


def _row_places(url: str, backend: str) -> list[object]:
    """Something that changes when a row is written again, even with the same values."""
    if backend == "sqlite":
        watch = sqlite3.connect(url.removeprefix("sqlite:///"))
        written = watch.execute("SELECT n FROM written").fetchall()
        watch.close()
        return written
    with psycopg.connect(url) as connection:
        query = b"SELECT ctid::text, xmin::text FROM directory_files ORDER BY relative_path"
        return connection.execute(query).fetchall()


def test_files_under_a_path_are_read_alone(store: Store, volume: Volume) -> None:
    paths = ["a/1", "a/2", "a/\U0001f40d", "a0", "a", "b/1", "a/"]
    store.directory_files.replace(volume, [[a_file(p) for p in paths]], listed_at=at(1))
    found = [file.relative_path for file in store.directory_files.read(volume, under="a/")]
    assert found == ["a/", "a/1", "a/2", "a/\U0001f40d"]
    assert list(store.directory_files.read(volume, under="c")) == []


def test_two_volumes_have_two_directories(store: Store, volume: Volume) -> None:
    other = store.volumes.create(a_volume("other", url=URL))
    store.directory_files.replace(volume, [[a_file("a"), a_file("b")]], listed_at=at(1))
    store.directory_files.replace(other, [[a_file("b", size=1)]], listed_at=at(1))
    store.directory_files.replace(other, [[a_file("c")]], listed_at=at(2))
    assert content(store, volume) == [a_file("a"), a_file("b")]
    assert content(store, other) == [a_file("c")]


def test_a_path_that_is_listed_twice_is_kept_once(store: Store, volume: Volume) -> None:
    twice = [[a_file("a"), a_file("a")], [a_file("a", size=11), a_file("b")]]
    for seconds in (1, 2):
        store.directory_files.replace(volume, twice, listed_at=at(seconds))
        assert [file.relative_path for file in content(store, volume)] == ["a", "b"]


def test_a_listing_that_fails_half_way_changes_nothing(store: Store, volume: Volume) -> None:
    store.directory_files.replace(volume, [[a_file("a")]], listed_at=at(1))

    def broken() -> Iterator[list[DirectoryFile]]:
        yield [a_file("b")]
        raise TransientError("CATALOG_UNAVAILABLE", url="s3://bucket", reason="store is down")

    with pytest.raises(TransientError, match="store is down"):
        store.directory_files.replace(volume, broken(), listed_at=at(2))
    assert content(store, volume) == [a_file("a")]
    # The next refresh begins with nothing of it.
    store.directory_files.replace(volume, [[a_file("c")]], listed_at=at(3))
    assert content(store, volume) == [a_file("c")]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("bad\udc80name", "the file 'bad\\\\udc80name': it is not valid UTF-8"),
        ("nul\0", "it holds a NUL character"),
        ("x" * 2001, "it is longer than 2000 bytes"),
        ("ü" * 1001, "it is longer than 2000 bytes"),
    ],
)
def test_a_name_that_cannot_be_kept_is_an_error_that_names_the_file(
    store: Store, volume: Volume, path: str, reason: str
) -> None:
    store.directory_files.replace(volume, [[a_file("a")]], listed_at=at(1))
    with pytest.raises(UserError, match=reason) as caught:
        store.directory_files.replace(volume, [[a_file("b"), a_file(path)]], listed_at=at(2))
    assert caught.value.condition == "FILE_NAME_NOT_STORABLE"
    assert len(caught.value.message) < 400
    str(caught.value).encode()
    assert content(store, volume) == [a_file("a")]


def test_the_longest_name_that_can_be_kept_is_kept(store: Store, volume: Volume) -> None:
    # Not compressible, so that PostgreSQL's index has to take all of it.
    longest = "".join(chr(0x4E00 + (n * 7919) % 20_000) for n in range(666)) + "ab"
    assert len(longest.encode()) == 2000
    store.directory_files.replace(volume, [[a_file(longest)]], listed_at=at(1))
    assert content(store, volume) == [a_file(longest)]


def test_an_older_listing_does_not_replace_a_newer_one(store: Store, volume: Volume) -> None:
    store.directory_files.replace(volume, [[a_file("new")]], listed_at=at(2))
    late = store.directory_files.replace(volume, [[a_file("old")]], listed_at=at(1))
    assert late == DirectoryChange(late=True)
    assert content(store, volume) == [a_file("new")]


def test_a_directory_of_a_dropped_volume_is_refused(store: Store, volume: Volume) -> None:
    store.volumes.drop(volume)
    with pytest.raises(UserError) as caught:
        store.directory_files.replace(volume, [[a_file("a")]], listed_at=at(1))
    assert caught.value.condition == "VOLUME_NOT_FOUND"


def test_a_writer_that_lost_the_lake_changes_no_directory(store: Store, volume: Volume) -> None:
    ttl = timedelta(seconds=30)
    for name in ("i1", "i2"):
        store.instances.register(an_instance(name))
    store.lease.acquire("i1", ttl=ttl, holder_alive=lambda _holder: True)
    store.lease.acquire("i2", ttl=ttl, holder_alive=lambda _holder: False)
    with pytest.raises(TransientError, match="LEASE_LOST"):
        store.directory_files.replace(
            volume,
            [[a_file("a")]],
            listed_at=at(1),
            within=lambda transaction: store.lease.check("i1", 1, connection=transaction),
        )
    assert content(store, volume) == []
    found = store.volumes.by_id(volume.id)
    assert found == volume


def test_others_write_while_a_long_listing_goes_on(store: Store, volume: Volume) -> None:
    def slow() -> Iterator[list[DirectoryFile]]:
        for number in range(3):
            yield [a_file(f"f{number}")]
            # Would wait for ever, or fail, if the refresh held a lock.
            store.settings.set("key", str(number))
            store.volumes.create(a_volume(f"v{number}"))

    store.directory_files.replace(volume, slow(), listed_at=at(1))
    assert len(content(store, volume)) == 3
    assert len(store.volumes.list(WORKSPACE)) == 4


def test_refreshes_at_once_leave_one_whole_listing(store: Store, volume: Volume) -> None:
    def refresh(number: int) -> None:
        listed = [a_file(f"{number}-{n}") for n in range(200)]
        store.directory_files.replace(volume, [listed], listed_at=at(1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(refresh, range(4)))
    found = content(store, volume)
    assert len(found) == 200
    assert len({file.relative_path[0] for file in found}) == 1


def test_a_reader_sees_one_listing_whatever_is_stored_meanwhile(
    store: Store, volume: Volume, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory_files, "_ROWS_AT_A_TIME", 10)
    store.directory_files.replace(volume, files(100), listed_at=at(1))
    reader = store.directory_files.read(volume)
    first = next(reader)
    store.directory_files.replace(volume, [], listed_at=at(2))
    assert 1 + sum(1 for _ in reader) == 100
    assert first.relative_path == "part-0000000.csv"
    assert content(store, volume) == []


def test_a_reader_that_stops_early_frees_its_connection(
    store: Store, volume: Volume, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory_files, "_ROWS_AT_A_TIME", 10)
    store.directory_files.replace(volume, files(100), listed_at=at(1))
    for _ in range(40):
        reader = store.directory_files.read(volume)
        next(reader)
        reader.close()
    store.settings.set("key", "value")


@pytest.mark.large
def test_a_large_directory_is_stored_and_read_in_little_memory(
    store: Store, volume: Volume, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory_files, "_ROWS_AT_A_TIME", 500)
    store.directory_files.replace(volume, files(10), listed_at=at(1))
    list(store.directory_files.read(volume))
    tracemalloc.start()
    store.directory_files.replace(volume, files(5_000), listed_at=at(2))
    count = sum(1 for _ in store.directory_files.read(volume))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5_000
    # A file takes about half a kilobyte in Python, so this is less than all of them at once.
    assert peak < 2_000_000


def test_the_time_of_a_refresh_grows_with_the_files_and_not_with_their_square(
    store: Store, volume: Volume, url: str, backend: str
) -> None:
    store.directory_files.replace(volume, files(2_000), listed_at=at(1))
    if backend == "postgres":
        # What the planner knows then is wrong for a volume that comes later.
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("ANALYZE")
    late = store.volumes.create(a_volume("late", url=URL))
    started = time.perf_counter()
    for seconds in (1, 2):
        store.directory_files.replace(late, files(6_000), listed_at=at(seconds))
    # A nested loop would compare thirty-six million paths, several times.
    assert time.perf_counter() - started < 5


listing = st.dictionaries(
    st.text(st.sampled_from("abÄ/ %'☂"), min_size=1, max_size=4),
    st.tuples(st.integers(0, 2), st.sampled_from([None, "e1", "e2"])),
    max_size=8,
)


@settings(max_examples=25)
@given(listings=st.lists(listing, min_size=1, max_size=4))
def test_whatever_follows_whatever_the_last_listing_is_what_is_read(
    listings: list[dict[str, tuple[int, str | None]]],
) -> None:
    store, _clock = emptied_store()
    with_schema(store)
    volume = store.volumes.create(a_volume(url=URL))
    before: dict[str, tuple[int, str | None]] = {}
    for number, listed in enumerate(listings):
        batch = [a_file(path, size=size, etag=etag) for path, (size, etag) in listed.items()]
        change = store.directory_files.replace(volume, [batch], listed_at=at(number))
        assert change == DirectoryChange(
            added=len(listed.keys() - before.keys()),
            changed=sum(before[p] != listed[p] for p in listed.keys() & before.keys()),
            removed=len(before.keys() - listed.keys()),
        )
        assert content(store, volume) == sorted(batch, key=lambda f: f.relative_path.encode())
        before = listed
