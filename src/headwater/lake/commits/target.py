"""A table that is written to, and what was written before it is committed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from headwater.errors import InternalError
from headwater.lake.commits.delta_transaction import DeltaTransaction
from headwater.lake.commits.leftovers import vector_path
from headwater.lake.commits.stored_table import Body, StoredTable
from headwater.lake.commits.weighted_rows import named, numbered
from headwater.lake.commits.writes import How

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


@dataclass(frozen=True, slots=True)
class Outcome:
    """Files that were written for a commit, and which live ones it removes or marks."""

    how: How
    inserted: int
    deleted: int
    written: tuple[Body, ...] = ()
    removed: tuple[Body, ...] = ()
    marked: tuple[Body, ...] = ()
    vectors: tuple[Body, ...] = ()
    copied: int = 0

    @property
    def paths(self) -> Iterator[str]:
        """The files that are garbage if there is no commit."""
        yield from (file["path"] for file in self.written)
        yield from (path for vector in self.vectors if (path := vector_path(vector)))

    @property
    def metrics(self) -> Mapping[str, int]:
        """The counts, under Delta's names for an operation by which rows come and go."""
        return {
            "operationNumSourceRows": self.inserted + self.deleted,
            "numTargetRowsInserted": self.inserted,
            "numTargetRowsUpdated": 0,
            "numTargetRowsDeleted": self.deleted,
            "numTargetRowsCopied": self.copied,
            "numTargetFilesAdded": len(self.written),
            "numTargetFilesRemoved": len(self.removed) - len(self.marked),
        }


@dataclass(frozen=True)
class Target:
    """A table at the version that a transaction was opened at."""

    session: SparkSession
    transaction: DeltaTransaction
    stored: StoredTable
    location: str

    @cached_property
    def rows(self) -> DataFrame:
        """All its rows."""
        return self.transaction.rows_of(self.stored.files)

    @cached_property
    def schema(self) -> StructType:
        """Its columns."""
        return self.rows.schema

    def query(self, text: str, *more: str) -> DataFrame:
        """The rows of a query with the columns c0, c1, .. of the table, behind `more`."""
        return numbered(self.session.sql(text), self.schema, *more)

    def write(self, numbered_rows: DataFrame) -> tuple[Body, ...]:
        """Write rows with the columns c0, c1, .. into files."""
        return tuple(self.transaction.write(named(numbered_rows, self.schema)))

    def missing_row(self, *, detail: str | None = None) -> InternalError:
        """The error if a row that is to go is not there."""
        return InternalError("REFRESH_DELETES_MISSING_ROW", table=self.location, detail=detail)
