"""ALTER PIPE .. SKIP FILE and RETRY FILE: what a user wants of one file."""

from __future__ import annotations

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake
from tests.unit.pipes.fake_spark import BROKEN

from headwater.catalog.load_history import LoadStatus
from headwater.catalog.pipes import PipeStatus
from headwater.errors import HeadwaterError
from headwater.pipes.listing import Listing


def statuses(intake: Intake, path: str) -> list[str]:
    return [entry.status.value for entry in intake.history(path)]


def test_a_skipped_file_is_left_alone_and_shown(intake: Intake) -> None:
    intake.drop("a.csv", "b.csv")
    said = intake.connection.sql("ALTER PIPE p SKIP FILE 'a.csv'").message
    assert said == f"pipe public.p leaves file://{intake.folder}/a.csv alone"
    intake.step()
    assert intake.rows == ["b.csv 1 0"]
    assert intake.files == ["a.csv"]
    (entry,) = intake.history("a.csv")
    assert entry.status is LoadStatus.SKIPPED
    assert entry.first_error == "skipped by tester; ALTER PIPE .. RETRY FILE loads it"
    assert intake.pipe.counters.skipped_files == 1


def test_to_skip_it_twice_is_once(intake: Intake) -> None:
    intake.drop("a.csv")
    for _ in range(2):
        intake.connection.sql("ALTER PIPE p SKIP FILE 'a.csv'")
    assert statuses(intake, "a.csv") == ["SKIPPED"]
    assert intake.pipe.counters.skipped_files == 1


def test_a_file_may_be_named_by_its_address(intake: Intake) -> None:
    intake.drop("a b.csv")
    intake.connection.sql(f"ALTER PIPE p SKIP FILE 'file://{intake.folder}/a b.csv'")
    assert statuses(intake, "a b.csv") == ["SKIPPED"]


def test_retry_loads_it_after_all(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.connection.sql("ALTER PIPE p SKIP FILE 'a.csv'")
    stepper = intake.stepper()
    stepper.step()
    assert intake.rows == []
    intake.connection.sql("ALTER PIPE p RETRY FILE 'a.csv'")
    stepper.step()
    stepper.close()
    assert intake.rows == ["a.csv 1 0"]
    assert statuses(intake, "a.csv") == ["LOADED"]


def test_another_file_of_that_name_is_a_new_one(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.connection.sql("ALTER PIPE p SKIP FILE 'a.csv'")
    intake.drop("a.csv", rows=2)
    intake.step()
    assert intake.rows == ["a.csv 2 0", "a.csv 2 1"]


def test_a_broken_file_that_stops_the_pipe_is_skipped_and_the_rest_is_loaded(
    intake: Intake,
) -> None:
    intake.drop("b.csv")
    (intake.folder / "a.csv").write_text(BROKEN)
    intake.step()
    assert intake.pipe.status is PipeStatus.INVALID
    intake.connection.sql("ALTER PIPE p SKIP FILE 'a.csv'")
    intake.connection.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    intake.step()
    assert intake.rows == ["b.csv 1 0"]
    assert intake.pipe.status is PipeStatus.RUNNING


def test_retry_tries_one_broken_file_again_and_no_other(new_intake: NewIntake) -> None:
    intake = new_intake()
    intake.make_pipe(options="ON_ERROR = CONTINUE")
    for name in ("a.csv", "b.csv"):
        (intake.folder / name).write_text(BROKEN)
    intake.step()
    before = {name: intake.history(name)[0].job_id for name in ("a.csv", "b.csv")}
    intake.connection.sql("ALTER PIPE p RETRY FILE 'a.csv'")
    assert statuses(intake, "a.csv") == []
    intake.step()
    after = {name: intake.history(name)[0].job_id for name in ("a.csv", "b.csv")}
    assert after["a.csv"] != before["a.csv"]
    assert after["b.csv"] == before["b.csv"]


def test_a_batch_that_is_done_again_leaves_out_what_was_skipped_meanwhile(intake: Intake) -> None:
    intake.drop("a.csv", "b.csv")
    source = Listing(intake.lake, intake.opened)
    batch = source.look(1).batch
    assert batch is not None
    intake.connection.sql("ALTER PIPE p SKIP FILE 'a.csv'")
    again = source.again(batch)
    assert again is not None
    assert [file.path for file in again.files] == ["b.csv"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("order", "condition"),
    [
        ("SKIP FILE 'gone.csv'", "FILE_NOT_FOUND"),
        ("SKIP FILE '../a.csv'", "FILE_PATH_REFUSED"),
        ("SKIP FILE 'loaded.csv'", "PIPE_FILE_LOADED"),
        ("RETRY FILE 'new.csv'", "PIPE_FILE_NOT_LEFT_OUT"),
        ("RETRY FILE 'loaded.csv'", "PIPE_FILE_NOT_LEFT_OUT"),
    ],
)
def test_what_cannot_be_ordered(intake: Intake, order: str, condition: str) -> None:
    intake.drop("loaded.csv")
    intake.connection.sql("COPY INTO t FROM VOLUME v (line STRING) USING CSV")
    intake.drop("new.csv")
    with pytest.raises(HeadwaterError, match=condition):
        intake.connection.sql(f"ALTER PIPE p {order}")
