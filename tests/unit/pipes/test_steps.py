"""One step of a pipe, with Spark replaced by a fake: what it did is told by catalog and table."""

from __future__ import annotations

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake
from tests.unit.pipes.fake_spark import BROKEN, Insert, table_of

from headwater.catalog.load_history import LoadStatus
from headwater.catalog.pipes import PipeStatus
from headwater.pipes.listing import Listing
from headwater.pipes.sources import Look
from headwater.pipes.steps import Outcome
from headwater.runtime.clock import now


def test_new_files_are_loaded_and_deleted(intake: Intake) -> None:
    intake.drop("a.csv", "b/c.csv", rows=2)
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0", "a.csv 1 1", "b/c.csv 1 0", "b/c.csv 1 1"]
    assert intake.files == []
    assert intake.step() is Outcome.IDLE
    pipe = intake.pipe
    assert (pipe.batch, pipe.counters.rows, pipe.counters.files) == (1, 4, 2)
    assert pipe.counters.pending_files == 0
    assert intake.intent is None


def test_a_paused_pipe_does_nothing(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")
    assert intake.step() is Outcome.STOPPED
    assert intake.files == ["a.csv"]
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0"]


def test_what_comes_after_a_pause_is_left_by_a_look_that_began_before(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by a test under load: the look was still at work when the pipe was paused."""
    look = Listing.look

    def paused_meanwhile(source: Listing, number: int) -> Look:
        intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")
        intake.drop("late.csv")
        return look(source, number)

    with monkeypatch.context() as patched:
        patched.setattr(Listing, "look", paused_meanwhile)
        assert intake.step() is Outcome.STOPPED
    assert (intake.rows, intake.files, intake.intent) == ([], ["late.csv"], None)
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["late.csv 1 0"]


def test_a_pipe_that_is_gone_does_nothing(intake: Intake) -> None:
    stepper = intake.stepper()
    intake.connection.sql("DROP PIPE p")
    assert stepper.step() is Outcome.STOPPED


def test_a_batch_is_a_job_of_the_pipe(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.step()
    job = intake.connection.sql("SHOW JOBS WHERE job_text LIKE 'COPY%'").to_dicts()[0]
    assert job["query_tag"] == "pipe.headwater.public.p"
    assert job["status"] == "SUCCEED"


def test_files_loaded_by_a_pipe_say_which_one(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.step()
    entry = intake.history("a.csv")[0]
    assert (entry.status, entry.source) == (LoadStatus.LOADED, "public.p")


def test_a_broken_file_is_left_out_and_the_others_load_in_one_commit(
    new_intake: NewIntake,
) -> None:
    intake = new_intake()
    intake.make_pipe(options="ON_ERROR = CONTINUE")
    intake.drop("a.csv", "c.csv")
    (intake.folder / "b.csv").write_text(f"{BROKEN}\n")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0", "c.csv 1 0"]
    assert intake.files == ["b.csv"]
    entry = intake.history("b.csv")[0]
    assert (entry.status, entry.first_error) == (
        LoadStatus.LOAD_FAILED,
        f"cannot read it: {BROKEN}",
    )
    counters = intake.pipe.counters
    assert (counters.files, counters.failed_files, intake.pipe.batch) == (2, 1, 1)
    assert intake.step() is Outcome.IDLE
    intake.drop("d.csv")
    assert intake.step() is Outcome.DONE
    assert "d.csv 1 0" in intake.rows


def test_very_many_broken_files_do_not_take_as_many_readings(new_intake: NewIntake) -> None:
    intake = new_intake()
    intake.make_pipe(options="ON_ERROR = CONTINUE")
    good, bad = [f"{n:03}.csv" for n in range(0, 90, 2)], [f"{n:03}.csv" for n in range(1, 90, 2)]
    intake.drop(*good)
    for name in bad:
        (intake.folder / name).write_text(f"{BROKEN}\n")
    assert intake.step() is Outcome.DONE
    assert intake.rows == [f"{name} 1 0" for name in good]
    assert intake.files == bad
    entries = [intake.history(name)[0] for name in bad]
    assert {entry.status for entry in entries} == {LoadStatus.LOAD_FAILED}
    assert {entry.first_error for entry in entries} == {f"cannot read it: {BROKEN}"}
    counters = intake.pipe.counters
    assert (counters.files, counters.failed_files, intake.pipe.batch) == (45, 45, 1)
    # Two that ended at a broken file, one that looked for all others, and the one that loads.
    assert intake.spark.inserts == 4


def test_broken_files_alone_end_their_batch(new_intake: NewIntake) -> None:
    intake = new_intake()
    intake.make_pipe(options="ON_ERROR = CONTINUE")
    (intake.folder / "b.csv").write_text(f"{BROKEN}\n")
    assert intake.step() is Outcome.DONE
    assert (intake.pipe.batch, intake.intent, intake.pipe.failures) == (1, None, 0)
    assert intake.step() is Outcome.IDLE
    (intake.folder / "b.csv").write_text("mended\n")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["mended"]
    assert intake.pipe.batch == 2


def test_a_broken_file_stops_a_pipe_that_aborts_until_it_is_resumed(intake: Intake) -> None:
    intake.drop("a.csv")
    (intake.folder / "b.csv").write_text(f"{BROKEN}\n")
    assert intake.step() is Outcome.STOPPED
    assert intake.pipe.status is PipeStatus.INVALID
    reason = intake.pipe.invalid_reason or ""
    assert reason.startswith("FILE_UNREADABLE: ")
    assert "b.csv" in reason
    assert intake.rows == []
    assert intake.intent is None
    (intake.folder / "b.csv").write_text("mended\n")
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0", "mended"]


def test_a_target_that_is_gone_makes_the_pipe_invalid_until_there_is_another(
    intake: Intake,
) -> None:
    intake.drop("a.csv")
    intake.lake.store.tables.drop(intake.table, now())
    assert intake.step() is Outcome.STOPPED
    assert (intake.pipe.invalid_reason or "").startswith("PIPE_TARGET_GONE: ")
    intake.table = table_of(intake.lake)
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0"]


def test_a_folder_that_is_gone_is_told_and_nothing_is_lost(intake: Intake) -> None:
    intake.drop("a.csv")
    hidden = intake.folder.rename(intake.folder.parent / "elsewhere")
    assert intake.step() is Outcome.STOPPED
    assert "FOLDER_NOT_FOUND" in (intake.pipe.invalid_reason or "")
    hidden.rename(intake.folder)
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert intake.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0"]


def test_a_pipe_goes_on_in_the_volume_that_took_the_place_of_its_own(intake: Intake) -> None:
    intake.drop("a.csv")
    stepper = intake.stepper()
    assert stepper.step() is Outcome.DONE
    other = intake.folder.parent / "other"
    other.mkdir()
    (other / "b.csv").write_text("other\n")
    intake.connection.sql(
        f"CREATE OR REPLACE EXTERNAL VOLUME v LOCATION 'file://{other}/' USING CONNECTION c"
    )
    assert stepper.step() is Outcome.DONE
    assert intake.rows == ["a.csv 1 0", "other"]
    assert list(other.iterdir()) == []


def test_a_bug_is_tried_again_and_told(intake: Intake) -> None:
    def fail(insert: Insert) -> None:
        raise ZeroDivisionError

    intake.drop("a.csv")
    intake.spark.commit = fail
    assert intake.step() is Outcome.FAILED
    assert (intake.pipe.failures, intake.intent) == (1, None)
    intake.spark.commit = Insert.commit
    assert intake.step() is Outcome.DONE
    assert intake.pipe.failures == 0


def test_a_look_that_finds_nothing_forgets_failures(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.spark.commit = lambda insert: 1 / 0
    assert intake.step() is Outcome.FAILED
    (intake.folder / "a.csv").unlink()
    assert intake.step() is Outcome.IDLE
    assert (intake.pipe.failures, intake.pipe.not_before) == (0, None)


def test_a_refresh_is_served_by_a_look(intake: Intake) -> None:
    intake.connection.sql("ALTER PIPE p REFRESH")
    assert intake.step() is Outcome.IDLE
    assert intake.pipe.refresh_requested_at is None


def test_a_pipe_that_is_dropped_in_its_batch_has_no_failure_to_tell(intake: Intake) -> None:
    def drop(insert: Insert) -> None:
        intake.connection.sql("DROP PIPE p")
        raise ZeroDivisionError

    intake.drop("a.csv")
    intake.spark.commit = drop
    assert intake.step() is Outcome.STOPPED
    assert intake.files == ["a.csv"]
