"""The lines of a job's profile, as DESC JOB shows them, read back into numbers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

_STAGE = re.compile(
    r"stage (?P<id>\d+) of Spark job (?P<spark_job>\d+), began after (?P<after>-?[\d.]+) s,"
    r" took (?P<took>[\d.]+) s, (?P<tasks>[\d,]+) tasks?, (?P<rows_in>[\d,]+) rows? in,"
    r" (?P<rows_out>[\d,]+) rows? out"
)
_OPERATOR = re.compile(r"(?P<blank>\s*)(?P<text>.*?)(?:  \[(?P<rules>[^\[\]]*)\])?$")


@dataclass(frozen=True, slots=True)
class StageLine:
    """A stage of Spark's work: when it began after the job, and how long it took."""

    id: int
    spark_job: int
    after: float
    took: float
    tasks: int
    rows_in: int
    rows_out: int


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """An operator of a plan, how deep it stands, and the rules that find its change."""

    depth: int
    text: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """What DESC JOB says: facts by their names, and the lines that come several times."""

    facts: dict[str, Any]
    plan: list[OperatorLine] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    stages: list[StageLine] = field(default_factory=list)


def profile_in(rows: Iterable[Sequence[Any]]) -> Profile:
    """The profile in the rows of DESC JOB."""
    found = Profile({})
    for name, value, *_ in rows:
        if name == "incremental_plan":
            found.plan.append(operator_in(value))
        elif name == "source":
            found.sources.append(value)
        elif name == "stage":
            stage = stage_in(value)
            if stage is not None:
                found.stages.append(stage)
        else:
            found.facts[name] = value
    return found


def stage_in(line: str) -> StageLine | None:
    """A stage; None for a line of another form.

    >>> stage_in("stage 3 of Spark job 1, began after 0.250 s, took 1.500 s, 2 tasks,"
    ...     " 1,000 rows in, 1 row out")
    StageLine(id=3, spark_job=1, after=0.25, took=1.5, tasks=2, rows_in=1000, rows_out=1)
    """
    found = _STAGE.match(line)
    if found is None:
        return None
    number = {name: text.replace(",", "") for name, text in found.groupdict().items()}
    return StageLine(
        int(number["id"]),
        int(number["spark_job"]),
        float(number["after"]),
        float(number["took"]),
        int(number["tasks"]),
        int(number["rows_in"]),
        int(number["rows_out"]),
    )


def operator_in(line: str) -> OperatorLine:
    """An operator with its place in the tree.

    >>> operator_in("    Scan public.t [k#1]  [CHANGES, rows only come]")
    OperatorLine(depth=2, text='Scan public.t [k#1]', rules=('CHANGES', 'rows only come'))
    """
    found = _OPERATOR.match(line)
    assert found is not None, "every text has this form"
    rules = found["rules"]
    return OperatorLine(
        len(found["blank"]) // 2,
        found["text"],
        () if rules is None else tuple(rule.strip() for rule in rules.split(",")),
    )
