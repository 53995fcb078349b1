"""Proof on demand: the query worked out at the recorded versions, compared row for row.

Floating-point numbers are compared to 12 digits: their sums depend on the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.catalog.objects import TableColumn
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier
from headwater.sql.edits import own_text


@dataclass(frozen=True, slots=True)
class Verified:
    """How many rows there are, how many should not be there, and how many are not there."""

    rows: int
    surplus: int
    missing: int

    def __add__(self, other: Verified) -> Verified:
        return Verified(
            self.rows + other.rows, self.surplus + other.surplus, self.missing + other.missing
        )

    @property
    def equal(self) -> bool:
        """Whether the contents are the answer to the query."""
        return not self.surplus and not self.missing


def verify(
    spark: SparkConnection,
    stored: str,
    query: str,
    columns: tuple[TableColumn, ...],
    where: str | None = None,
) -> Verified:
    """Compare the rows of a relation with those of a query, both ways, in one Spark job.

    Of both only the rows for which `where` holds.
    """
    keys = ", ".join(
        f"{_compared(spark, quote_identifier(column.name), column.type)} AS k{number}"
        for number, column in enumerate(columns)
    )
    names = ", ".join(quote_identifier(column.name) for column in columns)
    grouped = ", ".join(f"k{number}" for number in range(len(columns)))
    only = "" if where is None else f" WHERE {where}"
    sides = (
        f"SELECT {keys}, 1L AS here, 0L AS there FROM (SELECT {names} FROM {stored}){only}"
        f" UNION ALL SELECT {keys}, 0L, 1L FROM (SELECT * FROM ({query}\n) AS q({names})){only}"
    )
    counts = f"SELECT sum(here) AS h, sum(there) AS t FROM ({sides}) GROUP BY {grouped}"
    sums = "coalesce(sum(h), 0), sum(greatest(h - t, 0)), sum(greatest(t - h, 0))"
    row = spark.run(own_text(f"SELECT {sums} FROM ({counts})")).rows[0]
    return Verified(*(int(value or 0) for value in row))


def _compared(spark: SparkConnection, value: str, kind: str) -> str:
    if kind in ("float", "double"):
        # Adding zero makes one zero of the two there are.
        return f"format_string('%.11e', CAST({value} AS DOUBLE) + 0.0D)"
    return spark.canonical(value, kind)
