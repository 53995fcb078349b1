"""One table for the terminal, and the same one in `docs/benchmarks.md` with method and machine."""

from __future__ import annotations

from collections.abc import Mapping

from bench.figures import Figures
from bench.outcome import Findings
from bench.scratch import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
_BEGIN, _END = "<!-- bench: begin -->", "<!-- bench: end -->"
_HEADERS = ("benchmark", "case", "Headwater", "against", "measured", "target", "verdict")


def as_table(findings: Mapping[str, Findings]) -> str:
    """All outcomes as a Markdown table, which reads well on a terminal too."""
    return _table(_HEADERS, _rows(findings))


def _table(headers: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    rows = [headers, *body]
    widths = [max(len(row[i]) for row in rows) for i in range(len(headers))]
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


def write_page(figures: Mapping[str, Figures], *, methods: Mapping[str, str]) -> None:
    """Replace what stands between the markers of the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    body = "\n".join(_sections(figures, methods=methods))
    PAGE.write_text(f"{before}{_BEGIN}\n{body}\n{_END}{after}", encoding="utf-8")


def _sections(figures: Mapping[str, Figures], *, methods: Mapping[str, str]) -> list[str]:
    findings = {name: found.findings for name, found in figures.items()}
    machines = dict.fromkeys(line for found in figures.values() for line in found.machine)
    runs = [(name, found.day, f"{found.load:.1f}") for name, found in figures.items()]
    return [
        as_table(findings),
        "",
        "## What the time goes into",
        "",
        *(f"- {note}" for note in notes(findings)),
        "",
        "## When, and on what",
        "",
        *(f"- {line}" for line in machines),
        "",
        "The load is the average number of processes that wanted a core at the end of the run, its",
        "own included; much more than the number of cores means that the machine was shared.",
        "",
        _table(("benchmark", "day", "load"), runs),
        "",
        "## What each benchmark does",
        "",
        *(f"- `{name}`: {text}" for name, text in methods.items()),
    ]
