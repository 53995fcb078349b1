"""Columns that rows are given when they come, beside a query that is maintained without them.

Law: a row is told by its other columns alone. One that comes gets its values once, one that stays
keeps them, and of rows that are equal but for them any one may go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from headwater.catalog.dynamic_tables import DynamicTable, OwnColumn
from headwater.catalog.objects import Table
from headwater.lake.commits.weighted_rows import MISSING_ROW
from headwater.lake.commits.writes import Append, Change, Nothing, Overwrite, Rewrite, Write
from headwater.names import quote_identifier
from headwater.sql.once_per_row import without_given

Canonical = Callable[[str, str], str]
_NUMBER = "`#copy`"


def given_of(dynamic: DynamicTable) -> tuple[OwnColumn, ...]:
    """The columns of a dynamic table that are no part of its rows' identity."""
    return tuple(column for column in dynamic.columns or () if column.given is not None)


def rows_query(dynamic: DynamicTable) -> str:
    """The query that is maintained: without the columns that rows are given."""
    aliases = [column.alias or column.name for column in given_of(dynamic)]
    return without_given(dynamic.query, aliases) if aliases else dynamic.query


def own_names(dynamic: DynamicTable, table: Table) -> tuple[str, ...]:
    """The columns of the table that the maintained query gives, in their order."""
    given = {column.name.lower() for column in given_of(dynamic)}
    every = dynamic.columns or table.shape.columns
    return tuple(column.name for column in every if column.name.lower() not in given)


@dataclass(frozen=True, slots=True)
class Giving:
    """How a write of the maintained columns becomes one of all of them.

    `types` are those of all columns, `stored` is the table as it stands, `canonical` makes a value
    comparable.
    """

    names: tuple[str, ...]
    given: tuple[OwnColumn, ...]
    types: Mapping[str, str]
    stored: str
    canonical: Canonical

    def write(self, write: Write) -> Write:
        """The same rows come and go, with what they are given."""
        if not self.given:
            return write
        match write:
            case Nothing():
                return write
            case Append(rows):
                return Append(self._with_values(rows))
            case Overwrite(rows):
                return replace(write, rows=self._with_values(rows))
            case Change(delta, weight):
                return Change(self._change(delta, quote_identifier(weight)), weight)
            case Rewrite():
                raise AssertionError("rows that keep what they were given are not written anew")

    def _with_values(self, rows: str, *more: str) -> str:
        values = [f"{column.given} AS {quote_identifier(column.name)}" for column in self.given]
        return f"SELECT {', '.join([*self._listed(), *values, *more])} FROM ({rows})"  # noqa: S608

    def _change(self, delta: str, weight: str) -> str:
        """Rows that come one by one, as each has values of its own; rows that go as they are."""
        every = [*self._listed(), *(quote_identifier(column.name) for column in self.given)]
        coming = self._with_values(
            f"SELECT *, explode(sequence(1L, {weight})) AS {_NUMBER} FROM ({delta})"  # noqa: S608
            f" WHERE {weight} > 0",
            f"1L AS {weight}",
        )
        going = self._going(delta, weight, every)
        groups = [self._comparable(name) for name in (*self.names, *(c.name for c in self.given))]
        first = ", ".join(f"any_value({name}) AS {name}" for name in every)
        return (
            f"SELECT {first}, sum({weight}) AS {weight} FROM ({coming} UNION ALL {going})"  # noqa: S608
            f" GROUP BY {', '.join(groups)}"
        )

    def _going(self, delta: str, weight: str, every: list[str]) -> str:
        """Each copy that goes with one of the table; if there is none, running it fails."""
        number = f"{_NUMBER} = d.{_NUMBER}"
        same = " AND ".join([*(f"s.{key} <=> d.{key}" for key in self._keys()), f"s.{number}"])
        parts = ", ".join(self._comparable(name, "s") for name in self.names)
        copies = f"row_number() OVER (PARTITION BY {parts} ORDER BY 1) AS {_NUMBER}"
        stored = f"SELECT s.*, {self._keyed('s')}, {copies} FROM {self.stored} AS s"  # noqa: S608
        gone = (
            f"SELECT {self._keyed('d')}, explode(sequence(1L, -d.{weight})) AS {_NUMBER}"  # noqa: S608
            f" FROM ({delta}) AS d WHERE d.{weight} < 0"
        )
        there = f"if(s.{_NUMBER} IS NULL, raise_error('{MISSING_ROW}'), -1L) AS {weight}"
        return (
            f"SELECT {', '.join(f's.{name}' for name in every)}, {there}"  # noqa: S608
            f" FROM ({gone}) AS d LEFT JOIN ({stored}) AS s ON {same}"
        )

    def _keyed(self, alias: str) -> str:
        pairs = zip(self.names, self._keys(), strict=True)
        return ", ".join(f"{self._comparable(name, alias)} AS {key}" for name, key in pairs)

    def _listed(self) -> list[str]:
        return [quote_identifier(name) for name in self.names]

    def _keys(self) -> list[str]:
        return [f"`#key {number}`" for number in range(len(self.names))]

    def _comparable(self, name: str, alias: str | None = None) -> str:
        value = quote_identifier(name) if alias is None else f"{alias}.{quote_identifier(name)}"
        return self.canonical(value, self.types[name])
