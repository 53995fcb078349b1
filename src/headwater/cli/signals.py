"""Signals that end the process: each arrives as an exception in the main thread, so `finally` runs.

The lease is given back and the JVM stopped on SIGTERM and on a closed terminal as on Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

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


@contextmanager
def stop_signals() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise `Interrupt`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _TERMINATING}
    for number, handler in before.items():
        # nohup says that a closed terminal is no reason to stop
        if handler is not signal.SIG_IGN:
            signal.signal(number, _raise_interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, signals are ignored: giving the lake back must not stop half-way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, *_TERMINATING)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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


def _raise_interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    raise Interrupt(number)
