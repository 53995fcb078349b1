"""A query over pinned tables, of which small ones are views over their files.

Delta runs Spark jobs to find the files of a version; the log tells them without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from headwater.refresh.pins import Pin
from headwater.refresh.planned import READABLE
from headwater.sql.edits import EditedText
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text


@contextmanager
def pinned_text(
    context: Context,
    query: str,
    pins: Mapping[str, Pin],
    *,
    parameters: Mapping[str, str] | None = None,
) -> Iterator[EditedText]:
    """The query for Spark, its sources at the versions of their pins; the views go afterwards."""
    with (
        _seen(context, pins) as seen,
        spark_text(context, query, pins=seen, parameters=parameters) as text,
    ):
        yield text


@contextmanager
def _seen(context: Context, pins: Mapping[str, Pin]) -> Iterator[Mapping[str, Pin]]:
    spark, seen = context.session.spark(), dict(pins)
    try:
        for source, pin in pins.items():
            table = context.store.tables.get_by_id(source)
            if table is None or (table.shape.totals.bytes or 0) >= READABLE:
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
