"""A SELECT with every name resolved: stars, positions, aliases, USING, WITH and views are gone.

Invariant: Spark's optimized plan of the text it prints is that of the user's text. Binding reads
the same tree that is printed, so what that comparison proves holds for it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.dialect import parse_query
from headwater.algebra.qualifying.queries import Qualifier
from headwater.algebra.qualifying.scope import Names, Work
from headwater.algebra.sources import Resolve, SourceTable
from headwater.sql.dialect import Headwater


@dataclass(frozen=True, slots=True)
class Qualified:
    """The query, the tables that its aliases stand for, and how many columns it has."""

    query: exp.Expression
    tables: Mapping[str, SourceTable]
    width: int

    def to_sql(self) -> str:
        """The query for Spark, whose plan proves that we read it as Spark does."""
        return self.query.sql(dialect=Headwater)


def qualify(text: str, resolve: Resolve) -> Qualified:
    """The query of a text, whose relations `resolve` knows, or NotIncremental."""
    query = parse_query(text)
    work = Work()
    columns = Qualifier(work).query(query, Names(resolve), outer=None, top=True)
    return Qualified(query, work.tables, len(columns))
