"""One table for the terminal, and the same one in `docs/benchmarks.md` with method and machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bench.machine import describe_machine
from bench.outcome import Findings
from bench.scratch import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
_BEGIN, _END = "<!-- bench: begin -->", "<!-- bench: end -->"
_HEADERS = ("benchmark", "case", "Headwater", "against", "measured", "target", "verdict")
# Spark wants all cores for itself; beyond that somebody else is at work too.
_CALM = 1.5
_BUSY = (
    "- the machine was busy with other work: take absolute times and single verdicts with care, "
    "and look at the counts and CPU times below the table"
)


def as_table(findings: Mapping[str, Findings]) -> str:
    """All outcomes as a Markdown table, which reads well on a terminal too."""
    rows = [_HEADERS, *_rows(findings)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADERS))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) + " |" for r in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _rows(findings: Mapping[str, Findings]) -> list[tuple[str, ...]]:
    return [
        (name, o.case, o.ours, o.theirs, o.measured, o.target, o.verdict)
        for name, found in findings.items()
        for o in found.outcomes
    ]


def notes(findings: Mapping[str, Findings]) -> list[str]:
    """What the benchmarks have to say beside the table."""
    return [f"{name}: {note}" for name, found in findings.items() for note in found.notes]


def all_passed(findings: Mapping[str, Findings]) -> bool:
    """Whether every target was met."""
    return all(outcome.passed for found in findings.values() for outcome in found.outcomes)


def write_page(
    findings: Mapping[str, Findings], *, methods: Mapping[str, str], load: Sequence[float]
) -> None:
    """Replace what stands between the markers of the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    body = "\n".join(_sections(findings, methods=methods, load=load))
    PAGE.write_text(f"{before}{_BEGIN}\n{body}\n{_END}{after}", encoding="utf-8")


def _sections(
    findings: Mapping[str, Findings], *, methods: Mapping[str, str], load: Sequence[float]
) -> list[str]:
    shares = " to ".join(f"{share:.1f}" for share in sorted(load))
    busy = max(load) > _CALM * (os.cpu_count() or 1)
    return [
        f"Measured on {datetime.now(UTC):%Y-%m-%d}:",
        "",
        *(f"- {line}" for line in describe_machine()),
        f"- processes that wanted a core meanwhile, ours included (load average): {shares}",
        *([_BUSY] if busy else []),
        "",
        as_table(findings),
        "",
        "## What the time goes into",
        "",
        *(f"- {note}" for note in notes(findings)),
        "",
        "## What each benchmark does",
        "",
        *(f"- `{name}`: {text}" for name, text in methods.items()),
    ]
