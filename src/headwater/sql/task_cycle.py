"""The SCHEDULE of a task: a cycle of minutes, hours or days, or a cron expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Any

from headwater.errors import UserError
from headwater.names import quote_literal
from headwater.sql.cron import Cron, read_cron
from headwater.sql.cursor import Cursor
from headwater.time_zones import zone_of

_AT_DAY = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\Z")
_AT_HOUR = re.compile(r":([0-5]\d)\Z")
_MOST = {"MINUTE": 59, "HOUR": 23}


class CycleUnit(StrEnum):
    """How long a cycle is, to the next unit; it decides which instances belong together."""

    MINUTE = "MINUTE"
    HOUR = "HOUR"
    DAY = "DAY"


@dataclass(frozen=True, slots=True)
class Cycle:
    """When a task runs. `time_zone` is None only until the task is stored."""

    unit: CycleUnit
    every: int = 1
    at: str = "00:00"
    """The minute of each hour as `:10`, or the time of each day as `02:30`."""
    cron: str | None = None
    first_day: str | None = None
    last_day: str | None = None
    time_zone: str | None = field(default=None)

    def to_sql(self) -> str:
        """The clause."""
        words = [self._rule()]
        if self.first_day is not None:
            words.append(f"FROM {quote_literal(self.first_day)}")
        if self.last_day is not None:
            words.append(f"TO {quote_literal(self.last_day)}")
        if self.time_zone is not None:
            words.append(f"TIME ZONE {quote_literal(self.time_zone)}")
        return f"SCHEDULE ({' '.join(words)})"

    def _rule(self) -> str:
        if self.cron is not None:
            return f"CRON {quote_literal(self.cron)}"
        if self.unit is CycleUnit.DAY:
            return f"DAILY AT {quote_literal(self.at)}"
        unit = self.unit if self.every == 1 else f"{self.unit}S"
        tail = f" AT {quote_literal(self.at)}" if self.unit is CycleUnit.HOUR else ""
        return f"EVERY {self.every} {unit}{tail}"

    def to_dict(self) -> dict[str, Any]:
        """For the catalog."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Cycle:
        """What `to_dict` gave."""
        return cls(**{**stored, "unit": CycleUnit(stored["unit"])})


@lru_cache(maxsize=1024)
def cron_of(cycle: Cycle) -> Cron:
    """Every cycle as the moments of a day and the days on which it runs."""
    if cycle.cron is not None:
        return read_cron(cycle.cron)
    if cycle.unit is CycleUnit.MINUTE:
        return Cron(tuple(range(0, 60, cycle.every)), tuple(range(24)))
    hour, minute = cycle.at.split(":")
    if cycle.unit is CycleUnit.HOUR:
        return Cron((int(minute),), tuple(range(0, 24, cycle.every)))
    return Cron((int(minute),), (int(hour),))


def parse_cycle(cursor: Cursor) -> Cycle:
    """Take `( <rule> [FROM 'day'] [TO 'day'] [TIME ZONE 'zone'] )`."""
    cursor.expect_symbol("(")
    cycle = _rule(cursor)
    if cursor.accept("FROM"):
        cycle = replace(cycle, first_day=_day(cursor))
    if cursor.accept("TO"):
        cycle = replace(cycle, last_day=_day(cursor))
    if cursor.accept("TIME", "ZONE"):
        cycle = replace(cycle, time_zone=_zone(cursor))
    cursor.expect_symbol(")")
    return cycle


def _rule(cursor: Cursor) -> Cycle:
    word = cursor.one_of(("EVERY", "DAILY", "CRON"))
    if word == "EVERY":
        return _every(cursor)
    if word == "DAILY":
        at = _at(cursor, _AT_DAY, "02:30") if cursor.accept("AT") else "00:00"
        return Cycle(CycleUnit.DAY, at=at.rjust(5, "0"))
    span = cursor.token.span
    text = " ".join(cursor.string("a cron expression").split())
    try:
        cron = read_cron(text)
    except ValueError as error:
        raise UserError("TASK_CRON", cron=text, problem=error, span=span) from None
    return Cycle(_unit_of(cron), cron=text)


def _unit_of(cron: Cron) -> CycleUnit:
    if len(cron.minutes) > 1:
        return CycleUnit.MINUTE
    return CycleUnit.HOUR if len(cron.hours) > 1 else CycleUnit.DAY


def _every(cursor: Cursor) -> Cycle:
    token = cursor.token
    every = cursor.integer("how many minutes or hours") if token.kind == "number" else 1
    unit = CycleUnit(cursor.one_of(("MINUTE", "MINUTES", "HOUR", "HOURS")).removesuffix("S"))
    if not 1 <= every <= _MOST[unit]:
        raise UserError(
            "TASK_CYCLE", every=every, unit=unit.lower(), most=_MOST[unit], span=token.span
        )
    if unit is CycleUnit.MINUTE:
        return Cycle(unit, every)
    return Cycle(unit, every, _at(cursor, _AT_HOUR, ":10") if cursor.accept("AT") else ":00")


def _at(cursor: Cursor, shape: re.Pattern[str], example: str) -> str:
    span = cursor.token.span
    text = cursor.string("a time").strip()
    if not shape.match(text):
        raise UserError("TASK_TIME", given=text, example=example, span=span)
    return text


def _day(cursor: Cursor) -> str:
    span = cursor.token.span
    text = cursor.string("a day")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UserError("TASK_TIME", given=text, example="2026-12-31", span=span) from None


def _zone(cursor: Cursor) -> str:
    span = cursor.token.span
    name = cursor.string("a time zone")
    try:
        zone_of(name)
    except ValueError:
        raise UserError("TASK_TIME", given=name, example="Europe/Berlin", span=span) from None
    return name
