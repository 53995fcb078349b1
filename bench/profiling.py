"""A closer look on request: which functions a statement spends its time in, which imports cost."""

from __future__ import annotations

import cProfile
import pstats
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_MOST_LINES = 40
_MOST_IMPORTS = 10
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|(\s+)(\S+)")


def print_profile(title: str, run: Callable[[], object], *, times: int) -> None:
    """Print the functions of ours in which `run` spent most CPU time, with what they call.

    CPU time of this thread, because waiting, for the JVM or for a core, would drown all of it.
    """
    profile = cProfile.Profile(time.thread_time)
    profile.enable()
    for _ in range(times):
        run()
    profile.disable()
    print(f"\n--- {title}, {times} times, CPU seconds of Python ---")
    pstats.Stats(profile).sort_stats("cumulative").print_stats("headwater", _MOST_LINES)


def slowest_imports(command: Sequence[str | Path]) -> list[str]:
    """The modules that took most time to import by themselves, in a Python command."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = [
        (int(match[1]), int(match[2]), match[4])
        for match in map(_IMPORT.match, done.stderr.splitlines())
        if match
    ]
    slowest = sorted(found, reverse=True)[:_MOST_IMPORTS]
    total = sum(own for own, _, _ in found)
    lines = [
        f"{own / 1000:7.1f} ms itself {below / 1000:7.1f} ms with its own  {name}"
        for own, below, name in slowest
    ]
    return [f"{total / 1000:7.1f} ms for all {len(found)} imports", *lines]
