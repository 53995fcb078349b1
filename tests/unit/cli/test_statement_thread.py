"""A signal cancels the running statement and waits for its end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from io import StringIO

import pytest

from headwater.cli import progress, statement_thread
from headwater.cli.progress import progress_line
from headwater.cli.signals import Interrupt, stop_signals
from headwater.cli.statement_thread import StatementThread
from headwater.errors import UserError
from headwater.result import Result


class SlowConnection:
    """Stands for a connection whose statements take until they are cancelled."""

    def __init__(self, *, obeys: bool = True, succeeds: bool = False) -> None:
        self.cancelled = threading.Event()
        self.running = threading.Event()
        self.threads: list[str] = []
        self.obeys = obeys
        self.succeeds = succeeds

    def statements(self, script: str) -> Iterator[Result]:
        for word in script.split(";"):
            self.threads.append(threading.current_thread().name)
            if word == "wait":
                self.running.set()
                self.cancelled.wait(5)
                if not self.succeeds:
                    raise UserError("JOB_CANCELLED", job_id="42")
            yield Result(message=word)

    def cancel(self) -> None:
        if self.obeys:
            self.cancelled.set()

    def progress(self) -> tuple[int, int]:
        return 1, 2


def interrupting(connection: SlowConnection, number: int) -> None:
    """Sends this process a signal once the statement runs."""

    def send() -> None:
        assert connection.running.wait(5)
        time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident, number)

    threading.Thread(target=send, daemon=True).start()


def test_statements_run_on_one_other_thread_and_are_timed():
    connection = SlowConnection()
    results = list(StatementThread(connection).run("a;b"))
    assert [timed.result.message for timed in results] == ["a", "b"]
    assert all(0 <= timed.seconds < 5 for timed in results)
    assert set(connection.threads) == {"headwater-statement"}


def test_an_error_of_the_statement_arrives_as_it_is():
    connection = SlowConnection()
    connection.cancelled.set()
    thread = StatementThread(connection)
    with pytest.raises(UserError, match="JOB_CANCELLED"):
        list(thread.run("wait"))
    assert [timed.result.message for timed in thread.run("again")] == ["again"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_and_tells_what_became_of_the_statement(number):
    connection = SlowConnection()
    interrupting(connection, number)
    with pytest.raises(Interrupt) as caught, stop_signals():
        list(StatementThread(connection).run("wait;never"))
    assert connection.cancelled.is_set()
    assert caught.value.number == number
    assert caught.value.outcome == "JOB_CANCELLED: job 42 was cancelled"
    assert len(connection.threads) == 1


def test_a_statement_that_was_faster_than_the_signal_says_so():
    connection = SlowConnection(succeeds=True)
    interrupting(connection, signal.SIGINT)
    with pytest.raises(Interrupt, match="finished before it could be cancelled"):
        list(StatementThread(connection).run("wait"))


def test_a_statement_that_does_not_end_is_left_behind(monkeypatch):
    class Left(BaseException):
        pass

    def leave(number: int) -> None:
        raise Left(number)

    monkeypatch.setattr(statement_thread, "leave_now", leave)
    connection = SlowConnection(obeys=False)
    interrupting(connection, signal.SIGINT)
    with pytest.raises(Left):
        list(StatementThread(connection, patience=0.05).run("wait"))
    connection.cancelled.set()


def test_a_statement_that_takes_long_shows_how_far_it_is(monkeypatch):
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.01)
    monkeypatch.setattr(progress, "_EVERY_SECONDS", 0.01)
    connection = SlowConnection(succeeds=True)
    asked = list[int]()

    def tasks() -> tuple[int, int]:
        asked.append(1)
        if len(asked) == 3:
            raise ConnectionRefusedError
        if len(asked) == 5:
            connection.cancel()
        return (3, 10) if len(asked) > 1 else (0, 0)

    wait = progress_line(tasks, wanted=True)
    [timed] = StatementThread(connection, wait=wait).run("wait")
    assert timed.result.message == "wait"
    assert "3/10 tasks" in terminal.getvalue()
    assert "0/0 tasks" not in terminal.getvalue()


def test_no_progress_line_where_nobody_would_see_it(monkeypatch):
    connection = SlowConnection()
    assert progress_line(connection.progress, wanted=False) is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert progress_line(connection.progress, wanted=True) is None
