"""The query of a dynamic table, understood: its tree, or why it stays one piece. No Spark."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.algebra.binding import bind
from headwater.algebra.nodes import Query, Scan
from headwater.algebra.ordered import bind_ordered
from headwater.algebra.qualified import qualify
from headwater.algebra.refusal import NotIncremental
from headwater.algebra.rewrites import simplify
from headwater.algebra.sources import Relation, SourceTable, SourceView
from headwater.algebra.walk import nodes_of, scalars_of
from headwater.catalog.objects import Table, TableKind
from headwater.errors import Span
from headwater.names import ObjectName
from headwater.refresh.facts import Problem
from headwater.refresh.reading import Reading, reading_of
from headwater.refresh.reasons import Reason
from headwater.runtime.open_lake import OpenLake
from headwater.sql.session_configs import parameter_keys, with_parameters
from headwater.tables.find import find_table
from headwater.tables.registration import spark_name

Columns = Mapping[str, Sequence[str]]
"""The columns that tables had when the dynamic table was made, by their ids."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A query and what it reads.

    `query` is None where `not_incremental` says why. `check` is the query as we read it, for Spark
    to compare with the text. `columns` are those that it needs of each source, `parameters` the
    values of those that it reads and that are set.
    """

    text: str
    reading: Reading
    query: Query | None
    check: str | None
    columns: Mapping[str, tuple[str, ...]]
    not_incremental: Problem | None = None
    span: Span | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameter_keys(self) -> tuple[str, ...]:
        """All parameters it reads, also those of views."""
        return parameter_keys(self.text, *(view.view_text or "" for view in self.reading.views))

    @property
    def sources(self) -> tuple[Table, ...]:
        """The tables it reads."""
        return self.reading.tables

    @property
    def reads_date(self) -> bool:
        """Whether rows depend on the day of the refresh."""
        if self.query is None:
            return "current_date" in self.text.lower() or "curdate" in self.text.lower()
        return any(
            scalar.find(exp.CurrentDate) is not None
            for node in nodes_of(self.query.tree)
            for scalar in scalars_of(node)
        )

    @property
    def fingerprint(self) -> str:
        """Of everything but data that decides about the rows."""
        parts = [self.text, *(view.view_text for view in self.reading.views)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def define(
    lake: OpenLake,
    text: str,
    *,
    names: tuple[str, ...],
    workspace: str,
    schema: str,
    columns: Columns,
    parameters: Mapping[str, str],
    ordered: bool = False,
) -> Definition:
    """The query of a text, whose names mean what they do there; `names` are its columns.

    `parameters` are those that the session has set. Rows that are stored have no order; those that
    are shown may be `ordered`.
    """
    reading = reading_of(lake.store, text, workspace=workspace, schema=schema)
    keys = parameter_keys(text, *(view.view_text or "" for view in reading.views))
    given = {key: parameters[key] for key in keys if key in parameters}
    if reading.functions:
        called = f"the function {reading.functions[0].name}, which is not one of Spark"
        return replace(_in_one_piece(text, reading, columns, called), parameters=given)
    filled = with_parameters(text, given)
    try:
        qualified = qualify(filled.text, Resolver(lake, workspace, schema, columns, given))
        query = simplify((bind_ordered if ordered else bind)(qualified, names))
    except NotIncremental as refusal:
        span = refusal.span and filled.original_span(refusal.span.start, refusal.span.end)
        refused = _in_one_piece(text, reading, columns, refusal.construct, span)
        return replace(refused, parameters=given)
    return Definition(text, reading, query, qualified.to_sql(), _needed(query), parameters=given)


def _in_one_piece(
    text: str, reading: Reading, columns: Columns, construct: str, span: Span | None = None
) -> Definition:
    problem = Problem(Reason.NOT_INCREMENTAL, construct)
    everything = {table.id: tuple(columns_then(table, columns)) for table in reading.tables}
    return Definition(text, reading, None, None, everything, problem, span)


def columns_then(table: Table, columns: Columns) -> Sequence[str]:
    """The columns a table had when the dynamic table was made, else those it has."""
    now = [column.name for column in table.shape.columns]
    return columns.get(table.id, now)


def _needed(query: Query) -> dict[str, tuple[str, ...]]:
    needed: dict[str, dict[str, None]] = {}
    for node in nodes_of(query.tree):
        if isinstance(node, Scan):
            needed.setdefault(node.source, {}).update({field.name: None for field in node.fields})
    return {source: tuple(fields) for source, fields in needed.items()}


def _as_it_is(table: Table) -> Table:
    return table


@dataclass(frozen=True, slots=True)
class Resolver:
    """What names of relations mean where a query was written.

    `shown` gives a table the columns that a query sees of it, where the catalog has others.
    """

    lake: OpenLake
    workspace: str
    schema: str
    columns: Columns
    parameters: Mapping[str, str]
    shown: Callable[[Table], Table] = _as_it_is

    def __call__(self, parts: tuple[str, ...]) -> Relation:
        name = ObjectName.of(*parts).qualified(workspace=self.workspace, schema=self.schema)
        table = self.shown(find_table(self.lake.store, name))
        if table.kind is TableKind.VIEW:
            inside = replace(
                self, workspace=table.workspace, schema=table.view_schema or table.schema
            )
            names = tuple(column.name for column in table.shape.columns)
            text = with_parameters(table.view_text or "", self.parameters).text
            return SourceView(text, names, inside)
        types = {column.name: column.type for column in table.shape.columns}
        kept = [(n, types[n]) for n in columns_then(table, self.columns) if n in types]
        shown = f"{table.schema}.{table.name}"
        return SourceTable(table.id, shown, spark_name(self.lake, table), tuple(kept))
