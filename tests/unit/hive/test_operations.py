"""Statements under way: how they end, and that a cancel is never lost."""

from __future__ import annotations

import threading

import pytest

from headwater.errors import UserError
from headwater.hive.operations import Operation, State
from headwater.result import Result, string_columns


@pytest.mark.servers
def test_a_cancel_that_comes_before_the_work_can_hear_it_is_repeated():
    heard, stopped = threading.Event(), threading.Event()
    asked = list[int]()

    def stop() -> None:
        asked.append(1)
        if heard.is_set():
            stopped.set()

    def work() -> Result:
        assert stopped.wait(20)
        raise UserError("JOB_CANCELLED", job_id="j")

    operation = Operation(work, stop)
    operation.start()
    operation.cancel()
    assert not operation.wait(0.5)
    heard.set()
    assert operation.wait(20)
    assert operation.state is State.CANCELLED
    assert len(asked) > 1


def test_what_was_cancelled_before_it_began_never_runs():
    ran = list[int]()
    operation = Operation(lambda: ran.append(1) or Result())
    operation.cancel()
    operation.run()
    assert ran == []
    assert operation.wait(1)


def test_a_bug_is_an_error_and_not_the_end_of_the_client():
    operation = Operation(lambda: 1 / 0)
    operation.run()
    assert operation.state is State.FAILED
    assert operation.error is not None
    assert operation.error.condition == "BUG"


def test_rows_are_taken_in_turn_and_again():
    rows = [(str(i),) for i in range(5)]
    operation = Operation(lambda: Result.from_rows(string_columns("a"), rows))
    operation.run()
    assert operation.take(3) == (0, rows[:3])
    assert operation.take(3) == (3, rows[3:])
    assert operation.take(3) == (5, [])
    operation.rewind()
    assert operation.take(0) == (0, rows)
