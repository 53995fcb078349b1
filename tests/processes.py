"""Processes of their own for tests that kill processes, and what the kernel says of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 180.0
Process = tuple[int, str]
"""A pid and the time its process started, so that a later one of the same pid is another."""


@contextmanager
def python(code: str, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A running `python -c code`, ended and waited for when the block is left."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read_line(process: subprocess.Popen[str]) -> str:
    """The next line the process prints, or its error output if it ended instead."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        assert process.stderr is not None
        raise AssertionError(process.stderr.read())
    return line.strip()


def java_children(parent: int) -> list[Process]:
    """The JVMs that a process started."""
    children = []
    for entry in Path("/proc").iterdir():
        fields = _stat_fields(entry.name) if entry.name.isdigit() else None
        if fields and fields[1] == str(parent) and _name_of(entry.name) == "java":
            children.append((int(entry.name), fields[19]))
    return children


def lives(process: Process) -> bool:
    """Whether it still runs."""
    pid, started = process
    fields = _stat_fields(str(pid))
    return fields is not None and fields[0] != "Z" and fields[19] == started


def _stat_fields(pid: str) -> list[str] | None:
    """What /proc says behind the name of the process: state, parent .. start time."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _name_of(pid: str) -> str:
    with suppress(OSError):
        return Path("/proc", pid, "comm").read_text().strip()
    return ""


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Ask until it is so, soon again at first; `what` is said if it never is."""
    deadline = time.monotonic() + PATIENCE
    pause = 0.01
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(pause)
        pause = min(2 * pause, 0.1)
