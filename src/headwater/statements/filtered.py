"""LIKE, WHERE and LIMIT of SHOW statements, applied to rows in Python: no Spark needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.like import like_matcher
from headwater.sql.row_filter import compile_filter
from headwater.sql.show_filter import ShowFilter
from headwater.statements.context import Context


def filtered(
    context: Context,
    columns: Sequence[Column],
    rows: Iterable[Row],
    tail: ShowFilter,
    *,
    like_column: int,
    any_case: Collection[str] = (),
) -> Result:
    """The rows that pass `tail`; LIKE looks at the column with index `like_column`.

    Columns `any_case` hold names that equal others whatever their case, as those of clusters do.
    """
    kept = list(rows)
    if tail.like is not None:
        matches = like_matcher(tail.like)
        kept = [row for row in kept if matches(str(row[like_column]))]
    if tail.where is not None:
        at = context.session.shown(now())
        keep = compile_filter(
            tail.where, columns, now=at, offset=tail.where_start, any_case=any_case
        )
        kept = [row for row in kept if keep(row)]
    return Result.from_rows(columns, kept[: tail.limit])
