"""From messages to versions of a directory table, whatever the queue does to their order."""

from __future__ import annotations

import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.unit.streams.fake_bucket import NOTIFIED, FakeBucket
from tests.unit.streams.watching import Watching

import headwater
from headwater.catalog.volumes import DirectoryChange
from headwater.errors import TransientError
from headwater.files.directory import refresh
from headwater.streams import directory_events
from headwater.streams.directory_events import DirectoryEvents


@pytest.fixture
def watching(lake: headwater.Connection, bucket: FakeBucket) -> Watching:
    """A stream s over the bucket."""
    lake.sql(NOTIFIED)
    made = Watching(lake)
    made.create()
    return made


def events_of(watching: Watching) -> DirectoryEvents:
    return DirectoryEvents(watching.lake, watching.volume())


def look(watching: Watching) -> DirectoryChange:
    return events_of(watching).look(wait_seconds=0).change


def stored(watching: Watching) -> dict[str, str | None]:
    found = watching.lake.store.directory_files.read(watching.volume())
    return {file.relative_path: file.etag for file in found}


def test_a_look_is_one_version_whatever_it_finds(watching: Watching, bucket: FakeBucket) -> None:
    for path in ("a", "b", "ü +%/c"):
        bucket.put(path, path)
    assert look(watching) == DirectoryChange(added=3)
    assert watching.volume().directory_version == 1
    bucket.put("a", "other")
    bucket.remove("b")
    bucket.put("d", "x")
    bucket.remove("d")
    assert look(watching) == DirectoryChange(added=0, changed=1, removed=1)
    assert watching.volume().directory_version == 2
    assert bucket.messages == {}
    assert look(watching) == DirectoryChange()
    assert stored(watching) == {path: file.etag for path, file in bucket.files.items()}


def test_a_message_stays_until_what_it_tells_is_stored(
    watching: Watching, bucket: FakeBucket
) -> None:
    bucket.put("a", "1")

    def fail(_path: str) -> None:
        raise TransientError("STORE_BUSY", store="s3", reason="a test says so")

    bucket.before_head = fail
    with pytest.raises(TransientError, match="STORE_BUSY"):
        look(watching)
    assert len(bucket.messages) == 1
    assert stored(watching) == {}
    bucket.before_head = lambda path: None
    seen_at_delete: list[dict[str, str | None]] = []

    def die() -> None:
        seen_at_delete.append(stored(watching))
        raise TransientError("QUEUE_BUSY", queue="q", reason="a test says so")

    bucket.before_delete = die
    with pytest.raises(TransientError, match="QUEUE_BUSY"):
        look(watching)
    assert list(seen_at_delete[0]) == ["a"]
    bucket.before_delete = lambda: None
    # It comes again, and changes nothing.
    assert look(watching) == DirectoryChange()
    assert bucket.messages == {}
    assert watching.volume().directory_version == 1
    assert watching.shown() == [("INSERT", "a")]


def test_what_is_no_event_of_the_volume_is_deleted_and_changes_nothing(
    watching: Watching, bucket: FakeBucket
) -> None:
    bucket.send(json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent"}))
    bucket.tell("a", "ObjectCreated:Put", bucket="elsewhere")
    bucket.tell(".headwater-0123.part", "ObjectCreated:Put")
    bucket.tell("folder/", "ObjectCreated:Put")
    bucket.tell("never-there", "ObjectCreated:Put")
    assert look(watching) == DirectoryChange()
    assert bucket.messages == {}
    assert watching.volume().directory_version == 0
    assert watching.lake.store.volume_messages.of(watching.volume()) == []


def test_what_cannot_be_understood_is_laid_aside(watching: Watching, bucket: FakeBucket) -> None:
    bodies = ["not JSON", "{}", '{"Records": [{"eventName": 1}]}']
    for body in bodies:
        bucket.send(body)
    bucket.tell("x" * 2_001, "ObjectCreated:Put")
    bucket.put("a", "1")
    assert look(watching) == DirectoryChange(added=1)
    assert bucket.messages == {}
    aside = watching.lake.store.volume_messages.of(watching.volume())
    long = [message for message in aside if "xxx" in message.body]
    assert sorted(message.body for message in aside if message not in long) == sorted(bodies)
    assert [message.reason.partition(": ")[2] for message in long] == [
        "it is longer than 2000 bytes"
    ]
    told = dict(watching.sql("DESC VOLUME EXTENDED v").rows)
    assert told["malformed_messages"] == "4"


def test_an_older_answer_of_the_store_never_replaces_a_newer_one(
    watching: Watching, bucket: FakeBucket
) -> None:
    """One look has asked for the file and sleeps; another sees what came since, and stores it."""
    bucket.put("a", "old")
    asked, go_on = threading.Event(), threading.Event()

    def wait(_path: str) -> None:
        if threading.current_thread().name.startswith("slow") and not asked.is_set():
            asked.set()
            assert go_on.wait(20)

    bucket.before_head = wait
    slow = events_of(watching)
    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as monkey:
        # Another process, which this one's locks do not hold up.
        monkey.setattr(watching.lake, "locks", _NoLocks())
        monkey.setattr(directory_events, "ThreadPoolExecutor", _slow_threads)
        late = pool.submit(slow.look, wait_seconds=0)
        assert asked.wait(20)
        monkey.setattr(directory_events, "ThreadPoolExecutor", ThreadPoolExecutor)
        bucket.put("a", "the newer")
        assert look(watching) == DirectoryChange(added=1)
        go_on.set()
        assert late.result(20).change == DirectoryChange()
    assert stored(watching) == {"a": bucket.files["a"].etag}
    assert watching.volume().directory_version == 1


class _NoLocks:
    def hold(self, _key: str) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1)


