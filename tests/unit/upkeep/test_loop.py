"""When upkeep works: one thing at a time, while nothing else runs, and never in anybody's way."""

from __future__ import annotations

import random
import threading

import pytest
from tests.unit.upkeep.conftest import Clock, HandMade, hand_made

import headwater
from headwater.catalog.objects import Operation
from headwater.errors import TransientError
from headwater.runtime.admission import Request
from headwater.runtime.open_lake import OpenLake
from headwater.upkeep.loop import UpkeepLoop
from headwater.upkeep.tasks import Kind, Task

LARGE = 1 << 27


@pytest.fixture
def own(lake: headwater.Connection) -> OpenLake:
    """The lake, which this process holds."""
    lake.session.lake.writer.ensure()
    return lake.session.lake


def test_nothing_is_done_without_the_lease(lake: headwater.Connection, clock: Clock) -> None:
    hand_made(lake, clock).commit(None, None, None)
    ran: list[Task] = []
    lake.session.lake.writer.release()
    UpkeepLoop(lake.session.lake, ran.append).step()
    assert not ran


def test_it_waits_while_others_work_but_not_for_ever(
    lake: headwater.Connection, own: OpenLake, clock: Clock
) -> None:
    hand_made(lake, clock).commit(None, None, None)
    ran: list[Task] = []
    loop = UpkeepLoop(own, ran.append)
    with own.clusters.enter("headwater", "DEFAULT", Request("busy")):
        loop.step()
        clock.forward(minutes=9)
        loop.step()
        assert not ran
        clock.forward(minutes=2)
        loop.step()
    assert [task.kind for task in ran] == [Kind.COMPACT]


def test_it_works_at_once_when_nothing_else_does(
    lake: headwater.Connection, own: OpenLake, clock: Clock
) -> None:
    hand_made(lake, clock).commit(None, None, None)
    ran: list[Task] = []
    UpkeepLoop(own, ran.append).step()
    assert [task.kind for task in ran] == [Kind.COMPACT]


def test_a_failure_is_nobody_s_but_its_own(
    lake: headwater.Connection, own: OpenLake, clock: Clock
) -> None:
    hand_made(lake, clock).commit(None, None, None)

    def fail(task: Task) -> None:
        raise TransientError("CONCURRENT_CHANGE", problem="somebody wrote")

    loop = UpkeepLoop(own, fail)
    loop.run_until_done()
    assert loop.step() > 1


def test_a_loop_that_is_stopped_ends(own: OpenLake) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=UpkeepLoop(own, lambda task: None).run_forever, args=(stop,))
    thread.start()
    stop.set()
    thread.join(timeout=10)
    assert not thread.is_alive()


def carried_out(tables: dict[str, HandMade], task: Task) -> None:
    """What Spark would make of a task."""
    table = tables[task.table_id]
    files = len(table.files)
    if task.kind is Kind.COMPACT:
        table.commit(None, operation=Operation.COMPACTION, size=LARGE, removes=files)
    elif task.kind is Kind.EXPIRE:
        assert task.only_at == table.table.shape.delta_version
        table.commit(operation=Operation.TRUNCATE, removes=files)


@pytest.mark.laws
def test_weeks_of_writing_leave_few_files_and_no_work_that_is_done_twice(
    lake: headwater.Connection, own: OpenLake, clock: Clock
) -> None:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    made = [hand_made(lake, clock, f"t{n}") for n in range(3)]
    made.append(hand_made(lake, clock, "short", data_lifecycle=2))
    tables = {table.table.id: table for table in made}
    ran: list[Task] = []

    def run(task: Task) -> None:
        ran.append(task)
        carried_out(tables, task)

    loop = UpkeepLoop(own, run)
    for _ in range(60):
        clock.forward(hours=chance.choice((1, 6, 12, 30)))
        for table in made[:3]:
            if chance.random() < 0.5:
                table.commit(*[None] * chance.randint(1, 4))
        if chance.random() < 0.1:
            made[3].commit(None)
        loop.run_until_done()
        for table in made:
            small = sum(size < LARGE for size in table.files.values())
            assert small < 3, f"{small} small files are left"
    before = len(ran)
    loop.run_until_done()
    assert len(ran) == before
    assert {task.kind for task in ran} >= {Kind.COMPACT, Kind.VACUUM}
