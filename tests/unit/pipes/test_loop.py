"""The loop over pipes: who works when, side by side or not, and how it ends."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake
from tests.unit.pipes.fake_spark import Insert, rows_of, table_of

from headwater.catalog import pipes as pipe_rules
from headwater.catalog.pipes import Pipe, PipeStatus
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.lake.spark_session import SparkConnection
from headwater.pipes import loop as loop_module
from headwater.pipes.batches import Batch
from headwater.pipes.loop import PipeLoop, Told
from headwater.pipes.open_pipe import OpenPipe
from headwater.run_pipes import pipe_loop
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of a hundredth of a second, where they are not what is tested."""
    monkeypatch.setattr(loop_module, "_TICK", 0.02)
    monkeypatch.setattr(loop_module, "_LOOK_FOR_CHANGES", 0.02)
    monkeypatch.setattr(loop_module, "_STANDBY", 0.02)
    short = timedelta(milliseconds=20)
    monkeypatch.setattr(pipe_rules, "backoff", lambda failures, jitter: short)


def busy() -> HeadwaterError:
    return TransientError("STORE_BUSY", store="the lake", reason="a test says so")


def more_pipes(intake: Intake, *names: str, cluster: str = "default") -> None:
    """Pipes q, r, .. each over its own folder, into its own table."""
    for name in names:
        folder: Path = intake.folder.parent / name
        folder.mkdir()
        (folder / "a.csv").write_text("x\n")
        table_of(intake.lake, f"t_{name}")
        intake.connection.sql(
            f"CREATE EXTERNAL VOLUME v_{name} LOCATION 'file://{folder}/' USING CONNECTION c;"
            f"CREATE PIPE {name} VIRTUAL_CLUSTER = '{cluster}' INGEST_MODE = 'LIST_PURGE' AS COPY"
            f" INTO t_{name} FROM VOLUME v_{name} (line STRING) USING CSV PURGE = TRUE"
        )


class Watched:
    """Runs batches, and knows how many ran at the same time, by pipe and by cluster."""

    def __init__(self, intake: Intake, before: Callable[[OpenPipe], None] | None = None) -> None:
        self._intake = intake
        self._before = before
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.batches: list[tuple[str, int]] = []

    def run(self, pipe: OpenPipe, batch: Batch) -> None:
        keys = (pipe.pipe.name, pipe.properties.virtual_cluster)
        with self._lock:
            for key in keys:
                self._now[key] += 1
                self.most[key] = max(self.most[key], self._now[key])
        try:
            if self._before is not None:
                self._before(pipe)
            self._intake.sessions.run(pipe, batch)
            self.batches.append((pipe.pipe.name, batch.number))
        finally:
            with self._lock:
                for key in keys:
                    self._now[key] -= 1

    @property
    def loop(self) -> PipeLoop:
        return PipeLoop(self._intake.lake, self.run, lambda: None)


@contextmanager
def running(loop: PipeLoop) -> Iterator[threading.Thread]:
    """The loop on a thread, stopped at the end."""
    stop = threading.Event()
    thread = threading.Thread(target=loop.run_forever, args=(stop,))
    thread.stop = stop  # type: ignore[attr-defined]
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_run_until_idle_loads_all_there_is_and_ends(new_intake: NewIntake) -> None:
    intake = new_intake(pipe_files_per_batch=2)
    intake.make_pipe()
    intake.drop(*(f"{number}.csv" for number in range(7)))
    pipe_loop(intake.lake, intake.sessions).run_until_idle()
    assert len(intake.rows) == 7
    assert intake.files == []
    assert intake.pipe.batch == 4


def test_a_lake_without_pipes_is_idle(new_intake: NewIntake) -> None:
    intake = new_intake()
    pipe_loop(intake.lake, intake.sessions).run_until_idle()


