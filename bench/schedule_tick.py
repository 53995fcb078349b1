"""A look at the schedule of a thousand dynamic tables of which none is due.

Four layers: each table of a layer reads two of the layer below. The loop looks once a second; what
is measured is one look, from reading the catalog to knowing that there is nothing to do. Spark is
not started.
"""

from __future__ import annotations

import random
import shutil
import uuid
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import headwater
from bench.measure import Contender, interleave
from bench.outcome import Findings, below
from bench.profiling import print_profile
from bench.scratch import Scratch
from headwater.catalog.dynamic_tables import DynamicTable, Frontier, Refresh, Schedule
from headwater.catalog.objects import Table, TableKind
from headwater.catalog.schedules import ScheduledTable
from headwater.refresh.pins import WavePins
from headwater.runtime.clock import now
from headwater.schedule.loop import ScheduleLoop, Told

MOST_SECONDS = 0.100
TABLES = 1_000
_ROUNDS = 30
_WARM_UPS = 3
_LAYER = 300


def run(scratch: Scratch) -> Findings:
    """Measure a look."""
    lake = scratch.folder / "schedule"
    shutil.copytree(scratch.cold_lake, lake)
    with closing(headwater.connect(lake)) as connection:
        scratch.say(f"adding {TABLES:,} dynamic tables to the catalog")
        fill_schedules(connection)
        told = list[Told]()
        loop = ScheduleLoop(connection.session.lake, _never, told.append)
        if scratch.profile:
            print_profile("tick", loop._look, times=20)
        scratch.say(f"looking at {TABLES:,} schedules")
        contenders = [Contender("tick", loop._look)]
        (samples,) = interleave(contenders, rounds=_ROUNDS, warm_ups=_WARM_UPS)
        assert {(each.tables, each.held) for each in told} == {(TABLES, ())}
        assert not connection.session.lake.engine.started, "a look has started Spark"
    name = f"a tick, {TABLES:,} dynamic tables, nothing due"
    return Findings((below(name, samples, limit=MOST_SECONDS),), ("Spark not started",))


def _never(table: ScheduledTable, pins: WavePins) -> Refresh:
    raise AssertionError("nothing is due")


def fill_schedules(connection: headwater.Connection) -> None:
    """Tables that were refreshed a moment ago, with an hour to the next time."""
    lake, dice = connection.session.lake, random.Random(8)
    model = lake.store.tables.get(lake.config.workspace, "public", "t")
    assert model is not None
    first = lake.store.versions.first(model.id)
    below: list[str] = [model.id]
    layer: list[str] = []
    with lake.store.begin() as transaction:
        for number in range(TABLES):
            table = replace(
                model,
                id=uuid.uuid4().hex[:12],
                name=f"d_{number:04}",
                kind=TableKind.DYNAMIC,
                created_at=now(),
            )
            sources = tuple(dice.sample(below, min(2, len(below))))
            made = _definition(table, sources)
            creating = lake.store.dynamic_tables.begin_create(table, made, connection=transaction)
            lake.store.tables.activate(creating, first, connection=transaction)
            frontier = Frontier(dict.fromkeys(sources, 1), now() + timedelta(seconds=1))
            lake.store.dynamic_tables.set_frontier(
                table.id, frontier, number=1, connection=transaction
            )
            layer.append(table.id)
            if len(layer) == _LAYER:
                below, layer = layer, []


def _definition(table: Table, sources: tuple[str, ...]) -> DynamicTable:
    return DynamicTable(
        table.id,
        table.workspace,
        table.schema,
        table.name,
        "SELECT id, name FROM t",
        table.workspace,
        table.schema,
        schedule=Schedule(start=now(), interval_seconds=3600),
        sources=sources,
    )
