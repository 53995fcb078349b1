"""The things a lake knows of, as plain data; the store reads and writes them.

Invariant: a table is visible exactly while it is ACTIVE. CREATING marks an intent whose Delta
commit may or may not have happened; recovery turns it into ACTIVE or removes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.streams import StreamMove


class TableKind(StrEnum):
    """What a name in a schema stands for."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    KAFKA = "KAFKA"
    """An external table over topics: its rows are messages, and nothing of it is stored here."""
    STREAM = "STREAM"
    """The changes of a table or a volume; the rest of it is a `Stream` with the same id."""
    DYNAMIC = "DYNAMIC"
    """A table that a query defines; the rest of it is a `DynamicTable` with the same id."""
    MATERIALIZED_VIEW = "MATERIALIZED_VIEW"
    """The same, and queries may be rewritten onto it."""

    @property
    def words(self) -> str:
        """What statements call it: DROP <words>."""
        words = {
            TableKind.KAFKA: "TABLE",
            TableKind.STREAM: "TABLE STREAM",
            TableKind.DYNAMIC: "DYNAMIC TABLE",
            TableKind.MATERIALIZED_VIEW: "MATERIALIZED VIEW",
        }
        return words.get(self, self.value)

    @property
    def stores_rows(self) -> bool:
        """Whether it is a Delta table, with files and versions."""
        return self is TableKind.TABLE or self.is_refreshed

    @property
    def is_refreshed(self) -> bool:
        """Whether its rows are those of a query, which refreshes keep current."""
        return self in (TableKind.DYNAMIC, TableKind.MATERIALIZED_VIEW)


class TableState(StrEnum):
    """Where a table is in its life."""

    CREATING = "CREATING"
    ACTIVE = "ACTIVE"
    DROPPED = "DROPPED"


class Operation(StrEnum):
    """What made a version of a table, as DESC HISTORY shows it."""

    CREATE = "CREATE"
    CREATE_TABLE_AS = "CREATE_TABLE_AS"
    REPLACE = "REPLACE"
    REPLACE_TABLE_AS = "REPLACE_TABLE_AS"
    INSERT_INTO = "INSERT_INTO"
    INSERT_OVERWRITE = "INSERT_OVERWRITE"
    COPY_INTO = "COPY_INTO"
    COPY_OVERWRITE = "COPY_OVERWRITE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    MERGE_INTO = "MERGE_INTO"
    TRUNCATE = "TRUNCATE"
    ALTER = "ALTER"
    UPGRADE = "UPGRADE"
    """A table made ready for an ALTER that then did not happen, because its process died."""
    RESTORE = "RESTORE"
    COMPACTION = "COMPACTION"
    REFRESH = "REFRESH"


KEEP_ROWS = (Operation.ALTER, Operation.UPGRADE, Operation.COMPACTION)
"""After these a table has the rows it had before."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The top of every name."""

    id: str
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Schema:
    """A folder of tables, views and, later, volumes, pipes and streams."""

    id: str
    workspace: str
    name: str
    creator: str
    created_at: datetime
    modified_at: datetime
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of a table or view; `type` is Spark's short text, such as `decimal(10,2)`."""

    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    constraint: str = ""
    """DEFAULT or GENERATED, as CREATE TABLE writes it."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Rows and bytes of one version of a table; None where the log does not say."""

    rows: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TableShape:
    """What the Delta log says a table looks like at `delta_version` (-1: nothing committed yet)."""

    delta_version: int = -1
    columns: tuple[TableColumn, ...] = ()
    partition_columns: tuple[str, ...] = ()
    cluster_columns: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    totals: Totals = Totals()


@dataclass(frozen=True, slots=True)
class Table:
    """A table or a view.

    `location` is where the Delta files are: for a managed table as seen from the lake folder, else
    a path or URL; empty for a view. `view_text` is the query of a view as typed, or the statement
    that made a Kafka table; `view_schema` is the schema in which the names of a view are resolved.
    """

    id: str
    workspace: str
    schema: str
    name: str
    kind: TableKind
    state: TableState
    creator: str
    created_at: datetime
    modified_at: datetime
    location: str = ""
    managed: bool = True
    shape: TableShape = TableShape()
    view_text: str | None = None
    view_schema: str | None = None
    dropped_at: datetime | None = None
    created_by_job: str | None = None

    @property
    def comment(self) -> str | None:
        """The comment, which for a table is kept in the Delta log."""
        return self.shape.comment


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table or view in a listing: no more of it than a list of thousands should load."""

    schema: str
    name: str
    kind: TableKind
    managed: bool


@dataclass(frozen=True, slots=True)
class TableVersion:
    """One version as users count them: CREATE is 1, each statement that commits adds one.

    `delta_version` is the last Delta version the statement made; it may have made several.
    """

    version: int
    delta_version: int
    committed_at: datetime
    operation: str
    user: str
    job_id: str | None = None
    totals: Totals = Totals()
    rows_inserted: int | None = None
    rows_updated: int | None = None
    rows_deleted: int | None = None
    consumed: tuple[StreamMove, ...] = ()
    """The streams that its commit consumed; not stored with it, but carried out."""
    refreshed: RefreshMark | None = None
    """The refresh of a dynamic table that its commit is; not stored with it, but carried out."""

    @property
    def rows_changed(self) -> int:
        """How many rows it inserted, updated or deleted."""
        counts = (self.rows_inserted, self.rows_updated, self.rows_deleted)
        return sum(count for count in counts if count is not None)


@dataclass(frozen=True, slots=True)
class Around:
    """The versions on both sides of a place in a table's history."""

    reached: TableVersion | None = None
    following: TableVersion | None = None
