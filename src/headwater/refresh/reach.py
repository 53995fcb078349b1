"""Which rows of a table a refresh reads and writes: those of its partition, and no frozen ones.

Law: outside of its reach a refresh leaves every row as it is. A row that the query gives outside of
the partition is an error; one that it gives among the frozen rows is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.catalog.objects import Table
from headwater.catalog.partitions import Partition
from headwater.lake.commits.writes import Append, Change, Nothing, Overwrite, Rewrite, Write
from headwater.names import quote_identifier, quote_literal
from headwater.refresh.partitions import OUTSIDE, condition_of


@dataclass(frozen=True, slots=True)
class Reach:
    """Conditions on the columns of the table, in Spark's words; None where there is none.

    `column` and `type` are those of the first partition column.
    """

    partition: str | None = None
    column: str = ""
    type: str = ""
    frozen: str | None = None

    def stored(self, relation: str) -> str:
        """The rows of the table that the refresh is about."""
        where = self.condition
        return relation if where is None else f"(SELECT * FROM {relation} WHERE {where})"  # noqa: S608

    @property
    def condition(self) -> str | None:
        """What holds for rows in reach."""
        parts = [part for part in (self.partition, _not(self.frozen)) if part is not None]
        return " AND ".join(f"({part})" for part in parts) or None

    def bounded(self, write: Write, names: tuple[str, ...]) -> Write:
        """A write that fails, and writes nothing, if a row lies outside of the partition."""
        match write:
            case Nothing():
                return write
            case Append(rows) | Overwrite(rows):
                return replace(write, rows=self._rows(rows, names))
            case Change(delta, weight):
                return replace(write, delta=self._rows(delta, (*names, weight)))
            case Rewrite(rows, fate):
                return replace(write, rows=self._rows(rows, (*names, fate)))

    def _rows(self, sql: str, names: tuple[str, ...]) -> str:
        if self.condition is None:
            return sql
        # In the list, not behind WHERE: Spark may move a condition to where rows are not final.
        listed = ", ".join(self._checked(name) for name in names)
        where = f" WHERE {_not(self.frozen)}" if self.frozen is not None else ""
        return f"SELECT {listed} FROM ({sql}\n){where}"  # noqa: S608 - names are quoted

    def _checked(self, name: str) -> str:
        quoted = quote_identifier(name)
        if self.partition is None or name != self.column:
            return quoted
        failing = f"CAST(raise_error({quote_literal(OUTSIDE)}) AS {self.type})"
        return f"IF({self.partition}, {quoted}, {failing}) AS {quoted}"


def reach_of(table: Table, partition: Partition | None, frozen: str | None) -> Reach:
    """The reach of a refresh of a partition, or of all, of a table with frozen rows or without."""
    if partition is None:
        return Reach(frozen=frozen)
    types = {column.name: column.type for column in table.shape.columns}
    first = partition.values[0][0]
    return Reach(condition_of(partition, types), first, types[first], frozen)


def _not(frozen: str | None) -> str | None:
    # What is NULL does not hold.
    return None if frozen is None else f"NOT coalesce(({frozen}\n), false)"
