"""`headwater sql -e "SHOW TABLES"` as a process of its own: no Spark, few imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.measure import Contender, interleave
from bench.outcome import Findings, below
from bench.profiling import slowest_imports
from bench.scratch import HEADWATER, Scratch

MOST_SECONDS = 1.0
_ROUNDS = 10


def run(scratch: Scratch) -> Findings:
    """Measure the command, beside a Python that does nothing."""
    arguments: list[str | Path] = ["sql", "--lake", scratch.cold_lake, "-e", "SHOW TABLES"]
    scratch.say(f"SHOW TABLES from cold: {_ROUNDS} rounds")
    ours, python = interleave(
        [
            Contender("headwater", lambda: _quiet([HEADWATER, *arguments])),
            Contender("empty Python", lambda: _quiet([sys.executable, "-c", "pass"])),
        ],
        rounds=_ROUNDS,
        warm_ups=1,
    )
    if scratch.profile:
        print("\n--- imports ---")
        command = [sys.executable, "-X", "importtime", "-m", "headwater.cli.main", *arguments]
        print("\n".join(slowest_imports(command)))
    outcome = below("SHOW TABLES as a command", ours, limit=MOST_SECONDS, rival=python)
    return Findings((outcome,))


def _quiet(command: list[str | Path]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
