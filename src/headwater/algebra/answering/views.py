"""A stored query: its tree, and the table that holds its rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headwater.algebra.copies import fresh_copy
from headwater.algebra.nodes import ColumnId, Field, Node, Scan, columns_of


@dataclass(frozen=True, slots=True)
class StoredView:
    """The rows of `tree` are those of the table `source`, its columns those of the table in order.

    `columns` are names of the table's columns with their types, `name` is what users call it.
    """

    source: str
    name: str
    tree: Node
    columns: tuple[tuple[str, str], ...]

    def fresh(self, use: int) -> StoredView:
        """The same with ids that stand in no other tree: a view may be used several times."""
        numbers = iter(range(1 << 30))
        tree, _ = fresh_copy(self.tree, lambda name: f"{name}#mv{use}.{next(numbers)}")
        return replace(self, tree=tree)

    def scan(self, ids: Iterable[ColumnId]) -> Scan:
        """Its table, with these columns of the tree."""
        wanted = set(ids)
        pairs = zip(columns_of(self.tree), self.columns, strict=True)
        fields = tuple(Field(id, name) for id, (name, _) in pairs if id in wanted)
        return Scan(self.source, self.name, fields)

    def type_of(self, id: ColumnId) -> str:
        """The type of a column of the tree."""
        return self.columns[columns_of(self.tree).index(id)][1]
