"""A small table written anew, from rows that say what became of them.

Law: afterwards it holds the rows that are not gone; what stayed as it was counts for nothing, and
if all of it did, nothing is written.
"""

from __future__ import annotations

from headwater.errors import TransientError
from headwater.incremental.rewriting import CHANGED, GONE, NEW
from headwater.lake.commits.choose import Limits, way_of_change
from headwater.lake.commits.target import Outcome, Target
from headwater.lake.commits.weighted_rows import COUNTS, named
from headwater.lake.commits.writes import How, Rewrite
from headwater.names import quote_identifier

_CAME = f"coalesce(sum(if(fate IN ({NEW}, {CHANGED}), 1L, 0L)), 0L) AS came"
_WENT = f"coalesce(sum(if(fate IN ({CHANGED}, {GONE}), 1L, 0L)), 0L) AS went"


def rewrite(target: Target, write: Rewrite, limits: Limits) -> Outcome:
    """Write the rows that are not gone into one file, in the place of all others."""
    from pyspark.sql import functions

    if way_of_change(target.stored, limits) is not How.REWRITE:
        problem = "it has grown, or its rows were given ids"
        raise TransientError("CONCURRENT_CHANGE", problem=problem)
    fated = target.query(write.rows, f"{quote_identifier(write.fate)} AS fate").coalesce(1)
    counted = fated.observe(COUNTS, functions.expr(_CAME), functions.expr(_WENT))
    frame = named(counted.where(f"fate <> {GONE}"), target.schema)
    written = tuple(target.transaction.write(frame))
    came, went = target.transaction.observed(frame, COUNTS) or (0, 0)
    if not came and not went:
        return Outcome(How.NOTHING, 0, 0, written=written)
    copied = target.transaction.rows_written() - came
    return Outcome(
        How.REWRITE, came, went, written=written, removed=target.stored.files, copied=copied
    )
