"""Which instances wait for which, and circles."""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.tasks.definitions import a_cycle, a_task, name_of

from headwater.tasks.dependencies import downstream_of, find_circle, in_order, overlapping

DAY = datetime(2026, 11, 15, tzinfo=UTC)


def waits_for(cycle: str, upstream: str, at: str) -> list[str]:
    hours, minutes = map(int, at.split(":"))
    plan = DAY + timedelta(hours=hours, minutes=minutes)
    found = overlapping(a_cycle(cycle), a_cycle(upstream), plan)
    assert all(moment.date() == DAY.date() for moment in found)
    return [f"{moment:%H:%M}" for moment in found]


def test_the_same_cycle_is_one_to_one() -> None:
    assert waits_for("EVERY 5 MINUTES", "EVERY 5 MINUTES", "10:05") == ["10:05"]
    assert waits_for("EVERY 1 HOUR AT ':40'", "EVERY 1 HOUR AT ':10'", "10:40") == ["10:10"]
    assert waits_for("EVERY 1 HOUR AT ':10'", "EVERY 1 HOUR AT ':40'", "10:10") == ["10:40"]
    assert waits_for("DAILY AT '02:30'", "DAILY AT '23:00'", "02:30") == ["23:00"]


def test_a_day_waits_for_all_hours_and_minutes_in_it() -> None:
    hours = [f"{hour:02d}:10" for hour in range(24)]
    assert waits_for("DAILY AT '02:30'", "EVERY 1 HOUR AT ':10'", "02:30") == hours
    assert len(waits_for("DAILY AT '02:30'", "EVERY 10 MINUTES", "02:30")) == 144


def test_an_hour_waits_for_the_day_around_it() -> None:
    assert waits_for("EVERY 1 HOUR AT ':10'", "DAILY AT '02:30'", "23:10") == ["02:30"]
    assert waits_for("EVERY 5 MINUTES", "EVERY 1 HOUR AT ':30'", "10:05") == ["10:30"]


def test_minutes_of_other_lengths_overlap() -> None:
    assert waits_for("EVERY 10 MINUTES", "EVERY 5 MINUTES", "10:10") == ["10:10", "10:15"]
    assert waits_for("EVERY 5 MINUTES", "EVERY 10 MINUTES", "10:15") == ["10:10"]
    assert waits_for("EVERY 2 HOURS AT ':00'", "EVERY 3 HOURS AT ':00'", "02:00") == [
        "00:00",
        "03:00",
    ]


def test_who_does_not_run_that_day_is_not_waited_for() -> None:
    assert DAY.isoweekday() == 7
    assert waits_for("DAILY AT '02:30'", "CRON '0 0 1 ? * MON *'", "02:30") == []


def test_a_circle_is_found_however_long_it_is() -> None:
    names = [name_of(str(number)) for number in range(5_000)]
    chain = {name: (before,) for before, name in itertools.pairwise(names)}
    assert find_circle(chain) is None
    circle = find_circle({**chain, names[0]: (names[-1],)})
    assert circle is not None
    assert circle[0] == circle[-1]
    assert len(circle) == len(names) + 1
    assert find_circle({names[0]: (names[0],)}) == [names[0], names[0]]


@pytest.mark.parametrize("round", range(20))
def test_random_tasks_come_behind_what_they_wait_for(round: int) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    names = [name_of(str(number)) for number in range(30)]
    after = {
        name: tuple(chance.sample(names[:place], min(place, chance.randrange(4))))
        for place, name in enumerate(names)
    }
    shuffled = dict(chance.sample(sorted(after.items(), key=str), len(after)))
    order = in_order(shuffled)
    assert sorted(order, key=str) == sorted(names, key=str)
    assert all(order.index(up) < order.index(name) for name in names for up in after[name])


def test_downstream_is_found_over_several_steps() -> None:
    tasks = [a_task("c", after=("b",)), a_task("b", after=("a",)), a_task("a"), a_task("x")]
    assert [task.id for task in downstream_of(tasks, name_of("a"))] == ["b", "c"]
