"""Places where a test may kill this process, to prove that a crash there loses nothing.

HEADWATER_FAILPOINT=<name> makes the process send itself SIGKILL when it gets there: no handler
runs, nothing is flushed, exactly as if the machine had lost its power.
"""

from __future__ import annotations

import os
import signal


def reach(name: str) -> None:
    """Die here if the environment says so."""
    if os.environ.get("HEADWATER_FAILPOINT") == name:
        os.kill(os.getpid(), signal.SIGKILL)
