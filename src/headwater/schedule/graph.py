"""Which dynamic table reads which, as the schedule needs it. Pure.

Law: where two ways lead from a table to one that it reads through others, `needs` names the tables
on these ways: only if they are refreshed with it do both ways show the same versions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from headwater.catalog.schedules import ScheduledTable


@dataclass(slots=True)
class Graph:
    """The dynamic tables of a lake by their ids; what else they read are tables without sources."""

    tables: Mapping[str, ScheduledTable]
    joins: Callable[[ScheduledTable], bool] = lambda table: table.moves
    """Whether a table may be refreshed because another one needs it."""
    _reached: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tables: Iterable[ScheduledTable],
        joins: Callable[[ScheduledTable], bool] = lambda table: table.moves,
    ) -> Graph:
        """The graph of these tables."""
        return cls({table.id: table for table in tables}, joins)

    def parents(self, table_id: str) -> list[str]:
        """The dynamic tables that a table reads itself."""
        return [source for source in self.tables[table_id].sources if source in self.tables]

    def reached(self, table_id: str) -> frozenset[str]:
        """A table and everything that it reads, itself or through others."""
        known = self._reached.get(table_id)
        if known is None:
            found, left = {table_id}, [table_id]
            while left:
                table = self.tables.get(left.pop())
                new = set(table.sources if table is not None else ()) - found
                found |= new
                left += new
            known = self._reached[table_id] = frozenset(found)
        return known

    def needs(self, table_id: str) -> Iterator[str]:
        """The dynamic tables that have to be refreshed with a table, because they can be.

        They are the parents that wait for a reader to be refreshed, and those on two ways to one
        source. What stands still, suspended or refreshed by hand, is read as it stands.
        """
        table = self.tables[table_id]
        wanted = {parent for parent in self.parents(table_id) if self._follows(parent)}
        for left, right in combinations(dict.fromkeys(table.sources), 2):
            shared = self.reached(left) & self.reached(right)
            if shared:
                both = (self.reached(left) | self.reached(right)) - shared
                wanted |= {id for id in both if not shared.isdisjoint(self.reached(id))}
        for id in wanted:
            if id in self.tables and self.joins(self.tables[id]):
                yield id

    def with_needs(self, table_id: str) -> frozenset[str]:
        """A table and all that it needs, and what those need."""
        found, left = {table_id}, [table_id]
        while left:
            for needed in self.needs(left.pop()):
                if needed not in found:
                    found.add(needed)
                    left.append(needed)
        return frozenset(found)

    def in_order(self, ids: Collection[str]) -> list[str]:
        """These tables, each behind those of them that it reads; a circle is left out."""
        inside = {id: [p for p in self.parents(id) if p in ids and p != id] for id in ids}
        # By age, so that the same tables always come in the same order.
        left, order = [id for id in self.tables if id in inside], list[str]()
        placed = set[str]()
        while left:
            ready = [id for id in left if placed.issuperset(inside[id])]
            if not ready:
                break
            order += ready
            placed.update(ready)
            left = [id for id in left if id not in placed]
        return order

    def _follows(self, parent: str) -> bool:
        schedule = self.tables[parent].schedule
        return schedule is not None and schedule.downstream
