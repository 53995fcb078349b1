"""What only Spark can say of a query: whether we read it as Spark does, and the types in its tree.

Asked once for each query in a session: the answer does not depend on rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from sqlglot import exp

from headwater.algebra.nodes import ColumnType, Query, Types, columns_of
from headwater.algebra.render import render
from headwater.algebra.rewrites.split_averages import split_averages
from headwater.algebra.walk import nodes_of, scalars_of
from headwater.lake.spark_session import SparkConnection
from headwater.refresh.definition import Definition
from headwater.refresh.facts import Problem
from headwater.refresh.reasons import Reason
from headwater.refresh.relations import PinnedSource, SparkRelations
from headwater.sql.edits import EditedText, own_text


@dataclass(frozen=True, slots=True)
class Understanding:
    """The types of all columns, or why the tree must not be used."""

    query: Query | None = None
    """The tree in the form in which it is kept current."""
    types: Types = field(default_factory=dict)
    problem: Problem | None = None


@dataclass(slots=True)
class Understandings:
    """The queries that a session has asked about, by what decides their meaning."""

    known: dict[tuple[str, ...], Understanding] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    """Spark's own."""

    def of(
        self,
        definition: Definition,
        spark: SparkConnection,
        sources: Mapping[str, PinnedSource],
        text: Callable[[], AbstractContextManager[EditedText]],
    ) -> Understanding:
        """What Spark says of a query whose text, over tables as they are now, `text` gives."""
        columns = "".join(source.signature for source in sources.values())
        key = (definition.check or "", definition.fingerprint, columns)
        if key not in self.known:
            self.functions = self.functions or spark.system_functions()
            with text() as whole:
                self.known[key] = self._ask(definition, spark, sources, whole)
        return self.known[key]

    def _ask(
        self,
        definition: Definition,
        spark: SparkConnection,
        sources: Mapping[str, PinnedSource],
        text: EditedText,
    ) -> Understanding:
        if definition.query is None or definition.check is None:
            return Understanding(problem=definition.not_incremental)
        foreign = sorted(_called(definition.query) - self.functions)
        if foreign:
            what = f"the function {foreign[0]}, which is not one of Spark"
            return Understanding(problem=Problem(Reason.NOT_INCREMENTAL, what))
        if not spark.same_plan(text, own_text(definition.check)):
            return Understanding(problem=Problem(Reason.NOT_PROVEN, "its plan differs from ours"))
        types = _types(definition.query, spark, sources, {})
        query = split_averages(definition.query, types)
        return Understanding(query, _types(query, spark, sources, types))


def _called(query: Query) -> frozenset[str]:
    """The functions that the parser does not know by itself: one of a user may be an aggregate."""
    return frozenset(
        call.name.lower()
        for node in nodes_of(query.tree)
        for scalar in scalars_of(node)
        for call in scalar.find_all(exp.Anonymous)
    )


def _types(
    query: Query, spark: SparkConnection, sources: Mapping[str, PinnedSource], known: Types
) -> Types:
    """The type of every column; those that are known are not asked for again."""
    relations = SparkRelations(sources, {}, lambda value, kind: value)
    found: dict[str, ColumnType] = dict(known)
    within = spark.types_within(own_text(render(query.tree, relations)))
    found |= {id: ColumnType(*type) for id, type in within.items() if id not in known}
    for node in nodes_of(query.tree):
        if not set(columns_of(node)) <= found.keys():
            asked = own_text(render(node, relations))
            found |= {c.name: ColumnType(c.type, c.nullable) for c in spark.columns_of(asked)}
    return found
