"""Statements on a thread of their own, so that a signal cancels one instead of cutting it in two.

Law: no exception is ever thrown into the middle of a statement. The main thread waits; a signal
wakes it, it asks the statement to stop, and waits until that has said how it ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import click

from headwater.cli.signals import Interrupt, leave_now
from headwater.errors import HeadwaterError
from headwater.result import Result

if TYPE_CHECKING:
    from headwater.dbapi import Connection

Step = Callable[[], Any]
Wait = Callable[[threading.Event], None]

_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TimedResult:
    """What a statement gave back and how long it took."""

    result: Result
    seconds: float


@dataclass(slots=True)
class _Task:
    step: Step
    done: threading.Event = field(default_factory=threading.Event)
    value: Any = None
    error: BaseException | None = None


class StatementThread:
    """Runs the statements of one connection, one after the other."""

    def __init__(
        self,
        connection: Connection,
        *,
        wait: Wait | None = None,
        patience: float | None = _PATIENCE_SECONDS,
    ) -> None:
        """
        Args:
            connection: whose statements run.
            wait: how to pass the time until a statement is done; the place for a progress line.
            patience: how many seconds a cancelled statement has to end before the process leaves
                without it; None for as long as it takes.
        """
        self._connection = connection
        self._wait = wait or threading.Event.wait
        self._patience = patience
        self._tasks: SimpleQueue[_Task] = SimpleQueue()
        threading.Thread(target=self._work, name="headwater-statement", daemon=True).start()

    def run(self, script: str) -> Iterator[TimedResult]:
        """Run the statements of a script, giving each result as it comes."""
        results = self._connection.statements(script)
        while True:
            started = time.monotonic()
            result = self.call(lambda: next(results, None))
            if result is None:
                return
            yield TimedResult(result, time.monotonic() - started)

    def call(self, step: Step) -> Any:
        """Do one thing on the thread; a signal cancels what the connection runs."""
        task = _Task(step)
        self._tasks.put(task)
        try:
            self._wait(task.done)
        except KeyboardInterrupt as error:
            interrupt = Interrupt.of(error)
            self._cancel(task, interrupt)
            raise Interrupt(interrupt.number, outcome=_outcome(task)) from task.error
        if task.error is not None:
            raise task.error
        return task.value

    def _cancel(self, task: _Task, interrupt: Interrupt) -> None:
        """Ask the statement to end and see it end; a second signal leaves at once."""
        try:
            # The statement ends by itself in the worst case, and then says so.
            with suppress(HeadwaterError):
                self._connection.cancel()
            if not interrupt.ends_process and self._patience is None:
                click.echo("cancelling; press Ctrl-C again to leave at once", err=True)
            patience = _PATIENCE_SECONDS if interrupt.ends_process else self._patience
            finished = task.done.wait(patience)
        except KeyboardInterrupt as again:
            leave_now(Interrupt.of(again).number)
        if not finished:
            click.echo("the statement does not stop; leaving without it", err=True)
            leave_now(interrupt.number)

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            try:
                task.value = task.step()
            except BaseException as error:
                # Raised again in the thread that waits.
                task.error = error
            task.done.set()


def _outcome(task: _Task) -> str:
    if task.error is not None:
        return str(task.error)
    if isinstance(task.value, Result):
        return "the statement had finished before it could be cancelled"
    return ""
