"""VERIFY DYNAMIC TABLE: its rows against its query at the source versions it recorded.

A table that is refreshed by partition is compared partition by partition, each with its own
versions and parameters. Rows that no refresh changes are left out.
"""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable, Frontier
from headwater.catalog.objects import Table
from headwater.catalog.partitions import inside
from headwater.errors import NotSupported, UserError
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.delta_log.spark_types import columns_of
from headwater.refresh.given import own_names, rows_query
from headwater.refresh.partitions import condition_of
from headwater.refresh.pins import Pin, pin
from headwater.refresh.problems import PARAMETERS
from headwater.refresh.reach import reach_of
from headwater.refresh.verify import Verified, verify
from headwater.result import Column, Result
from headwater.sql.dynamic_tables import VerifyDynamicTable
from headwater.statements.adding_changes import OF_CHANGES
from headwater.statements.context import Context
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.refreshing import where_defined
from headwater.statements.reshaping import same_columns
from headwater.statements.snapshot_views import pinned_text
from headwater.tables.registration import register_table

_COLUMNS = (
    Column("name", "string"),
    Column("equal", "boolean"),
    Column("rows", "bigint"),
    Column("surplus_rows", "bigint"),
    Column("missing_rows", "bigint"),
)
_NOTHING = Verified(0, 0, 0)


def verify_dynamic_table(context: Context, statement: VerifyDynamicTable) -> Result:
    """Compare the rows of a dynamic table with those of its query, both ways."""
    table, dynamic = find_dynamic_table(context, statement.name, verb="VERIFY", kind=statement.kind)
    if dynamic.frontier is not None and dynamic.frontier.fingerprint == OF_CHANGES:
        streams = [stream for stream in map(context.store.streams.by_id, dynamic.sources) if stream]
        names = ", ".join(str(stream.qualified) for stream in streams)
        raise NotSupported("VERIFY_OF_CHANGES", table=dynamic.qualified, stream=names or "?")
    pieces = _pieces(context, table, dynamic)
    hint = f"REFRESH {statement.kind} {dynamic.qualified}"
    if not pieces:
        raise UserError("NOT_REFRESHED_YET", table=dynamic.qualified, hint=hint)
    columns = dynamic.columns
    unsaid = any(not frontier.fingerprint for frontier, _ in pieces)
    if unsaid or (columns and not same_columns(table, columns)):
        raise UserError("NOT_REFRESHED_SINCE", table=dynamic.qualified, hint=hint)
    found = _NOTHING
    for frontier, where in pieces:
        found += _compared(context, table, dynamic, frontier, where)
    row = (str(dynamic.qualified), found.equal, found.rows, found.surplus, found.missing)
    return Result.from_rows(_COLUMNS, [row])


def _pieces(
    context: Context, table: Table, dynamic: DynamicTable
) -> list[tuple[Frontier, str | None]]:
    """What is compared with what: a frontier, and the condition for the rows that follow it."""
    frozen = dynamic.immutable_where
    if dynamic.frontier is not None:
        return [(dynamic.frontier, reach_of(table, None, frozen).condition)]
    known = context.store.dynamic_tables.partitions(dynamic.id)
    every = [one.partition for one in known]
    types = {column.name: column.type for column in table.shape.columns}
    pieces: list[tuple[Frontier, str | None]] = []
    for one in known:
        parts = [reach_of(table, one.partition, frozen).condition or "true"]
        inner = inside(one.partition, every)
        parts += [f"NOT ({condition_of(partition, types)})" for partition in inner]
        pieces.append((one.frontier, " AND ".join(parts)))
    return pieces


def _compared(
    context: Context, table: Table, dynamic: DynamicTable, frontier: Frontier, where: str | None
) -> Verified:
    pins = {
        source: _pin(context, source, version, dynamic.source_columns.get(source))
        for source, version in frontier.sources.items()
    }
    there, session = where_defined(context, dynamic), context.session
    parameters = frontier.detail.get(PARAMETERS, {})
    with (
        session.lock,
        pinned_text(there, rows_query(dynamic), pins, parameters=parameters) as text,
    ):
        stored = register_table(context.lake, table)
        own = own_names(dynamic, table)
        compared = tuple(column for column in table.shape.columns if column.name in own)
        return verify(session.spark(), stored, text.text, compared, where)


def _pin(context: Context, source: str, version: int, then: tuple[str, ...] | None) -> Pin:
    """A source at the version that a refresh reached, with the columns it had there."""
    table = context.store.tables.get_by_id(source)
    if table is None:
        return Pin(version, then)
    metadata = read_metadata(context.lake.log_files(table), version)
    there = [] if metadata is None else [column.name for column in columns_of(metadata.schema)]
    return pin(version, then, there)
