"""Objects for the store's tests: everything a test does not care about has a value here."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.catalog.connections import Connection, ConnectionType
from headwater.catalog.dynamic_tables import DynamicTable, Refresh
from headwater.catalog.jobs import Job, JobState
from headwater.catalog.lease_rules import Instance
from headwater.catalog.objects import Schema, Table, TableKind, TableState, TableVersion
from headwater.catalog.pipes import BatchState, Pipe, PipeBatch, PipeKind, PipeStatus
from headwater.catalog.store import Store
from headwater.catalog.volumes import Volume

START = datetime(2026, 11, 15, 12, 0, 0, 123457, tzinfo=UTC)
WORKSPACE = "wanda"
_numbers = itertools.count(1)


class FakeClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def fresh_id(prefix: str) -> str:
    return f"{prefix}-{next(_numbers)}"


def a_schema(name: str = "public", **changes: Any) -> Schema:
    schema = Schema(
        id=fresh_id("schema"),
        workspace=WORKSPACE,
        name=name,
        creator="ada",
        created_at=START,
        modified_at=START,
    )
    return replace(schema, **changes)


def a_table(name: str = "orders", **changes: Any) -> Table:
    table = Table(
        id=fresh_id("table"),
        workspace=WORKSPACE,
        schema="public",
        name=name,
        kind=TableKind.TABLE,
        state=TableState.CREATING,
        creator="ada",
        created_at=START,
        modified_at=START,
        location=f"/lake/tables/public/{name}",
    )
    return replace(table, **changes)


def a_view(name: str = "recent", **changes: Any) -> Table:
    view = a_table(name, kind=TableKind.VIEW, location="", view_text="SELECT 1")
    return replace(view, view_schema="public", **changes)


def a_version(version: int, **changes: Any) -> TableVersion:
    made = TableVersion(
        version=version,
        delta_version=version - 1,
        committed_at=at(version),
        operation="INSERT_INTO",
        user="ada",
    )
    return replace(made, **changes)


def a_connection(name: str = "lager", **changes: Any) -> Connection:
    made = Connection(
        id=fresh_id("connection"),
        workspace=WORKSPACE,
        name=name,
        type=ConnectionType.S3,
        creator="ada",
        created_at=START,
        modified_at=START,
    )
    return replace(made, **changes)


def a_volume(name: str = "landing", **changes: Any) -> Volume:
    volume = Volume(
        id=fresh_id("volume"),
        workspace=WORKSPACE,
        schema="public",
        name=name,
        external=True,
        url="s3://bucket/landing/",
        creator="ada",
        created_at=START,
        modified_at=START,
    )
    return replace(volume, **changes)


def a_pipe(name: str = "intake", **changes: Any) -> Pipe:
    pipe = Pipe(
        id=fresh_id("pipe"),
        workspace=WORKSPACE,
        schema="public",
        name=name,
        kind=PipeKind.VOLUME,
        status=PipeStatus.RUNNING,
        body="COPY INTO orders FROM VOLUME landing USING CSV PURGE=TRUE",
        body_schema="public",
        creator="ada",
        created_at=START,
        modified_at=START,
        input_name="volume:wanda.public.landing",
        output_name="wanda.public.orders",
        target_id="table-of-the-pipe",
    )
    return replace(pipe, **changes)


def a_batch(pipe: Pipe, number: int = 1, **changes: Any) -> PipeBatch:
    batch = PipeBatch(
        pipe_id=pipe.id,
        number=number,
        state=BatchState.INTENT,
        begun_at=at(number),
        payload={"files": 2, "bytes": 20},
    )
    return replace(batch, **changes)


def a_dynamic_table(table: Table, **changes: Any) -> DynamicTable:
    made = DynamicTable(
        id=table.id,
        workspace=table.workspace,
        schema=table.schema,
        name=table.name,
        query="SELECT 1 AS one",
        query_workspace=WORKSPACE,
        query_schema="public",
        baseline=table.created_at,
    )
    return replace(made, **changes)


def a_refresh(table: DynamicTable, **changes: Any) -> Refresh:
    made = Refresh(
        table_id=table.id,
        number=0,
        workspace=table.workspace,
        schema=table.schema,
        name=table.name,
        virtual_cluster="DEFAULT",
        started_at=START,
        job_id="j1",
    )
    return replace(made, **changes)


def a_job(**changes: Any) -> Job:
    job = Job(
        id=fresh_id("job"),
        state=JobState.SETUP,
        workspace=WORKSPACE,
        schema="public",
        creator="ada",
        text="SELECT 1",
        started_at=START,
        instance="i1",
    )
    return replace(job, **changes)


def an_instance(id: str = "i1", **changes: Any) -> Instance:
    instance = Instance(
        id=id,
        host="river",
        pid=4711,
        process_started="1700000000.25",
        user_name="ada",
        started_at=START,
        heartbeat_at=START,
    )
    return replace(instance, **changes)


def with_schema(store: Store, name: str = "public") -> Schema:
    """Makes the workspace and one schema in it."""
    store.workspaces.ensure(WORKSPACE)
    schema = a_schema(name)
    store.schemas.create(schema)
    return schema


def with_dynamic_table(store: Store, name: str = "totals", **changes: Any) -> DynamicTable:
    """Makes an active dynamic table in a schema that is there."""
    view = changes.get("materialized_view", False)
    kind = TableKind.MATERIALIZED_VIEW if view else TableKind.DYNAMIC
    table = a_table(name, kind=kind)
    made = a_dynamic_table(table, **changes)
    intent = store.dynamic_tables.begin_create(table, made)
    store.tables.activate(intent, a_version(1, operation="CREATE"))
    return made


def with_table(store: Store, name: str = "orders", **changes: Any) -> Table:
    """Makes an active table in a schema that is there."""
    return store.tables.activate(store.tables.begin_create(a_table(name, **changes)), None)
