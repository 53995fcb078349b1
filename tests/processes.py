"""Running a piece of Python in a process of its own, for tests that kill processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


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
