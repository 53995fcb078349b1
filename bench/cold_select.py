"""The first SELECT from cold against a bare PySpark script on the same Delta table.

The bare script gets the jars, the JVM and the Spark settings that Headwater uses, so the ratio
shows what Headwater adds and not what other settings would.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import Contender, Duel, Samples, interleave
from bench.outcome import Findings, Outcome, shown, times_rival
from bench.scratch import HEADWATER, ROOT, Scratch
from headwater.config import load_config
from headwater.lake.engine_settings import context_settings
from headwater.lake.jars import jar_paths
from headwater.lake.java import find_java

MOST_TIMES = 1.3
_ROUNDS = 4
_MOST_SECONDS = 100.0
_QUERY = "SELECT count(*) FROM t"


@dataclass
class _Process:
    """A command, and for each of its runs: seconds to the first row, steps, CPU seconds."""

    name: str
    command: list[str | Path]
    first_row: list[float] = field(default_factory=list)
    steps: list[dict[str, float]] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Run to the end, noting when the first line came."""
        before = os.times()
        started = time.perf_counter()
        with subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
        ) as child:
            assert child.stdout is not None
            line = child.stdout.readline()
            self.first_row.append(time.perf_counter() - started)
            last = child.stdout.read()
        assert child.returncode == 0, f"{self.name} ended with exit code {child.returncode}"
        after = os.times()
        spent = after.children_user + after.children_system
        spent -= before.children_user + before.children_system
        self.cpu.append(json.loads(last)["cpu"] if last.startswith("{") else spent)
        if line.startswith("{"):
            self.steps.append(json.loads(line))

    @property
    def samples(self) -> Samples:
        """The seconds to the first row."""
        return Samples(self.name, tuple(self.first_row))

    @property
    def step_text(self) -> str:
        """The median of each step."""
        names = self.steps[0] if self.steps else {}
        medians = {name: statistics.median(s[name] for s in self.steps) for name in names}
        return ", ".join(f"{name} {shown(seconds)}" for name, seconds in medians.items())


def run(scratch: Scratch) -> Findings:
    """Measure the command, Python and the bare script in turn."""
    lake = scratch.cold_lake
    command = _Process(
        "headwater sql", [HEADWATER, "sql", "--lake", lake, "-o", "csv", "-e", _QUERY]
    )
    python = _Process("headwater.connect", [sys.executable, _child("cold_connect"), lake, _QUERY])
    bare = _Process("bare PySpark", [sys.executable, _child("cold_bare"), _bare_settings(scratch)])
    processes = (command, python, bare)
    scratch.say(f"first SELECT from cold, three ways: {_ROUNDS} rounds")
    whole = interleave(
        [Contender(process.name, process.run) for process in processes],
        rounds=_ROUNDS,
        most_seconds=_MOST_SECONDS,
    )
    outcomes = [
        _outcome(process.name + suffix, ours, theirs)
        for process, end in zip(processes[:2], whole[:2], strict=True)
        for suffix, ours, theirs in (
            (", to the first row", process.samples, bare.samples),
            (", to the end of the process", end, whole[2]),
        )
    ]
    notes = [f"{p.name}: {p.step_text}" for p in processes if p.steps]
    cpu = ", ".join(f"{p.name} {shown(statistics.median(p.cpu))}" for p in processes)
    return Findings(tuple(outcomes), (*notes, f"CPU time, which neighbours hardly change: {cpu}"))


def _outcome(case: str, ours: Samples, theirs: Samples) -> Outcome:
    return times_rival(case, Duel(ours, theirs), most=MOST_TIMES)


def _child(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.py")


def _bare_settings(scratch: Scratch) -> str:
    """Everything the bare script needs, worked out here so that it pays for none of it."""
    lake = scratch.cold_lake
    settings = context_settings(load_config(lake), scratch=scratch.folder / "bare")
    settings["spark.driver.extraClassPath"] = ":".join(str(path) for path in jar_paths(["delta"]))
    (table,) = (lake / "tables" / "public").glob("t-*")
    query = _QUERY.replace("FROM t", f"FROM delta.`{table}`")
    return json.dumps({"java": str(find_java().home), "spark": settings, "query": query})
