"""Rows that are to go are looked for only where their values lie.

Law: what is left out holds no row that goes, because a row goes only if all its values are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.algebra.nodes import column
from headwater.algebra.render import text_of
from headwater.incremental.spans import Spans, spans_of
from headwater.lake.commits.target import Target
from headwater.lake.delta_log.value_range import NUMBERS, value_range
from headwater.lake.rows import fetch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEAST_ROWS = 500_000
"""Of a table: a smaller one is read in less time than it takes to ask where its rows lie."""
MOST_GOING = 100_000
MOST_SHARE = 0.5
"""Of the range of a column's values."""


def rows_near(target: Target, delta: DataFrame, went: int) -> DataFrame:
    """The rows of a table among which are all that go; `delta` is worked out already."""
    if went > MOST_GOING or (target.stored.rows or 0) < LEAST_ROWS:
        return target.rows
    found = _closest(target, delta)
    if found is None:
        return target.rows
    name, spans = found
    # Rows with NULL there go as well, and a reader leaves pages out by their values alone.
    return target.rows.where(text_of(spans.condition(column(name), or_null=True)))


def _closest(target: Target, delta: DataFrame) -> tuple[str, Spans] | None:
    """The column whose values lie in the smallest share of its range, if that is small."""
    ends = {
        place: (field.name, known)
        for place, field in enumerate(target.schema.fields)
        if (kind := field.dataType.simpleString()) in NUMBERS or kind == "date"
        if (known := value_range(target.stored.files, field.name, kind)) is not None
    }
    if not ends:
        return None
    going = fetch(delta.where("weight < 0").select(*(f"c{place}" for place in ends))).to_arrow()
    shares = []
    for number, (name, known) in enumerate(ends.values()):
        values = going.column(number).unique().drop_null().to_pylist()
        spans = spans_of(values)
        shares.append((spans.share_of(*known), name, spans))
    share, name, spans = min(shares, key=lambda one: one[0])
    return (name, spans) if share <= MOST_SHARE else None
