"""CREATE [OR REPLACE] DYNAMIC TABLE: what a query gives, kept as a table; the query as typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_identifier, quote_literal
from headwater.sql.create_table import Clustering, parse_clustering, quoted_names
from headwater.sql.cursor import Cursor
from headwater.sql.properties import Properties, parse_properties, render_properties
from headwater.sql.refresh_clause import RefreshClause, parse_refresh_clause, parse_refresh_mode
from headwater.sql.refreshed_kinds import RefreshedKind, parse_kind
from headwater.sql.target_lag import ON_SCHEDULE, TargetLag, parse_initialize, parse_target_lag
from headwater.sql.types import parse_type

_CLAUSES = (
    "PARTITIONED",
    "CLUSTERED",
    "COMMENT",
    "IMMUTABLE",
    "PROPERTIES",
    "REFRESH",
    "REFRESH_MODE",
    "TARGET_LAG",
    "INITIALIZE",
    "AS",
)


@dataclass(frozen=True, slots=True)
class DynamicColumn:
    """One column of the list: a name, perhaps a type that the query must give, and a comment."""

    name: str
    type: str | None = None
    comment: str | None = None
    span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The column as it stands in the list."""
        text = quote_identifier(self.name) + (f" {self.type}" if self.type else "")
        return text + (f" COMMENT {quote_literal(self.comment)}" if self.comment else "")


