"""Where benchmarks work: a temporary folder with lakes in it, gone at the end."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.dbapi import Connection

HEADWATER = Path(sys.executable).with_name("headwater")
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Scratch:
    """What every benchmark is given; `profile` asks for a closer look at where the time goes."""

    folder: Path
    started: float
    profile: bool = False

    def say(self, text: str) -> None:
        """Tell whoever waits what is going on."""
        print(f"[{time.monotonic() - self.started:5.0f} s] {text}", flush=True)

    @cached_property
    def cold_lake(self) -> Path:
        """A lake with one table `t`, made by a process of its own: this one has no Spark yet."""
        self.say("making a lake with one table")
        path = self.folder / "cold"
        script = (
            "CREATE TABLE t (id INT, name STRING, amount DECIMAL(10,2));"
            "INSERT INTO t SELECT CAST(id AS INT), 'n' || id, id / 2 FROM range(1000)"
        )
        subprocess.run(
            [HEADWATER, "sql", "--lake", path, "--quiet", "-e", script],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return path


def rows_of(connection: Connection, text: str) -> Callable[[], object]:
    """Runs a statement and takes its rows into Python, when called."""
    return lambda: connection.sql(text).rows


@contextmanager
def scratch(*, profile: bool) -> Iterator[Scratch]:
    """A scratch folder that is removed whatever happens."""
    folder = Path(tempfile.mkdtemp(prefix="headwater-bench-"))
    try:
        yield Scratch(folder, time.monotonic(), profile)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
