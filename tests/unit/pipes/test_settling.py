"""Before and behind the commit of a batch: whoever dies where, the pipe moves with its commit."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.pipes.conftest import Intake
from tests.unit.pipes.fake_spark import Insert, table_of
from tests.unit.pipes.processes import Killed, Process, World

from headwater.catalog.jobs import Job, JobState, TableUse
from headwater.catalog.load_history import LoadStatus
from headwater.catalog.pipes import BatchState
from headwater.errors import TransientError
from headwater.kafka.offsets import OffsetRange
from headwater.lake.delta_log.stamp import Stamp
from headwater.pipes.batches import KafkaBatch
from headwater.pipes.listing import Listing
from headwater.pipes.settling import begin_batch, recover_batches
from headwater.pipes.steps import Outcome
from headwater.runtime.clock import now

Commit = Callable[[Insert], object]


@pytest.fixture
def world(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Processes on the lake of `intake`, which gives up the right to write."""
    intake.lake.writer.release()
    world = World(intake.lake.folder.path).patch(monkeypatch)
    yield world
    world.close()


def busy(insert: Insert) -> None:
    raise TransientError("STORE_BUSY", store="the lake", reason="a test says so")


def behind_the_commit(insert: Insert) -> None:
    insert.commit()
    busy(insert)


def started(world: World, commit: Commit = Insert.commit) -> Process:
    process = world.start()
    process.spark.commit = commit
    process.recover()
    return process


def dying(world: World, intake: Intake, *, at: str) -> list[str]:
    """A process that dies at a failpoint; gives back those it came by."""
    process = started(world)
    world.reached.clear()
    world.dies_at = lambda name: name == at
    with pytest.raises(Killed):
        process.step(intake.pipe)
    world.dies_at = lambda name: False
    return world.reached


def dying_in_its_commit(world: World, intake: Intake) -> Insert:
    """A process that dies when Spark is about to commit; gives back the commit, to come later."""
    late: list[Insert] = []

    def die(insert: Insert) -> None:
        late.append(insert)
        assert world.current is not None
        world.current.kill()
        raise Killed

    process = started(world, die)
    with pytest.raises(Killed):
        process.step(intake.pipe)
    return late[0]


def once(intake: Intake, *names: str) -> None:
    """The files are in the table once, known as loaded, deleted, and the pipe is done with them."""
    assert intake.rows == sorted(f"{name} 1 0" for name in names)
    assert intake.files == []
    for name in names:
        assert [entry.status for entry in intake.history(name)] == [LoadStatus.LOADED]
    assert intake.intent is None


PLACES = [
    "pipe.discovered",
    "pipe.intent",
    "copy.announced",
    "commit.before",
    "commit.fence",
    "commit.allowed",
    "commit.after_delta",
    "copy.confirmed",
    "copy.purged",
    "pipe.settled",
    "pipe.told",
]


