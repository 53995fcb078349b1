"""Signals that end the process: each arrives as an exception in the main thread, so `finally` runs.

The lease is given back and the JVM stopped on SIGTERM and on a closed terminal as on Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any, NoReturn

_TERMINATING = (signal.SIGTERM, signal.SIGHUP)


class Interrupt(KeyboardInterrupt):
    """A signal asked to stop; `outcome` is what became of the statement that ran."""

    def __init__(self, number: int = signal.SIGINT, *, outcome: str = "") -> None:
        self.number = number
        self.outcome = outcome
        super().__init__(outcome)

    @classmethod
    def of(cls, error: KeyboardInterrupt) -> Interrupt:
        """Python's own exception for Ctrl-C in this shape."""
        return error if isinstance(error, Interrupt) else cls()

    @property
    def ends_process(self) -> bool:
        """Whether even an interactive shell must end; Ctrl-C only ends the statement."""
        return self.number != signal.SIGINT


def stop_signals() -> AbstractContextManager[None]:
    """Inside, SIGTERM and SIGHUP raise `Interrupt`."""
    return deliver_stops(_raise)


@contextmanager
def deliver_stops(deliver: Callable[[Interrupt], None]) -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP are handed to `deliver`, in the main thread."""

    def handle(number: int, _frame: FrameType | None) -> None:
        deliver(Interrupt(number))

    # nohup says that a closed terminal is no reason to stop
    wanted = [n for n in _TERMINATING if signal.getsignal(n) is not signal.SIG_IGN]
    with _handled(wanted, handle):
        yield


def undisturbed() -> AbstractContextManager[None]:
    """Inside, signals are ignored: giving the lake back must not stop half-way."""
    return _handled((signal.SIGINT, *_TERMINATING), signal.SIG_IGN)


@contextmanager
def _handled(numbers: Sequence[signal.Signals], handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def leave_now(number: int) -> NoReturn:
    """End at once, as by this signal.

    Nothing is lost: the JVM ends when its standard input closes, and the lake can be taken over
    because its holder's process is gone.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            continue
    os._exit(128 + number)


def _raise(interrupt: Interrupt) -> NoReturn:
    raise interrupt
