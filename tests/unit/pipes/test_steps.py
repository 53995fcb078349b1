"""One step of a pipe, with Spark replaced by a fake: what it did is told by catalog and table."""

from __future__ import annotations

from tests.unit.pipes.conftest import Intake

from headwater.pipes.steps import Outcome


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
