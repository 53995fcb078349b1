"""The loop looks at the queues of watched volumes, beside its pipes and as often."""

from __future__ import annotations

import io
import threading
import time
from concurrent.futures import Executor, Future

import pytest
from tests.unit.streams.fake_bucket import NOTIFIED, FakeBucket
from tests.unit.streams.watching import Watching

import headwater
from headwater.catalog.volumes import Volume
from headwater.cli.run_status import RunStatus
from headwater.errors import TransientError
from headwater.files.volumes import OpenVolume
from headwater.pipes.loop import PipeLoop, Told
from headwater.streams.directory_events import DirectoryEvents
from headwater.streams.directory_watch import DirectoryWatch

PATIENCE = 20.0


@pytest.fixture
def watching(lake: headwater.Connection, bucket: FakeBucket) -> Watching:
    lake.sql(NOTIFIED)
    return Watching(lake)


class _AtOnce(Executor):
    """Runs what is submitted before it goes on."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        done: Future[object] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:
            done.set_exception(error)
        return done


def loop_of(watching: Watching, told: list[Told] | None = None) -> PipeLoop:
    tell = (lambda _: None) if told is None else told.append
    return PipeLoop(watching.lake, lambda pipe, batch: None, lambda: None, tell)


def stored(watching: Watching) -> list[str]:
    found = watching.lake.store.directory_files.read(watching.volume())
    return [file.relative_path for file in found]


def test_a_run_until_idle_empties_the_queues_of_watched_volumes(
    watching: Watching, bucket: FakeBucket
) -> None:
    bucket.put("a", "1")
    loop_of(watching).run_until_idle()
    assert bucket.receives == 0
    bucket.files.clear()
    watching.create()
    bucket.put("b", "2")
    loop_of(watching).run_until_idle()
    assert stored(watching) == ["b"]
    assert bucket.messages == {}


@pytest.mark.servers
def test_the_loop_takes_in_what_comes_until_it_is_stopped(
    watching: Watching, bucket: FakeBucket
) -> None:
    watching.create()
    stop = threading.Event()
    thread = threading.Thread(target=loop_of(watching).run_forever, args=(stop,))
    # What came after the first look would be taken in at the next one, half a minute later.
    bucket.put("a", "1")
    thread.start()
    try:
        deadline = time.monotonic() + PATIENCE
        while stored(watching) != ["a"] and time.monotonic() < deadline:
            time.sleep(0.02)
        assert stored(watching) == ["a"]
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()


def test_an_idle_queue_is_looked_at_as_often_as_pipes_look(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching.create()
    clock = [1_000.0]
    monkeypatch.setattr("headwater.streams.directory_watch.time.monotonic", lambda: clock[0])
    asked = 0
    find = watching.lake.store.volumes.with_watched_queues

    def counted():  # type: ignore[no-untyped-def]
        nonlocal asked
        asked += 1
        return find()

    monkeypatch.setattr(watching.lake.store.volumes, "with_watched_queues", counted)
    watch, pool = DirectoryWatch(watching.lake), _AtOnce()
    every = watching.lake.config.pipe_poll_seconds
    for _ in range(every * 4 + 2):
        watch.tend(pool, patience=0)
        clock[0] += 0.5
    assert asked == bucket.receives == 3
    # While there is something, it goes on at once.
    clock[0] += every
    bucket.receives = 0
    bucket.put("a", "1")
    watch.tend(pool, patience=0)
    assert watch.tend(pool, patience=0)
    watch.tend(pool, patience=0)
    assert bucket.receives == 3
    watch.close()


def test_a_lake_without_watched_queues_costs_one_question_in_a_while(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, pool = DirectoryWatch(watching.lake), _AtOnce()
    assert not watch.tend(pool, patience=0)
    monkeypatch.setattr(watching.lake, "store", None)
    for _ in range(100):
        assert not watch.tend(pool, patience=0)


def test_a_stream_that_is_dropped_is_watched_no_more(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching.create()
    clock = [1_000.0]
    monkeypatch.setattr("headwater.streams.directory_watch.time.monotonic", lambda: clock[0])
    watch, pool = DirectoryWatch(watching.lake), _AtOnce()
    watch.tend(pool, patience=0)
    assert bucket.receives == 1
    watching.lake.store.streams.drop(watching.stream())
    for _ in range(3):
        clock[0] += watching.lake.config.pipe_poll_seconds
        assert not watch.tend(pool, patience=0)
    assert bucket.receives == 1


def test_a_queue_in_trouble_is_told_once_and_tried_again(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching.create()
    bucket.put("a", "1")
    clock = [1_000.0]
    monkeypatch.setattr("headwater.streams.directory_watch.time.monotonic", lambda: clock[0])

    def fail() -> None:
        raise TransientError("QUEUE_BUSY", queue="q", reason="a test says so")

    bucket.before_delete = fail
    watch, pool, screen = DirectoryWatch(watching.lake), _AtOnce(), io.StringIO()
    status = RunStatus(screen)
    for _ in range(4):
        watch.tend(pool, patience=0)
        status.show(Told(troubles=watch.troubles))
        clock[0] += watching.lake.config.pipe_poll_seconds
    trouble = (
        "the queue of volume public.v: QUEUE_BUSY: the queue 'q' cannot do it now: a test says so"
    )
    assert screen.getvalue() == f"{trouble}\n"
    bucket.before_delete = lambda: None
    for _ in range(3):
        watch.tend(pool, patience=0)
        clock[0] += watching.lake.config.pipe_poll_seconds
    assert watch.troubles == ()
    assert bucket.messages == {}


def test_a_volume_whose_connection_is_made_anew_is_watched_on(
    watching: Watching, bucket: FakeBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching.create()
    events = DirectoryEvents(watching.lake, watching.volume())
    events.look(wait_seconds=0)
    used: list[str | None] = []

    def opened(_lake: object, volume: Volume) -> OpenVolume:
        used.append(volume.connection_id)
        return bucket.opened(volume)

    monkeypatch.setattr("headwater.streams.directory_events.opened", opened)
    watching.sql("DROP CONNECTION c FORCE")
    watching.sql(NOTIFIED.partition(";")[0])
    bucket.put("a", "1")
    assert events.look(wait_seconds=0).change.added == 1
    assert used == [watching.volume().connection_id]
    assert used != [None]


def test_a_bug_in_a_look_ends_no_loop_and_is_told(watching: Watching, bucket: FakeBucket) -> None:
    watching.create()
    bucket.put("a", "1")

    def wrong() -> None:
        raise ZeroDivisionError

    bucket.before_delete = wrong
    told: list[Told] = []
    loop_of(watching, told).run_until_idle()
    assert ["ZeroDivisionError" in trouble for trouble in told[-1].troubles] == [True]
    assert len(bucket.messages) == 1
