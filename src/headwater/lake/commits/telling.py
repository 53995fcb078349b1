"""Rows that go are found by the columns that tell rows apart, not by all their values.

Law: what is found is what all values together would find. Where as many rows of the table have the
values of some columns as are to go with them, these are the rows; where they are more, or fewer,
nothing is found, and all columns are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.lake.commits.near import Going

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_COLUMNS = 2
_LEAST_APART = 0.5
"""Of the rows that go, as many must differ in the column that differs most."""


def telling_columns(going: Going) -> tuple[int, ...]:
    """The places of the columns with the most different values, and no NULL; none if all are alike.

    >>> import pyarrow
    >>> ids, days = pyarrow.chunked_array([[1, 2, 3]]), pyarrow.chunked_array([[7, 7, 8]])
    >>> telling_columns({0: days, 4: ids, 5: pyarrow.chunked_array([[1, 2, None]])})
    (4, 0)
    """
    counts = {
        place: len(values.unique())
        for place, values in going.items()
        if len(values) and not values.null_count
    }
    ordered = sorted(counts, key=lambda place: (-counts[place], place))[:MOST_COLUMNS]
    if not ordered or counts[ordered[0]] < _LEAST_APART * len(going[ordered[0]]):
        return ()
    return tuple(ordered)


def found_by(stored: DataFrame, delta: DataFrame, places: Sequence[int]) -> DataFrame:
    """`file_path` and `row_index` of rows with the values of rows that go, and whether these are
    all `sure`: as many as are to go.

    `stored` has the first two and the columns of `numbered`; `delta` also `weight`.
    """
    from pyspark.sql import functions

    names = [f"c{place}" for place in places]
    going = (
        delta.where("weight < 0")
        .groupBy(*names)
        .agg(functions.expr("sum(-weight) AS copies"))
        .selectExpr("copies", *(f"{name} AS g{name}" for name in names))
    )
    same = " AND ".join(f"{name} = g{name}" for name in names)
    found = stored.select("file_path", "row_index", *names).join(going, functions.expr(same))
    with_them = f"count(*) OVER (PARTITION BY {', '.join(names)})"
    return found.selectExpr("file_path", "row_index", f"{with_them} = copies AS sure")


def are_those(found: DataFrame, went: int) -> bool:
    """Whether the rows found are those that go, and no others."""
    from pyspark.sql import functions

    rows, sure = found.agg(
        functions.expr("count(*)"), functions.expr("coalesce(bool_and(sure), false)")
    ).collect()[0]
    return bool(sure) and int(rows) == went
