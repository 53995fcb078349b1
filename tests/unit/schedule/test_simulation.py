"""Many random lives of a schedule: failures, crashes, slow refreshes, jumps of the clock, users.

The loop is the real one; lake, threads and time are fakes. Checked at every step: no table is
refreshed twice at once, parents come before children of a wave, a wave reads one version of each
table, no way through a diamond shows another version than the other, nothing suspended is
refreshed. When the faults end, everything becomes fresh and stays so. Repeat one with
HEADWATER_SCHEDULE_SEED=<seed>; HEADWATER_SEEDS=<n> runs more.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from tests.unit.schedule.fake_lake import START, FakeLake, FakePool, Submitted

from headwater.catalog.dynamic_tables import Refresh, Schedule
from headwater.catalog.schedules import FAILURES_TO_SUSPEND, ScheduledTable
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.names import QualifiedName
from headwater.refresh.pins import WavePins
from headwater.refresh.reasons import Reason
from headwater.schedule import loop as loop_module
from headwater.schedule import steps as steps_module
from headwater.schedule.due import due_since, joins
from headwater.schedule.graph import Graph
from headwater.schedule.loop import ScheduleLoop, Told
from headwater.schedule.waves import Wave

SEEDS = int(os.environ.get("HEADWATER_SEEDS", "20"))
STEPS = 600
CALM_STEPS = 250
CALM_STEP = timedelta(seconds=5)
LONGEST = 20
"""Seconds of a refresh in calm times."""


class Killed(BaseException):
    """The process is dead."""


class Wrong(BaseException):
    """A law is broken; no exception, which the loop would take for a failure of the table."""


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)


def a_schedule(dice: random.Random) -> Schedule | None:
    every = dice.choice([60, 60, 90, 300])
    kind = dice.random()
    if kind < 0.6:
        return Schedule(start=START, interval_seconds=every)
    if kind < 0.75:
        return Schedule(target_lag_seconds=4 * every)
    if kind < 0.9:
        return Schedule(downstream=True)
    if kind < 0.95:
        return Schedule(start_text="..", start=START + timedelta(seconds=every))
    return None


def a_lake(dice: random.Random) -> FakeLake:
    """Plain tables, and dynamic tables in layers above them."""
    lake = FakeLake()
    lake.plain = {f"s{number}": 1 for number in range(dice.randint(1, 3))}
    known = list(lake.plain)
    for number in range(dice.randint(4, 14)):
        sources = dice.sample(known, dice.randint(1, min(3, len(known))))
        # Names tell the order in which they were made.
        made = f"d{number:02}"
        name = QualifiedName("w", "public", made)
        lake.add(ScheduledTable(made, name, tuple(sources), a_schedule(dice)))
        known.append(made)
    return lake


@dataclass(slots=True)
class Simulation:
    """One life of a schedule, by one seed."""

    dice: random.Random
    lake: FakeLake
    loop: ScheduleLoop = field(init=False)
    pool: FakePool = field(init=False)
    calm: bool = False
    broken: set[str] = field(default_factory=set)
    """Tables whose refreshes fail until they are mended."""
    in_a_row: Counter[str] = field(default_factory=Counter)
    read_in: dict[int, dict[str, int]] = field(default_factory=dict)
    ended_in: dict[int, set[str]] = field(default_factory=dict)
    seen_by: dict[int, list[ScheduledTable]] = field(default_factory=dict)
    waves: list[WavePins] = field(default_factory=list)
    refreshes: int = 0
    checked_diamonds: int = 0
    told: Told = field(default_factory=Told)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lake.faults = self._fault
        self.start_process()

    def start_process(self) -> None:
        self.pool = FakePool(self._takes, self.lake, begun=self._begun)
        self.loop = ScheduleLoop(self.lake, self._run, tell=self._hear)  # type: ignore[arg-type]

    def _hear(self, told: Told) -> None:
        self.told = told

    def _takes(self) -> timedelta:
        if self.calm:
            return timedelta(seconds=self.dice.uniform(0, LONGEST))
        longest = 1000 if self.dice.random() < 0.01 else 60
        return timedelta(seconds=self.dice.uniform(0, longest))

    # What may go wrong.

    def _fault(self, place: str, table_id: str) -> None:
        if place == "begun" and table_id in self.broken:
            raise UserError("NO_TRANSACTIONS")
        if self.calm:
            return
        dice = self.dice.random()
        if dice < 0.02:
            self.log.append(f"{self.lake.at} dies, {table_id} {place}")
            raise Killed
        if place == "begun" and dice < 0.10:
            raise UserError("NO_TRANSACTIONS")
        if place == "committed" and dice < 0.05:
            raise TransientError("STORE_BUSY", store="the lake", reason="a test says so")

    # What must hold.

    def _begun(self, table: ScheduledTable, pins: WavePins) -> None:
        """A thread begins with a refresh."""
        self.log.append(f"{self.lake.at} begins {table.id} of the wave of {pins.at}")
        require(table.id not in {each.table.id for each in self.pool.running}, "two at once")
        require(self.in_a_row[table.id] < FAILURES_TO_SUSPEND, "it should be suspended")
        ended = self.ended_in.setdefault(id(pins), set())
        members = {
            each.id for run, own in self.loop._waves if own is pins for each in run.wave.tables
        }
        for source in table.sources:
            require(source not in members or source in ended, "a child before its parent")

    def _run(self, table: ScheduledTable, pins: WavePins) -> Refresh:
        self.refreshes += 1
        require(not table.suspended, "it is suspended")
        version = self.lake.version(table.id)
        try:
            done = self.lake.run(table, pins)
        except Killed:
            raise
        except HeadwaterError as error:
            self.in_a_row[table.id] += error.condition != "REFRESH_RUNNING"
            raise
        self.in_a_row[table.id] = 0
        read = self.read_in.setdefault(id(pins), {})
        if self.lake.version(table.id) != version:
            for source, seen in self.lake.frontiers[table.id].items():
                require(read.setdefault(source, seen) == seen, "a wave read two versions")
        if done.reason != Reason.OVERTAKEN:
            self._check_diamonds(table, pins)
        return done

    def _check_diamonds(self, table: ScheduledTable, pins: WavePins) -> None:
        """Whoever reads a plain table on two ways reads one version of it, if all can move.

        What it reads may be mixed already, by a refresh by hand; it was looked at then.
        """
        graph = Graph.of(self.seen_by[id(pins)])
        above = [graph.tables[id] for id in graph.reached(table.id) if id in graph.tables]
        if not all(joins(each, pins.at) for each in above):
            return
        read = self.lake.frontiers[table.id]
        ways = [self.lake.plain_versions(source, version) for source, version in read.items()]
        seen: dict[str, list[set[int]]] = {}
        for plain, versions in (pair for way in ways for pair in way.items()):
            seen.setdefault(plain, []).append(versions)
        for plain, sets in seen.items():
            if len(sets) > 1 and all(len(each) == 1 for each in sets):
                self.checked_diamonds += 1
                require(len(set().union(*sets)) == 1, f"{table.id} mixes versions of {plain}")

    def pin_wave(self, lake: object, wave: Wave) -> WavePins:
        """Pins, and how all tables were when the wave was planned."""
        pins = self.lake.pin_wave(lake, wave)
        self.waves.append(pins)
        self.seen_by[id(pins)] = list(self.lake.tables.values())
        return pins

    # What happens.

    def step(self) -> None:
        dice, lake = self.dice, self.lake
        what = dice.random()
        if what < 0.25:
            lake.plain[dice.choice(list(lake.plain))] += 1
        elif what < 0.30:
            waiting = [id for run, _ in self.loop._waves for id in run.left - run.at_work]
            self._by_hand(dice.choice(sorted(waiting) or list(lake.tables)))
        elif what < 0.33:
            self._suspend_or_resume()
        elif what < 0.34:
            self.broken = set(dice.sample(list(lake.tables), dice.choice([0, 0, 1])))
        elif what < 0.35:
            lake.at += timedelta(hours=dice.choice([-3, -1, 1, 30]))
            self.log.append(f"the clock is {lake.at}")
        elif what < 0.36:
            self.log.append(f"{lake.at} the process is killed")
            self.start_process()
        lake.at += timedelta(seconds=dice.choice([0, 1, 1, 5, 20]))
        self.work()

    def _by_hand(self, table_id: str) -> None:
        """A user refreshes a table: at once, or it takes until this table is chosen again."""
        quick = self.dice.random() < 0.7
        if table_id in {each.table.id for each in self.pool.running}:
            return
        if table_id not in self.lake.by_hand and not quick:
            self.lake.by_hand.add(table_id)
            return
        self.lake.by_hand.discard(table_id)
        self.lake.refresh_by_hand(table_id)
        self.in_a_row[table_id] = 0
        self.log.append(f"{self.lake.at} by hand {table_id}")

    def _suspend_or_resume(self) -> None:
        suspended = [table.id for table in self.lake.tables.values() if table.suspended]
        if suspended:
            self.resume(self.dice.choice(suspended))
        elif self.dice.random() < 0.3:
            table_id = self.dice.choice(list(self.lake.tables))
            self.lake.tables[table_id] = replace(self.lake.tables[table_id], suspended=True)

    def resume(self, table_id: str) -> None:
        self.in_a_row[table_id] = 0
        self.lake.tables[table_id] = replace(
            self.lake.tables[table_id],
            suspended=False,
            suspended_reason=None,
            failures=0,
            not_before=None,
        )

    def work(self) -> None:
        """A turn of the loop: threads that are over end, in any order, and others begin."""
        over = [each for each in self.pool.running if each.ends_at <= self.lake.at]
        self.dice.shuffle(over)
        try:
            for each in over:
                self._end(each)
            self.loop._look()
            self.loop._advance(self.pool)  # type: ignore[arg-type]
        except Killed:
            self.start_process()

    def _end(self, each: Submitted) -> None:
        self.pool.running.remove(each)
        each.future.set_result(each.work())
        self.ended_in.setdefault(id(each.pins), set()).add(each.table.id)

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
        self._calm_down()
        self._break_one()
        for _ in range(CALM_STEPS):
            # Rows still come: in quiet times nothing could be mixed.
            self.lake.plain[self.dice.choice(list(self.lake.plain))] += 1
            self.lake.at += CALM_STEP
            self.work()
        for _ in range(CALM_STEPS):
            self.lake.at += CALM_STEP
            self.work()
        for _ in range(CALM_STEPS):
            self.lake.at += CALM_STEP
            self.work()
            self._check_fresh()

    def _calm_down(self) -> None:
        self.calm = True
        self.broken.clear()
        self.lake.by_hand.clear()
        for each in self.pool.running:
            each.ends_at = min(each.ends_at, self.lake.at)
        for table_id, table in self.lake.tables.items():
            if table.suspended:
                self.resume(table_id)

    def _break_one(self) -> None:
        """A table that always fails is suspended; what reads it stands still until it is mended."""
        graph = Graph.of(self.lake.tables.values())
        known = graph.tables.values()
        alone = [table for table in known if table.schedule and table.schedule.interval_seconds]
        if not alone:
            return
        broken = self.dice.choice(alone).id
        self.broken = {broken}
        for _ in range(CALM_STEPS):
            self.lake.at += CALM_STEP
            self.work()
        for table in list(self.lake.tables.values()):
            reads_it = broken in graph.reached(table.id)
            assert (table.suspended_reason is not None) == reads_it, f"{table.id} of {broken}"
            assert table.suspended == (table.id == broken)
        self.broken.clear()
        self.resume(broken)

    def _check_fresh(self) -> None:
        """No table is late: places are few, so a refresh may wait for some others."""
        slack = timedelta(seconds=3 * LONGEST * len(self.lake.tables))
        for table in self.lake.tables.values():
            since = due_since(table, self.lake.at)
            assert since is None or self.lake.at - since < slack, f"{table.id} starves"
            assert table.suspended_reason is None
            graph = Graph.of(self.lake.tables.values())
            above = [self.lake.tables[id] for id in graph.reached(table.id) if id in graph.tables]
            moving = all(joins(each, self.lake.at) for each in above)
            if moving and table.schedule is not None and not table.schedule.downstream:
                newest = {plain: {version} for plain, version in self.lake.plain.items()}
                behind = self.lake.plain_versions(table.id, self.lake.version(table.id))
                assert behind == {plain: newest[plain] for plain in behind}, f"{table.id} is stale"


def seeds() -> list[int]:
    given = os.environ.get("HEADWATER_SCHEDULE_SEED")
    return [int(given)] if given else list(range(SEEDS))


@pytest.mark.large
@pytest.mark.parametrize("seed", seeds())
def test_every_table_becomes_fresh_and_no_diamond_mixes_versions(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)
    lake = a_lake(dice)
    made = Simulation(dice, lake)
    monkeypatch.setattr(loop_module, "now", lambda: lake.at)
    monkeypatch.setattr(steps_module, "now", lambda: lake.at)
    monkeypatch.setattr(loop_module, "pin_wave", made.pin_wave)
    try:
        made.run()
    except BaseException:
        print(f"repeat with HEADWATER_SCHEDULE_SEED={seed}", *made.log[-60:], sep="\n")
        for table in lake.tables.values():
            print(table.id, table.sources, table.schedule, table)
        raise
    assert made.refreshes > STEPS / 20
