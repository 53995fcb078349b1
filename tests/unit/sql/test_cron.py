"""Cron expressions with seven fields, held against another reader of cron expressions."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from cronsim import CronSim

from headwater.sql.cron import read_cron
from headwater.sql.task_cycle import Cycle, CycleUnit
from headwater.tasks.times import times_between


@pytest.mark.parametrize(
    ("text", "minutes", "hours"),
    [
        ("0 30 2 * * ? *", (30,), (2,)),
        ("0 0/20 * * * ?", (0, 20, 40), tuple(range(24))),
        ("0 5-7 8,20 ? * MON-FRI *", (5, 6, 7), (8, 20)),
    ],
)
def test_the_times_of_a_day(text: str, minutes: tuple[int, ...], hours: tuple[int, ...]) -> None:
    cron = read_cron(text)
    assert (cron.minutes, cron.hours) == (minutes, hours)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 30 2", "3 fields"),
        ("5 30 2 * * ? *", "the second, must be 0"),
        ("0 60 2 * * ? *", "not within 0 and 59"),
        ("0 30 2 1 * MON *", "must be ?"),
        ("0 x 2 * * ? *", "X is no minute"),
        ("0 0/0 2 * * ? *", "repeats every 0"),
        ("0 5-2 2 * * ? *", "not within"),
    ],
)
def test_what_is_wrong_is_said(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem.replace("?", r"\?")):
        read_cron(text)


def test_the_last_day_of_a_month() -> None:
    cron = read_cron("0 0 0 L * ? *")
    days = [datetime(2028, 2, 28), datetime(2028, 2, 29), datetime(2028, 4, 30)]
    assert [cron.on(day.date()) for day in days] == [False, True, True]


def test_random_expressions_have_the_times_that_another_reader_finds() -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    for _ in range(60):
        minute = chance.choice(["*", "0/15", "3", "10-12", "1,59"])
        hour = chance.choice(["*", "0/6", "23", "8-10"])
        month = chance.choice(["*", "2", "1-6", "2/3"])
        by_day = chance.random() < 0.5
        day = chance.choice(["*", "1", "28", "10-20"]) if by_day else "?"
        weekday = "?" if by_day else chance.choice(["*", "MON", "MON-FRI", "SUN,SAT"])
        start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=chance.randrange(20_000))
        cycle = Cycle(CycleUnit.MINUTE, cron=f"0 {minute} {hour} {day} {month} {weekday} *")
        others = [part.replace("?", "*") for part in (day, month, weekday)]
        for name in weekdays:
            others[2] = others[2].replace(name, str(weekdays.index(name)))
        if others[2] == "0,6":
            others[2] = "6,7"
        fields = [_stars(minute), _stars(hour), others[0], _stars(others[1], 12), others[2]]
        oracle = CronSim(" ".join(fields), start)
        wanted = [next(oracle) for _ in range(5)]
        found = times_between(cycle, start, wanted[-1])
        assert list(found) == wanted, cycle.cron


def _stars(field: str, most: int | None = None) -> str:
    """`0/15` of Quartz as `*/15`, and `2/3` as `2-12/3`."""
    first, slash, step = field.partition("/")
    if not slash:
        return field
    return f"*/{step}" if most is None else f"{first}-{most}/{step}"
