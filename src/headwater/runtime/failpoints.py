"""Places where a test may kill this process, to prove that a crash there loses nothing.

HEADWATER_FAILPOINT=<name> makes the process send itself SIGKILL when it gets there: no handler
runs, nothing is flushed, exactly as if the machine had lost its power. HEADWATER_FAILPOINT_TIME=3
means the third time it gets there. HEADWATER_FAILPOINT_SIGNAL names another signal: SIGSTOP freezes
the process, which may then wake up when everybody takes it for dead.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter

_reached: Counter[str] = Counter()


def reach(name: str) -> None:
    """Die here if the environment says so."""
    if is_the_place(name):
        end_here()


def is_the_place(name: str) -> bool:
    """Whether the environment names this place, and this time that it is reached."""
    if os.environ.get("HEADWATER_FAILPOINT") != name:
        return False
    _reached[name] += 1
    return _reached[name] == int(os.environ.get("HEADWATER_FAILPOINT_TIME", "1"))


def end_here() -> None:
    """Send this process the signal."""
    number = os.environ.get("HEADWATER_FAILPOINT_SIGNAL", "SIGKILL")
    # Sent to the process, another thread might take it first, and this one would get further.
    signal.pthread_kill(threading.get_ident(), signal.Signals[number])
