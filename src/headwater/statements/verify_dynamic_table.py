"""VERIFY DYNAMIC TABLE: its rows against its query at the source versions it recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from headwater.errors import UserError
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.delta_log.spark_types import columns_of
from headwater.refresh.pins import Pin, pin
from headwater.refresh.planned import LITTLE
from headwater.refresh.verify import verify
from headwater.result import Column, Result
from headwater.sql.dynamic_tables import VerifyDynamicTable
from headwater.statements.context import Context
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.refreshing import where_defined
from headwater.statements.spark_text import spark_text
from headwater.tables.registration import register_table

_COLUMNS = (
    Column("name", "string"),
    Column("equal", "boolean"),
    Column("rows", "bigint"),
    Column("surplus_rows", "bigint"),
    Column("missing_rows", "bigint"),
)


def verify_dynamic_table(context: Context, statement: VerifyDynamicTable) -> Result:
    """Compare the rows of a dynamic table with those of its query, both ways."""
    table, dynamic = find_dynamic_table(context, statement.name, statement="VERIFY DYNAMIC TABLE")
    if dynamic.frontier is None:
        raise UserError("NOT_REFRESHED_YET", table=dynamic.qualified)
    pins = {
        source: _pin(context, source, version, dynamic.source_columns.get(source))
        for source, version in dynamic.frontier.sources.items()
    }
    there, session = where_defined(context, dynamic), context.session
    with (
        session.lock,
        _seen(context, pins) as seen,
        spark_text(there, dynamic.query, pins=seen) as text,
    ):
        stored = register_table(context.lake, table)
        found = verify(session.spark(), stored, text.text, table.shape.columns)
    row = (str(dynamic.qualified), found.equal, found.rows, found.surplus, found.missing)
    return Result.from_rows(_COLUMNS, [row])


def _pin(context: Context, source: str, version: int, then: tuple[str, ...] | None) -> Pin:
    """A source at the version that a refresh reached, with the columns it had there."""
    table = context.store.tables.get_by_id(source)
    if table is None:
        return Pin(version, then)
    metadata = read_metadata(LocalLogFiles(context.lake.location(table)), version)
    there = [] if metadata is None else [column.name for column in columns_of(metadata.schema)]
    return pin(version, then, there)


@contextmanager
def _seen(context: Context, pins: Mapping[str, Pin]) -> Iterator[Mapping[str, Pin]]:
    """The pins, small tables as views over their files, which Delta would run jobs to find."""
    spark, seen = context.session.spark(), dict(pins)
    try:
        for source, pin in pins.items():
            table = context.store.tables.get_by_id(source)
            if table is None or (table.shape.totals.bytes or 0) >= LITTLE:
                continue
            assert pin.delta_version is not None
            view = context.session.next_view_name()
            spark.create_snapshot_view(view, context.lake.location(table), pin.delta_version)
            seen[source] = replace(pin, view=view)
        yield seen
    finally:
        for found in seen.values():
            if found.view is not None:
                spark.drop_view(found.view)