def _slow_threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="slow")


def test_a_listing_does_not_undo_what_events_told_meanwhile(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long listing, in another process, saw `gone` and did not see `new`."""
    bucket.put("gone", "1")
    look(watching)
    listed = FakeBucket.list
    times = []

    def slow(self: FakeBucket, *arguments: object, **options: object):  # type: ignore[no-untyped-def]
        pages = list(listed(self))
        times.append(1)
        if len(times) == 1:
            bucket.remove("gone")
            bucket.put("new", "2")
            with ThreadPoolExecutor(1) as pool:
                pool.submit(look, watching).result(20)
        yield from pages

    monkeypatch.setattr(FakeBucket, "list", slow)
    monkeypatch.setattr(watching.lake, "locks", _NoLocks())
    assert refresh(watching.lake, bucket.opened(watching.volume())) == DirectoryChange()
    assert len(times) == 2
    assert list(stored(watching)) == ["new"]


def test_a_directory_that_others_always_change_is_said_to_be_busy(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("a", "1")
    late = DirectoryChange(late=True)
    store = watching.lake.store.directory_files
    monkeypatch.setattr(store, "patch", lambda *_, **__: late)
    with pytest.raises(TransientError, match="DIRECTORY_BUSY"):
        look(watching)
    assert len(bucket.messages) == 1
    monkeypatch.setattr(store, "replace", lambda *_, **__: late)
    with pytest.raises(TransientError, match="DIRECTORY_BUSY"):
        refresh(watching.lake, bucket.opened(watching.volume()))


def test_reading_a_stream_takes_in_all_that_the_queue_has(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory_events, "_MOST_MESSAGES", 20)
    for number in range(95):
        bucket.put(f"{number:03}", "x")
    assert len(watching.consume()) == 95
    # Lost events show at a refresh.
    bucket.files.pop("000")
    assert watching.rows() == []
    bucket.remove("001")
    assert watching.shown() == [("DELETE", "001")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "headwater.statements.open_volume.open_volume",
            lambda lake, ref, whose: bucket.opened(watching.volume()),
        )
        watching.sql("ALTER VOLUME v REFRESH")
    assert watching.shown() == [("DELETE", "000"), ("DELETE", "001")]


def test_auto_refresh_lists_at_each_read_too(
    lake: headwater.Connection, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.statements.create_external_volume.open_store", lambda *_: bucket)
    monkeypatch.setattr(
        "headwater.statements.create_external_volume.opened",
        lambda _, volume: bucket.opened(volume),
    )
    lake.sql(NOTIFIED.replace("ENABLE = TRUE", "ENABLE = TRUE, AUTO_REFRESH = TRUE"))
    watching = Watching(lake)
    watching.create()
    bucket.put("told", "1")
    bucket.put("lost", "2")
    bucket.messages = {}
    bucket.tell("told", "ObjectCreated:Put")
    assert watching.shown() == [("INSERT", "lost"), ("INSERT", "told")]


@pytest.mark.parametrize("round", range(3))
def test_whatever_the_queue_does_the_directory_becomes_what_is_there(
    watching: Watching, bucket: FakeBucket, round: int
) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    bucket.dice = dice = random.Random(seed)
    copy: dict[str, int] = {}
    for _ in range(80):
        path = dice.choice("abcde")
        match dice.choice(["put", "put", "remove", "duplicate", "look", "fail", "consume"]):
            case "put":
                bucket.put(path, "x" * dice.randrange(3))
            case "remove":
                bucket.remove(path)
            case "duplicate":
                bucket.tell(path, dice.choice(["ObjectCreated:Put", "ObjectRemoved:Delete"]))
            case "look":
                look(watching)
            case "fail":
                bucket.before_delete = _dies
                with suppress(TransientError):
                    look(watching)
                bucket.before_delete = lambda: None
            case _:
                for kind, _version, name, size in watching.consume():
                    if kind in ("DELETE", "UPDATE_BEFORE"):
                        assert copy.pop(name) == size
                    else:
                        assert name not in copy
                        copy[name] = size
                assert copy == {name: file.size for name, file in bucket.files.items()}
                assert stored(watching) == {name: f.etag for name, f in bucket.files.items()}


def _dies() -> None:
    raise TransientError("QUEUE_BUSY", queue="q", reason="a test says so")