@dataclass(frozen=True, slots=True)
class CreateDynamicTable:
    """CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] d .. AS query.

    A materialized view is one of another `kind`: BUILD DEFERRED is `initialize` ON_SCHEDULE there.
    """

    name: ObjectName
    query: str
    columns: tuple[DynamicColumn, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False
    partitioned_by: tuple[str, ...] = ()
    clustered_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()
    buckets: int | None = None
    comment: str | None = None
    properties: Properties = ()
    refresh: RefreshClause | None = None
    mode: str | None = None
    target_lag: TargetLag | None = None
    initialize: str | None = None
    immutable_where: str | None = None
    kind: RefreshedKind = RefreshedKind.DYNAMIC_TABLE
    query_rewrite: bool = True
    immutable_span: Span | None = field(default=None, compare=False)
    name_span: Span | None = field(default=None, compare=False)
    query_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = f"CREATE {'OR REPLACE ' if self.or_replace else ''}{self.kind}"
        lines = [f"{head} {'IF NOT EXISTS ' if self.if_not_exists else ''}{self.name}"]
        if self.columns:
            lines[0] += " (\n  " + ",\n  ".join(c.to_sql() for c in self.columns) + "\n)"
        if self.partitioned_by:
            lines.append(f"PARTITIONED BY ({quoted_names(self.partitioned_by)})")
        if self.clustered_by:
            clustering = Clustering(self.clustered_by, self.sorted_by, self.buckets)
            lines.append(clustering.to_sql())
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        if self.properties:
            lines.append(f"PROPERTIES ({render_properties(self.properties)})")
        if self.refresh is not None:
            lines.append(self.refresh.to_sql())
        if self.mode is not None:
            lines.append(f"REFRESH_MODE = {self.mode}")
        if self.target_lag is not None:
            lines.append(self.target_lag.to_sql())
        if self.kind is RefreshedKind.MATERIALIZED_VIEW:
            lines += ["BUILD DEFERRED"] if self.initialize == ON_SCHEDULE else []
            lines += [] if self.query_rewrite else ["DISABLE QUERY REWRITE"]
        elif self.initialize is not None:
            lines.append(f"INITIALIZE = {self.initialize}")
        if self.immutable_where is not None:
            lines.append(f"IMMUTABLE WHERE ({self.immutable_where})")
        return "\n".join([*lines, f"AS {self.query}"])


def parse_create_dynamic_table(cursor: Cursor) -> CreateDynamicTable:
    """Read the statement; the cursor stands before CREATE."""
    return parse_create(cursor, parse_clause)


Clause = Callable[[Cursor, CreateDynamicTable], CreateDynamicTable]
"""Takes one clause; gives the statement with it."""


def parse_create(cursor: Cursor, clause: Clause) -> CreateDynamicTable:
    """Read a dynamic table or a materialized view, which have some clauses in common."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    kind = parse_kind(cursor)
    start = cursor.token.start
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS") or if_not_exists
    if or_replace and if_not_exists:
        span = Span(start, cursor.token.start - 1)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    start = cursor.token.start
    name = cursor.object_name(kind.owner)
    name_span = Span(start, cursor.tokens[cursor.position - 1].end)
    statement = CreateDynamicTable(
        name, "", or_replace=or_replace, if_not_exists=if_not_exists, kind=kind, name_span=name_span
    )
    if cursor.at_symbol("("):
        statement = replace(statement, columns=cursor.comma_list(_column))
    while not cursor.at_end and not cursor.at("AS"):
        start = cursor.token.start
        statement = clause(cursor, statement)
        _require_one_schedule(statement, Span(start, cursor.tokens[cursor.position - 1].end))
    cursor.expect("AS")
    if cursor.at_end:
        cursor.fail_expected("a query")
    query, span = cursor.rest()
    return _with_sound_columns(replace(statement, query=query, query_span=span))


def _column(cursor: Cursor) -> DynamicColumn:
    span = cursor.token.span
    name = cursor.name("a column name")
    typed = cursor.token.kind == "word" and not cursor.at("COMMENT")
    column_type = parse_type(cursor) if typed else None
    comment = cursor.string() if cursor.accept("COMMENT") else None
    return DynamicColumn(name, column_type, comment, span)


def parse_clause(cursor: Cursor, statement: CreateDynamicTable) -> CreateDynamicTable:
    """Take one clause of a dynamic table."""
    _require_once(cursor, statement)
    if cursor.accept("PARTITIONED", "BY"):
        names = cursor.comma_list(lambda c: c.name("a column name"))
        return replace(statement, partitioned_by=names)
    if cursor.accept("CLUSTERED", "BY") or cursor.accept("CLUSTER", "BY"):
        clustering = parse_clustering(cursor)
        return replace(
            statement,
            clustered_by=clustering.columns,
            sorted_by=clustering.sorted_by,
            buckets=clustering.buckets,
        )
    if cursor.accept("COMMENT"):
        cursor.accept_symbol("=")
        return replace(statement, comment=cursor.string())
    if cursor.accept("PROPERTIES") or cursor.accept("TBLPROPERTIES"):
        return replace(statement, properties=parse_properties(cursor))
    if cursor.accept("REFRESH"):
        return replace(statement, refresh=parse_refresh_clause(cursor))
    if cursor.accept("REFRESH_MODE"):
        return replace(statement, mode=parse_refresh_mode(cursor))
    if cursor.accept("TARGET_LAG"):
        return replace(statement, target_lag=parse_target_lag(cursor))
    if cursor.accept("INITIALIZE"):
        return replace(statement, initialize=parse_initialize(cursor))
    if cursor.accept("IMMUTABLE"):
        cursor.expect("WHERE")
        text, span = _in_parentheses(cursor)
        return replace(statement, immutable_where=text, immutable_span=span)
    cursor.one_of(_CLAUSES)
    return statement


def _in_parentheses(cursor: Cursor) -> tuple[str, Span]:
    """The text between two parentheses, as typed, and its place."""
    first = cursor.position + 1
    if not cursor.at_symbol("("):
        cursor.expect_symbol("(")
    cursor.skip_parentheses()
    inner = cursor.tokens[first : cursor.position - 1]
    if not inner:
        cursor.fail_expected("a condition in parentheses")
    span = Span(inner[0].start, inner[-1].end)
    return cursor.text[span.start : span.end], span


def _require_once(cursor: Cursor, statement: CreateDynamicTable) -> None:
    given = {
        "PARTITIONED": statement.partitioned_by,
        "CLUSTERED": statement.clustered_by,
        "CLUSTER": statement.clustered_by,
        "PROPERTIES": statement.properties,
        "TBLPROPERTIES": statement.properties,
        "COMMENT": statement.comment is not None,
        "REFRESH": statement.refresh is not None,
        "REFRESH_MODE": statement.mode is not None,
        "TARGET_LAG": statement.target_lag is not None,
        "INITIALIZE": statement.initialize is not None,
        "IMMUTABLE": statement.immutable_where is not None,
    }
    if given.get(cursor.token.upper):
        cursor.fail(f"{cursor.token.upper} stands here twice")


def _require_one_schedule(statement: CreateDynamicTable, span: Span) -> None:
    """A lag is kept by whatever refreshes it takes; a cluster may be named beside it."""
    clause = statement.refresh
    if statement.target_lag is None or clause is None:
        return
    if clause.interval_seconds is not None or clause.start is not None:
        other = "REFRESH INTERVAL" if clause.start is None else "REFRESH START WITH"
        raise UserError("CLAUSES_EXCLUDE", first="TARGET_LAG", second=other, span=span)


def _with_sound_columns(statement: CreateDynamicTable) -> CreateDynamicTable:
    """No column twice; with a list, every partition and cluster column one of it."""
    known: set[str] = set()
    for column in statement.columns:
        if column.name.lower() in known:
            raise UserError(
                "COLUMN_ALREADY_EXISTS",
                column=column.name,
                table=statement.name,
                span=column.span,
            )
        known.add(column.name.lower())
    for name in (*statement.partitioned_by, *statement.clustered_by):
        if known and name.lower() not in known:
            raise UserError("COLUMN_NOT_DEFINED", name=name, table=statement.name)
    return statement