def test_the_places_to_die_at_are_these(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    process = started(world)
    world.reached.clear()
    assert process.step(intake.pipe) is Outcome.DONE
    assert world.reached == PLACES


@pytest.mark.parametrize("place", PLACES)
def test_a_death_anywhere_loses_and_doubles_nothing(
    world: World, intake: Intake, place: str
) -> None:
    intake.drop("a.csv", "b.csv")
    dying(world, intake, at=place)
    process = started(world)
    while process.step(intake.pipe) is not Outcome.IDLE:
        pass
    once(intake, "a.csv", "b.csv")
    assert intake.pipe.batch == 1
    assert (intake.pipe.counters.rows, intake.pipe.counters.files) == (2, 2)


def test_a_batch_is_done_again_with_its_number_and_its_files(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    dying(world, intake, at="commit.before")
    intake.drop("b.csv")
    first = intake.intent
    assert first is not None
    process = started(world)
    assert process.step(intake.pipe) is Outcome.MOVED
    assert intake.rows == ["a.csv 1 0"]
    done = intake.lake.store.pipe_batches.of(intake.pipe.id)
    assert [(batch.number, batch.state) for batch in done] == [(1, BatchState.DONE)]
    assert done[0].payload["jobs"][:1] == first.payload["jobs"]
    assert len(done[0].payload["jobs"]) == 2
    process.step(intake.pipe)
    once(intake, "a.csv", "b.csv")
    assert intake.pipe.batch == 2


def test_a_late_commit_is_adopted_by_the_next_try(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    late = dying_in_its_commit(world, intake)
    process = started(world)

    def too_late(insert: Insert) -> None:
        assert late.commit()
        assert not insert.commit()

    process.spark.commit = too_late
    assert process.step(intake.pipe) is Outcome.MOVED
    once(intake, "a.csv")
    assert intake.pipe.batch == 1
    assert intake.pipe.failures == 0


def test_a_late_commit_is_adopted_by_the_recovery(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    late = dying_in_its_commit(world, intake)
    process = started(world, busy)
    assert process.step(intake.pipe) is Outcome.FAILED
    assert intake.intent is not None
    late.commit()
    process.recover()
    once(intake, "a.csv")
    assert process.step(intake.pipe) is Outcome.IDLE
    once(intake, "a.csv")


@pytest.mark.parametrize("others", [["b.csv"], []], ids=["beside another", "alone"])
def test_a_file_replaced_before_the_late_commit_of_what_it_was_is_left_alone(
    world: World, intake: Intake, others: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next try is without it, or of the new file; the late commit comes in the middle of it."""
    told: list[object] = []
    monkeypatch.setattr(Listing, "done", lambda self, batch: told.append(batch))
    intake.drop("a.csv", *others)
    late = dying_in_its_commit(world, intake)
    intake.drop("a.csv")
    process = started(world)
    late_ones = [late]

    def too_late(insert: Insert) -> object:
        while late_ones:
            assert late_ones.pop().commit()
        return insert.commit()

    process.spark.commit = too_late
    while process.step(intake.pipe) is not Outcome.IDLE:
        pass
    assert intake.rows == sorted(f"{name} 1 0" for name in ["a.csv", *others])
    assert intake.files == ["a.csv"]
    history = {entry.status for entry in intake.history("a.csv")}
    assert history == {LoadStatus.LOADED, LoadStatus.SKIPPED}
    assert intake.pipe.batch == 1
    assert (intake.pipe.counters.rows, intake.pipe.counters.files) == (1 + len(others),) * 2
    # A queue would tell of the new file again.
    assert told == []


@pytest.mark.parametrize("others", [["b.csv"], []], ids=["beside another", "alone"])
def test_a_file_replaced_before_a_late_commit_that_is_refused_is_loaded(
    world: World, intake: Intake, others: list[str]
) -> None:
    intake.drop("a.csv", *others)
    late = dying_in_its_commit(world, intake)
    intake.drop("a.csv")
    process = started(world)
    while process.step(intake.pipe) is not Outcome.IDLE:
        pass
    assert not late.commit()
    process.recover()
    assert intake.rows == ["a.csv 2 0", *(f"{name} 1 0" for name in others)]
    assert intake.files == []


def test_a_late_commit_of_files_that_are_gone_is_adopted(world: World, intake: Intake) -> None:
    intake.drop("old.csv")
    late = dying_in_its_commit(world, intake)
    (intake.folder / "old.csv").unlink()
    process = started(world)
    assert process.step(intake.pipe) is Outcome.MOVED
    late.commit()
    intake.drop("a.csv")
    assert process.step(intake.pipe) is Outcome.MOVED
    assert (intake.pipe.batch, intake.files) == (1, ["a.csv"])
    assert process.step(intake.pipe) is Outcome.DONE
    once(intake, "a.csv", "old.csv")
    assert (intake.pipe.batch, intake.pipe.failures) == (2, 0)


def test_a_commit_that_comes_too_late_is_refused(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    late = dying_in_its_commit(world, intake)
    process = started(world)
    assert process.step(intake.pipe) is Outcome.MOVED
    assert not late.commit()
    process.recover()
    once(intake, "a.csv")


def test_a_process_that_wakes_up_behind_its_successor_changes_nothing(
    world: World, intake: Intake
) -> None:
    intake.drop("a.csv")

    def sleeps(insert: Insert) -> None:
        world.fall_asleep()
        assert started(world).step(intake.pipe) is Outcome.MOVED
        assert not insert.commit()

    process = started(world, sleeps)
    process.step(intake.pipe)
    once(intake, "a.csv")
    assert intake.pipe.batch == 1
    assert (intake.pipe.status, intake.pipe.failures) == ("RUNNING", 0)


def test_a_process_that_wakes_up_and_commits_before_its_successor_is_not_repeated(
    world: World, intake: Intake
) -> None:
    intake.drop("a.csv")
    others: list[Process] = []

    def sleeps(insert: Insert) -> None:
        world.fall_asleep()
        others.append(started(world))
        assert insert.commit()

    process = started(world, sleeps)
    process.step(intake.pipe)
    assert intake.rows == ["a.csv 1 0"]
    while others[0].step(intake.pipe) is not Outcome.IDLE:
        pass
    once(intake, "a.csv")
    assert intake.pipe.batch == 1


def test_a_failure_behind_the_commit_is_no_reason_to_load_again(
    world: World, intake: Intake
) -> None:
    intake.drop("a.csv")
    process = started(world, behind_the_commit)
    process.step(intake.pipe)
    process.spark.commit = Insert.commit
    process.recover()
    assert process.step(intake.pipe) is Outcome.IDLE
    once(intake, "a.csv")


def test_a_number_that_delta_has_already_is_left_out(world: World, intake: Intake) -> None:
    """As after a catalog was put back to an earlier state: Delta is further than the pipe."""
    intake.drop("old.csv")
    late = dying_in_its_commit(world, intake)
    (intake.folder / "old.csv").unlink()
    process = started(world)
    assert process.step(intake.pipe) is Outcome.MOVED
    assert intake.intent is None
    assert intake.lake.store.pipe_batches.clean(now() + timedelta(days=1)) == 1
    late.commit()
    intake.drop("a.csv")
    assert process.step(intake.pipe) is Outcome.FAILED
    assert intake.pipe.batch == 1
    assert intake.files == ["a.csv"]
    assert process.step(intake.pipe) is Outcome.DONE
    assert intake.rows == ["a.csv 1 0", "old.csv 1 0"]
    assert intake.pipe.batch == 2
    assert intake.pipe.failures == 0


def test_a_failed_batch_leaves_no_intent_and_says_why(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    process = started(world, busy)
    assert process.step(intake.pipe) is Outcome.FAILED
    assert intake.intent is None
    batch = intake.lake.store.pipe_batches.of(intake.pipe.id)[0]
    assert batch.state is BatchState.FAILED
    assert batch.error == "the store of the lake cannot do it now: a test says so"
    assert intake.pipe.failures == 1
    assert intake.history("a.csv") == []
    process.spark.commit = Insert.commit
    process.step(intake.pipe)
    once(intake, "a.csv")


def test_files_that_are_gone_end_a_batch_that_was_begun(world: World, intake: Intake) -> None:
    intake.drop("a.csv", "b.csv")
    dying(world, intake, at="commit.before")
    (intake.folder / "a.csv").unlink()
    process = started(world)
    assert process.step(intake.pipe) is Outcome.MOVED
    once(intake, "b.csv")


def test_a_file_that_was_replaced_meanwhile_is_not_deleted(world: World, intake: Intake) -> None:
    intake.drop("a.csv")
    dying(world, intake, at="commit.after_delta")
    intake.drop("a.csv")
    process = started(world)
    assert process.step(intake.pipe) is Outcome.IDLE
    assert intake.rows == ["a.csv 1 0"]
    assert intake.files == ["a.csv"]
    found = [entry.status for entry in intake.history("a.csv")]
    assert sorted(found) == [LoadStatus.LOADED, LoadStatus.SKIPPED]
    assert intake.pipe.counters.skipped_files == 1


def test_offsets_are_taken_from_the_table_that_was_written(intake: Intake) -> None:
    """The table that the pipe was made for was dropped, and made anew under its name."""
    lake = intake.lake
    lake.store.tables.drop(intake.table, now())
    target = table_of(lake)
    offsets = {"orders": {"0": 5}}
    batch = KafkaBatch(intake.pipe.id, 1, (OffsetRange("orders", 0, 0, 5),), offsets)
    job = Job(
        id="job-1",
        state=JobState.RUNNING,
        workspace="headwater",
        schema="public",
        creator="tester",
        text="COPY",
        started_at=now(),
        instance="gone",
        output_tables=(TableUse("headwater.public.t", table_id=target.id),),
    )
    lake.store.jobs.start(job)
    begin_batch(lake, batch, job.id)
    note = Stamp(job.id, "COPY_INTO", "tester", 1, batch.mark).to_json()
    folder = Path(lake.location(target))
    assert Insert(folder, ("x",), note, (f"pipe:{intake.pipe.id}", 1)).commit()
    lake.store.jobs.finish(replace(job, state=JobState.FAILED, error="killed"))
    recover_batches(lake)
    assert intake.intent is None
    assert (intake.pipe.batch, intake.pipe.offsets) == (1, offsets)


def test_a_table_whose_files_are_gone_does_not_keep_the_lake_shut(
    world: World, intake: Intake
) -> None:
    intake.drop("a.csv")
    dying(world, intake, at="commit.before")
    process = started(world)
    shutil.rmtree(intake.lake.location(intake.table))
    process.recover()
    assert intake.intent is not None
