"""Creating a table: intent in the catalog, commit in Delta, then visible. All or nothing.

The intent (state CREATING) takes the name. Recovery finds it and asks the Delta log whether the
commit happened.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

from headwater.catalog.objects import Operation, Table, TableKind, TableState
from headwater.errors import InternalError
from headwater.lake.delta_log.stamp import Stamp
from headwater.lake.spark_session import SparkConnection
from headwater.names import QualifiedName
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.tables.commits import Author, stamp, stamped
from headwater.tables.consumption import consuming
from headwater.tables.registration import mark_registered
from headwater.tables.versions import first_commits


def new_table(
    lake: OpenLake, name: QualifiedName, *, author: Author, location: str | None = None
) -> Table:
    """A table that does not exist yet, with an id and a place; `location` makes it external."""
    table_id = uuid.uuid4().hex[:12]
    at = now()
    return Table(
        id=table_id,
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        kind=TableKind.TABLE,
        state=TableState.CREATING,
        creator=author.user,
        created_at=at,
        modified_at=at,
        location=location or lake.folder.table_location(name.schema, name.name, table_id),
        managed=location is None,
        created_by_job=author.job_id,
    )


def create(
    lake: OpenLake,
    spark: SparkConnection,
    table: Table,
    *,
    operation: Operation,
    author: Author,
    work: Callable[[], object],
    begin: Callable[[Table], Table] | None = None,
) -> Table:
    """Create `table` by doing `work`, which makes its first Delta commit.

    `begin` stores the intent, for a table of which the catalog keeps more.
    """
    with consuming(lake, author.consumed, author.job_id):
        note = stamp(lake, author, operation)
        intent = (begin or lake.store.tables.begin_create)(table)
        return _create(lake, spark, intent, note, work)


def _create(
    lake: OpenLake, spark: SparkConnection, intent: Table, note: Stamp, work: Callable[[], object]
) -> Table:
    reach("create.after_intent")
    try:
        with stamped(lake, spark, note):
            work()
        reach("create.after_delta")
        complete, versions = first_commits(lake, intent)
        if not versions:
            raise InternalError("TABLE_NOT_COMMITTED", table=f"{intent.schema}.{intent.name}")
    except BaseException:
        abandon(lake, intent)
        raise
    active = lake.store.tables.activate(complete, versions[0], later=versions[1:])
    mark_registered(lake, active)
    return active


def attach(lake: OpenLake, table: Table) -> Table:
    """Make a Delta table that exists already at `table.location` a table of the lake."""
    lake.writer.ensure()
    intent = lake.store.tables.begin_create(table)
    try:
        complete, versions = first_commits(lake, intent)
    except BaseException:
        lake.store.tables.abandon(intent.id)
        raise
    return lake.store.tables.activate(complete, versions[0], later=versions[1:])


def abandon(lake: OpenLake, intent: Table) -> None:
    """Undo a creation that came to nothing: free the name, remove files of ours."""
    if intent.managed:
        lake.remove_folder(intent)
    lake.store.tables.abandon(intent.id)
