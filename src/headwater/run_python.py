"""A Python script in a process of its own.

Invariant: the process ends with this one, however this one ends: it watches the pipe to it. It gets
parameters and none of this process's credentials; where this process serves the lake, it gets a
pass of its owner, which is good until it ends and which its log does not show.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from headwater.errors import UserError
from headwater.sql.credentials import is_credential
from headwater.tasks.attempt import Attempt

PARAMETER = "HEADWATER_TASK_"
"""What the variable of a parameter begins with."""
LAKE, TOKEN, CA_FILE = "HEADWATER_LAKE", "HEADWATER_TOKEN", "HEADWATER_CA_FILE"
"""Where the lake is, what lets in there, and whom to trust: the names the command line reads."""
_OURS = "HEADWATER_"
_SHELL = """
import os, runpy, sys, threading
parent = os.dup(0)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
def watch():
    while os.read(parent, 1):
        pass
    os._exit(97)
threading.Thread(target=watch, daemon=True).start()
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def run_python(
    script: str, parameters: Mapping[str, str], attempt: Attempt, *, reach: Mapping[str, str]
) -> None:
    """Run a script to its end; every line that it prints goes into the log.

    `reach` has the variables by which it finds the lake.
    """
    hidden = reach.get(TOKEN)
    with tempfile.TemporaryDirectory(prefix="headwater-task-") as folder:
        path = Path(folder) / "task.py"
        path.write_text(script, encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", _SHELL, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=_environment(parameters, reach),
            text=True,
            errors="replace",
            start_new_session=True,
        )
        end = _Ending(process)
        try:
            attempt.stoppable(end)
            assert process.stdout is not None
            for line in process.stdout:
                said = line.rstrip("\n")
                attempt.say(said if hidden is None else said.replace(hidden, "****"))
            code = process.wait()
        finally:
            attempt.stoppable(None)
            end()
            if process.stdin is not None:
                process.stdin.close()
            process.wait()
    attempt.require_wanted()
    if code:
        raise UserError("TASK_SCRIPT_FAILED", code=code)


def _environment(parameters: Mapping[str, str], reach: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OURS) and not is_credential(name, is_setting=True)
    }
    given = {f"{PARAMETER}{name}": value for name, value in parameters.items()}
    return {**kept, **given, **reach}


class _Ending:
    """Ends a process and what it started: politely when first asked, then for good."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = False

    def __call__(self) -> None:
        number = signal.SIGKILL if self._asked else signal.SIGTERM
        self._asked = True
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
