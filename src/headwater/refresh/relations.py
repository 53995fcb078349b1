"""The leaves of a tree as Spark finds them: sources at their pinned versions, changes, itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from headwater.algebra.nodes import (
    WEIGHT,
    Changes,
    ColumnId,
    Join,
    JoinKind,
    Node,
    Scan,
    Shared,
    Snapshot,
    Stored,
    Types,
)
from headwater.names import quote_identifier
from headwater.refresh.sizes import FEW, most_rows

_CAME = "'INSERT', 'UPDATE_AFTER'"


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """A relation of what happened to each row, in which version, and then these columns."""

    relation: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PinnedSource:
    """A source of one refresh: its name for Spark, and the versions of the two snapshots.

    `changes` is the relation of what changed between them, if anything did.
    """

    spark_name: str
    old_version: int | None
    new_version: int
    changes: ChangedRows | None = None
    signature: str = ""
    """Of its columns: their types, and whether they may be NULL."""


@dataclass(frozen=True, slots=True)
class SparkRelations:
    """Says for each leaf what stands after FROM."""

    sources: Mapping[str, PinnedSource]
    types: Types
    canonical_of: Callable[[str, str], str]
    stored_as: str = ""
    snapshots: Mapping[tuple[str, Snapshot], str] = field(default_factory=dict)
    """Views of sources at a snapshot, where there are such."""
    states: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    """The temporary views of shared parts."""
    changed_rows: Mapping[str, int | None] | None = None
    """Of each source, where sides of joins are to be judged by them."""
    part_rows: Mapping[str, float] = field(default_factory=dict)
    one_task: bool = False
    """Whether all is to be done by one task."""

    def scan(self, scan: Scan) -> str:
        """A source as it was or is."""
        source = self.sources[scan.source]
        view = self.snapshots.get((scan.source, scan.at))
        if view is not None:
            return quote_identifier(view)
        version = source.old_version if scan.at is Snapshot.OLD else source.new_version
        return f"{source.spark_name} VERSION AS OF {version}"

    def changes(self, changes: Changes) -> str:
        """The changed rows of a source: an update is one that went and one that came.

        Columns are taken by their places: a source may have one that is called like ours.
        """
        found = self.sources[changes.source].changes
        assert found is not None
        places = {name.lower(): f"`{place}`" for place, name in enumerate(found.columns)}
        columns = [
            f"{places[item.name.lower()]} AS {quote_identifier(item.id)}" for item in changes.fields
        ]
        weight = f"IF(`type` IN ({_CAME}), 1L, -1L) AS {quote_identifier(WEIGHT)}"
        named = ", ".join(["`type`", "`version`", *places.values()])
        rows = f"{found.relation} AS `#changes`({named})"
        return f"(SELECT {', '.join([*columns, weight])} FROM {rows})"  # noqa: S608

    def stored(self, stored: Stored) -> str:
        """The dynamic table before this refresh, or a state of it."""
        return self.stored_as if stored.state is None else self.states[stored.state]

    def shared(self, shared: Shared) -> str:
        """A part that was worked out before."""
        return quote_identifier(self.parts[shared.part])

    def few(self, join: Join) -> Node | None:
        """The side that the changes keep small; the other side is then not moved at all."""
        if self.changed_rows is None:
            return None
        left = most_rows(join.left, self.changed_rows, self.part_rows)
        right = most_rows(join.right, self.changed_rows, self.part_rows)
        if right <= FEW and (right <= left or join.kind is not JoinKind.INNER):
            return None if join.kind is JoinKind.FULL else join.right
        return join.left if left <= FEW and join.kind is JoinKind.INNER else None

    def canonical(self, id: ColumnId) -> str:
        """How a column is grouped by."""
        found = self.types.get(id.rstrip("'"))
        name = quote_identifier(id)
        return name if found is None else self.canonical_of(name, found.type)
