"""What the numbers were taken on: enough to judge them, nothing that names the machine.

Also the size of this process, which the system knows best.
"""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

from headwater.lake.jars import locked_jars
from headwater.lake.java import find_java

_GIGABYTE = 1024**3


def describe_machine() -> list[str]:
    """Cores, memory and versions, one line each."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIGABYTE
    return [
        f"{os.cpu_count()} cores, {memory:.0f} GB of memory, {platform.system()} "
        f"{platform.machine()}",
        f"Python {platform.python_version()}, Java {find_java().major}, "
        f"PySpark {version('pyspark')}, Delta {_delta_version()}, SQLAlchemy "
        f"{version('sqlalchemy')}, sqlglot {version('sqlglot')}",
    ]


def memory_megabytes() -> float:
    """How much memory this process has."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def _delta_version() -> str:
    coordinates = [jar.coordinate.split(":") for jar in locked_jars(["delta"])]
    return next(v for _, artifact, v in coordinates if artifact.startswith("delta-spark"))
