"""The newest figures of every benchmark, kept as `bench/figures.json` for the page to be made of.

A run of one benchmark replaces its own figures and leaves the others; each keeps the day, the
machine and the load it was taken under.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from bench.machine import describe_machine
from bench.outcome import Findings, Outcome
from bench.scratch import ROOT

KEPT = ROOT / "bench" / "figures.json"


@dataclass(frozen=True, slots=True)
class Figures:
    """What one benchmark found, when, on what, and how many processes wanted a core meanwhile."""

    findings: Findings
    day: str
    machine: tuple[str, ...]
    load: float


def taken_now(findings: Findings, *, load: float) -> Figures:
    """Findings of this moment on this machine."""
    return Figures(findings, f"{datetime.now(UTC):%Y-%m-%d}", tuple(describe_machine()), load)


def kept_figures(order: Iterable[str]) -> dict[str, Figures]:
    """The kept figures of the benchmarks that still exist, in their order."""
    if not KEPT.exists():
        return {}
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    return {name: _figures(kept[name]) for name in order if name in kept}


def keep(figures: Mapping[str, Figures]) -> None:
    """Write all figures down."""
    text = json.dumps({name: asdict(found) for name, found in figures.items()}, indent=1)
    KEPT.write_text(text + "\n", encoding="utf-8")


def _figures(kept: dict[str, object]) -> Figures:
    findings, machine = kept["findings"], kept["machine"]
    assert isinstance(findings, dict)
    assert isinstance(machine, list)
    outcomes = tuple(Outcome(**outcome) for outcome in findings["outcomes"])
    return Figures(
        Findings(outcomes, tuple(findings["notes"])),
        str(kept["day"]),
        tuple(machine),
        float(str(kept["load"])),
    )
