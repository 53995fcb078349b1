"""What the lake of the Studio benchmark holds beside its dynamic tables: many of everything else.

All of it is made without Spark: streams are rows of the catalog, each on a dynamic table of its
own, and the rest are statements that need none. The pipes are paused and the tasks are due once a
day, so that a service at rest has as little to do as without them.
"""

from __future__ import annotations

import uuid

import headwater
from headwater.catalog.streams import Stream, StreamMode, StreamOffset, StreamSource
from headwater.runtime.clock import now

MANY = 200
_PIPE = """CREATE PIPE p_{0:03} VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE'
AS COPY INTO t FROM VOLUME v_{0:03} USING CSV PURGE = TRUE ON_ERROR = CONTINUE;
ALTER PIPE p_{0:03} SET PIPE_EXECUTION_PAUSED = TRUE"""
_TASK = """CREATE TASK many.t_{0:03} SCHEDULE (DAILY AT '03:00') AS SHOW SCHEMAS;
SUBMIT TASK many.t_{0:03}"""


def fill_beside_tables(connection: headwater.Connection) -> None:
    """Volumes, pipes, streams and tasks."""
    for made in ("CREATE VOLUME v_{0:03}", _PIPE, _TASK):
        connection.sql(";\n".join(made.format(number) for number in range(MANY)))
    _fill_streams(connection)


def _fill_streams(connection: headwater.Connection) -> None:
    """On tables that have one version more than the stream has seen."""
    lake, at = connection.session.lake, now()
    workspace = lake.config.workspace
    with lake.store.begin() as transaction:
        for number in range(MANY):
            table = lake.store.tables.get(
                workspace, "public", f"d_{number:04}", connection=transaction
            )
            assert table is not None
            stream = Stream(
                uuid.uuid4().hex[:12],
                workspace,
                "public",
                f"s_{number:03}",
                StreamSource.TABLE,
                table.id,
                StreamMode.APPEND_ONLY,
                StreamOffset(max(table.shape.delta_version - 1, 0)),
                "bench",
                at,
                at,
            )
            lake.store.streams.create(stream, connection=transaction)