def test_a_store_that_hangs_while_files_are_deleted_holds_up_no_pipe(
    new_intake: NewIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, ends = threading.Event(), threading.Event()

    def purge(lake: OpenLake) -> None:
        hangs.set()
        assert ends.wait(PATIENCE)

    monkeypatch.setattr(loop_module, "purge", purge)
    intake = new_intake(pipe_poll_seconds=1)
    intake.make_pipe()
    with running(pipe_loop(intake.lake, intake.sessions)):
        assert hangs.wait(PATIENCE)
        intake.drop("a.csv")
        until = time.monotonic() + PATIENCE
        while not intake.rows and time.monotonic() < until:
            time.sleep(0.02)
        ends.set()
    assert len(intake.rows) == 1


def test_a_pipe_has_one_batch_at_a_time_in_order(new_intake: NewIntake) -> None:
    intake = new_intake(pipe_files_per_batch=1)
    intake.make_pipe()
    intake.drop(*(f"{number}.csv" for number in range(5)))
    watched = Watched(intake)
    watched.loop.run_until_idle()
    assert watched.most["p"] == 1
    assert watched.batches == [("p", number) for number in range(1, 6)]


def test_a_virtual_cluster_runs_so_many_batches_at_once(new_intake: NewIntake) -> None:
    """Two at once on one cluster, and beside them those of another; the third is QUEUED."""
    intake = new_intake(pipe_batches_at_once=2)
    more_pipes(intake, "q", "r", "s")
    more_pipes(intake, "u", cluster="default_ap")
    # Nobody goes on before three are there: two of the three, and the one of the other cluster.
    together = threading.Barrier(3)
    arrived: list[None] = []
    seen: list[list[str]] = []
    made = intake.lake.new_spark
    assert intake.lake.registrar

    def states(cluster: str) -> list[str]:
        found = intake.lake.store.vclusters.jobs_of("headwater", cluster)
        return sorted(state for _, _, state, _ in found)

    def meet() -> SparkConnection:
        arrived.append(None)
        if len(arrived) <= 3:
            if together.wait(PATIENCE) == 0:
                deadline = time.monotonic() + PATIENCE
                while len(states("DEFAULT")) < 3 and time.monotonic() < deadline:
                    time.sleep(0.01)
                seen.extend((states("DEFAULT"), states("DEFAULT_AP")))
            together.wait(PATIENCE)
        return made()

    intake.lake.new_spark = meet  # type: ignore[method-assign]
    watched = Watched(intake)
    watched.loop.run_until_idle()
    assert seen == [["QUEUED", "RUNNING", "RUNNING"], ["RUNNING"]]
    assert sorted(watched.batches) == [("q", 1), ("r", 1), ("s", 1), ("u", 1)]


def test_run_until_idle_waits_for_what_is_tried_again(intake: Intake) -> None:
    failures = [busy(), busy()]

    def fail(pipe: OpenPipe) -> None:
        if failures:
            raise failures.pop()

    intake.drop("a.csv")
    Watched(intake, fail).loop.run_until_idle()
    assert failures == []
    assert intake.rows == ["a.csv 1 0"]
    assert intake.pipe.failures == 0
    assert intake.pipe.counters.failures_total == 2


def test_run_until_idle_leaves_a_pipe_to_the_next_run_that_fails_again_and_again(
    new_intake: NewIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One over Kafka may fail thirty times before it gives up, which takes half an hour."""
    short, long = timedelta(milliseconds=20), timedelta(minutes=1)
    monkeypatch.setattr(pipe_rules, "backoff", lambda failures, _: long if failures > 1 else short)
    intake = new_intake(pipe_failures=2)
    intake.connection.sql(
        "CREATE PIPE k VIRTUAL_CLUSTER = 'default' AS COPY INTO t FROM (SELECT CAST(value AS"
        " STRING) FROM READ_KAFKA('127.0.0.1:1', 'no', '', 'g', '', '', '', '', 'raw', 'raw', 0,"
        " map()))"
    )
    told: list[int] = []
    loop = Watched(intake).loop
    loop.fail = lambda pipe: told.append(pipe.failures)
    loop.run_until_idle()
    found = intake.lake.store.pipes.get("headwater", "public", "k")
    assert found is not None
    assert (found.status, found.failures, told) == (PipeStatus.RUNNING, 2, [1, 2])
    assert (found.last_error or "").startswith("KAFKA_UNREACHABLE: Kafka at 127.0.0.1:1 ")
    begun = time.monotonic()
    Watched(intake).loop.run_until_idle()
    assert time.monotonic() - begun < 1.0, "it waited for the pipe"


def test_five_failures_in_a_row_make_a_pipe_invalid(intake: Intake) -> None:
    tries: list[str] = []

    def fail(pipe: OpenPipe) -> None:
        tries.append(pipe.pipe.name)
        raise busy()

    intake.drop("a.csv")
    Watched(intake, fail).loop.run_until_idle()
    assert len(tries) == 5
    assert intake.pipe.status is PipeStatus.INVALID
    reason = intake.pipe.invalid_reason or ""
    assert reason.startswith("gave up after 5 failures in a row; the last one: STORE_BUSY: ")
    assert intake.files == ["a.csv"]
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    Watched(intake).loop.run_until_idle()
    assert intake.rows == ["a.csv 1 0"]


def test_an_error_that_cannot_pass_makes_it_invalid_at_once(intake: Intake) -> None:
    def fail(pipe: OpenPipe) -> None:
        raise UserError("TABLE_COLUMN_NOT_FOUND", table="t", column="line")

    intake.drop("a.csv")
    Watched(intake, fail).loop.run_until_idle()
    assert intake.pipe.status is PipeStatus.INVALID
    assert (intake.pipe.invalid_reason or "").startswith("TABLE_COLUMN_NOT_FOUND: ")
    assert intake.pipe.counters.failures_total == 1


def test_that_the_lake_is_locked_is_no_failure(intake: Intake) -> None:
    locked = [_locked() for _ in range(7)]

    def fail(pipe: OpenPipe) -> None:
        if locked:
            raise locked.pop()

    intake.drop("a.csv")
    Watched(intake, fail).loop.run_until_idle()
    assert intake.rows == ["a.csv 1 0"]
    assert intake.pipe.counters.failures_total == 0


def _locked() -> UserError:
    about = dict.fromkeys(("host", "pid", "user", "since", "until", "instance"), "x")
    return UserError("LAKE_LOCKED", **about)


def test_a_second_process_waits_until_it_may_work(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.lake.writer.release()
    other = OpenLake(intake.lake.folder, intake.lake.config)
    other.writer.ensure()
    waits, works = threading.Event(), threading.Event()

    def tell(told: Told) -> None:
        (waits if told.waiting_for is not None else works).set()

    loop = pipe_loop(intake.lake, intake.sessions, tell=tell)
    try:
        with running(loop):
            assert waits.wait(PATIENCE)
            assert not works.is_set()
            assert intake.rows == []
            other.writer.release()
            assert works.wait(PATIENCE)
            _until(lambda: intake.rows == ["a.csv 1 0"])
    finally:
        other.close()


def test_run_until_idle_does_not_wait_for_a_lake_that_another_holds(intake: Intake) -> None:
    intake.lake.writer.release()
    other = OpenLake(intake.lake.folder, intake.lake.config)
    other.writer.ensure()
    try:
        with pytest.raises(UserError, match="LAKE_LOCKED"):
            pipe_loop(intake.lake, intake.sessions).run_until_idle()
    finally:
        other.close()


def test_a_pipe_that_is_paused_while_it_waits_for_its_next_try_is_left(intake: Intake) -> None:
    intake.drop("a.csv")

    def fail(pipe: OpenPipe) -> None:
        intake.lake.store.pipes.pause(pipe.pipe.id, now())
        raise busy()

    Watched(intake, fail).loop.run_until_idle()
    assert intake.pipe.status is PipeStatus.PAUSED
    assert intake.files == ["a.csv"]


def test_a_batch_that_runs_when_its_pipe_is_paused_ends(intake: Intake) -> None:
    intake.drop("a.csv")

    def pause(pipe: OpenPipe) -> None:
        intake.lake.store.pipes.pause(pipe.pipe.id, now())

    Watched(intake, pause).loop.run_until_idle()
    assert intake.rows == ["a.csv 1 0"]
    assert intake.intent is None
    assert (intake.pipe.status, intake.pipe.batch) == (PipeStatus.PAUSED, 1)


@pytest.mark.parametrize("when", ["before", "in"])
def test_a_pipe_that_is_dropped_while_its_batch_runs_does_not_stop_the_loop(
    intake: Intake, when: str
) -> None:
    intake.drop("a.csv")
    pipe_id = intake.pipe.id

    def drop(*about: object) -> None:
        intake.connection.sql("DROP PIPE IF EXISTS p")

    def drop_and_commit(insert: Insert) -> None:
        drop()
        insert.commit()

    loop = Watched(intake, drop if when == "before" else None).loop
    if when == "in":
        intake.spark.commit = drop_and_commit
    with running(loop):
        _until(lambda: intake.lake.store.pipes.by_id(pipe_id) is None)
        intake.spark.commit = Insert.commit
        more_pipes(intake, "q")
        _until(lambda: _loaded(intake, "t_q") == ["x"])
        _until(lambda: pipe_id not in loop._worked)
    if when == "in":
        # A batch under way still ends: its rows are in the table, and its file is gone.
        assert intake.rows == ["a.csv 1 0"]
        assert intake.files == []


def test_new_pipes_files_and_a_refresh_are_seen_by_a_loop_that_runs(intake: Intake) -> None:
    looked = threading.Event()
    loop = pipe_loop(intake.lake, intake.sessions, tell=lambda told: looked.set())
    with running(loop):
        assert looked.wait(PATIENCE)
        more_pipes(intake, "q")
        _until(lambda: _loaded(intake, "t_q") == ["x"])
        # The poll is 30 seconds, and the first look at p found nothing.
        intake.drop("a.csv")
        intake.connection.sql("ALTER PIPE p REFRESH")
        _until(lambda: intake.rows == ["a.csv 1 0"])
        assert intake.pipe.refresh_requested_at is None


def test_a_catalog_that_is_away_for_a_while_is_waited_for(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipes = intake.lake.store.pipes
    answers, told = pipes.running, list[Told]()
    away = [TransientError("CATALOG_UNAVAILABLE", url="db", reason="gone") for _ in range(2)]

    def running_pipes() -> list[Pipe]:
        if away:
            raise away.pop()
        return answers()

    monkeypatch.setattr(pipes, "running", running_pipes)
    monkeypatch.setattr("headwater.pipes.loop._STANDBY", 0.01)
    intake.drop("a.csv")
    with running(pipe_loop(intake.lake, intake.sessions, tell=told.append)):
        _until(lambda: intake.rows == ["a.csv 1 0"])
    assert "gone" in (told[0].waiting_for or "")


def test_a_pipe_is_looked_at_again_only_when_it_is_due(
    new_intake: NewIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headwater.pipes import listing

    looks = threading.Semaphore(0)
    real = listing.Listing.look

    def look(self: listing.Listing, number: int) -> object:
        looks.release()
        return real(self, number)

    monkeypatch.setattr(listing.Listing, "look", look)
    intake = new_intake(pipe_poll_seconds=1)
    intake.make_pipe()
    told = Counter[str]()
    loop = pipe_loop(intake.lake, intake.sessions, tell=lambda _: told.update(["times"]))
    with running(loop):
        assert looks.acquire(timeout=PATIENCE)
        assert not looks.acquire(timeout=0.5)
        assert told["times"] > 5
        assert looks.acquire(timeout=PATIENCE)


def test_a_stop_waits_for_the_batch_under_way(intake: Intake) -> None:
    intake.drop("a.csv")
    begun, go_on = threading.Event(), threading.Event()

    def commit(insert: Insert) -> None:
        begun.set()
        assert go_on.wait(PATIENCE)
        insert.commit()

    intake.spark.commit = commit
    with running(pipe_loop(intake.lake, intake.sessions)) as thread:
        assert begun.wait(PATIENCE)
        thread.stop.set()  # type: ignore[attr-defined]
        thread.join(0.2)
        assert thread.is_alive()
        go_on.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert intake.rows == ["a.csv 1 0"]
    assert intake.files == []
    assert (intake.intent, intake.pipe.batch) == (None, 1)


def _loaded(intake: Intake, table: str) -> list[str]:
    found = intake.lake.store.tables.get("headwater", "public", table)
    return [] if found is None else rows_of(intake.lake, found)


def _until(happened: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(int(PATIENCE * 50)):
        if happened():
            return
        waited.wait(0.02)
    raise AssertionError("it does not happen")
