"""What a statement gives back: columns, rows, and how many rows it touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import pyarrow

Row = tuple[Any, ...]

WARNING = "warning: "
"""How a message begins that belongs to rows."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result; `type` is the SQL type in lower case, such as `decimal(10,2)`."""

    name: str
    type: str


def string_columns(*names: str) -> tuple[Column, ...]:
    """Columns that are all strings, as most SHOW results are."""
    return tuple(Column(name, "string") for name in names)


@dataclass(frozen=True, eq=False)
class Result:
    """The result of one statement.

    A statement that returns no rows (DDL, DML) has no columns; `rowcount` is then the number of
    rows it changed, or -1 where that means nothing. `message` is one line for a person to read.
    """

    schema: tuple[Column, ...] = ()
    rowcount: int = -1
    message: str = ""
    job_id: str = ""
    source: Any = None
    """The rows as they came: a list of tuples, or an Arrow table to be converted when asked for."""
    time_zone: str = "UTC"

    @classmethod
    def from_rows(cls, schema: Sequence[Column], rows: Sequence[Row]) -> Result:
        """A result made in Python."""
        return cls(schema=tuple(schema), rowcount=len(rows), source=list(rows))

    @classmethod
    def from_arrow(
        cls, schema: Sequence[Column], table: pyarrow.Table, *, time_zone: str
    ) -> Result:
        """A result handed over by Spark."""
        rowcount = table.num_rows
        return cls(schema=tuple(schema), rowcount=rowcount, source=table, time_zone=time_zone)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.schema]

    @property
    def returns_rows(self) -> bool:
        """True for SELECT, SHOW, DESC and the like, even when no row was found."""
        return bool(self.schema)

    @cached_property
    def rows(self) -> list[Row]:
        """The rows as tuples of Python values."""
        if self.source is None:
            return []
        if isinstance(self.source, list):
            return self.source
        from headwater.arrow_rows import rows_of

        return rows_of(self.source, time_zone=self.time_zone)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows) if isinstance(self.source, list) else max(self.rowcount, 0)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Each row as a dictionary."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_arrow(self) -> pyarrow.Table:
        """The result as an Arrow table."""
        if self.source is not None and not isinstance(self.source, list):
            return self.source
        from headwater.arrow import table_of

        return table_of(self.schema, self.rows, time_zone=self.time_zone)

    def to_pandas(self) -> pandas.DataFrame:
        """The result as a pandas data frame (needs the `pandas` extra)."""
        return self.to_arrow().to_pandas()

    def show(self, *, limit: int | None = 100) -> None:
        """Print the result as a table."""
        print(self._as_text(limit))

    def __repr__(self) -> str:
        return self._as_text(20)

    def _as_text(self, limit: int | None) -> str:
        if not self.returns_rows:
            return self.message or "done"
        from headwater.tables_as_text import as_text

        return as_text(self, limit=limit)
