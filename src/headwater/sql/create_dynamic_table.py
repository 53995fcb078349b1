"""CREATE [OR REPLACE] DYNAMIC TABLE: what a query gives, kept as a table; the query as typed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_identifier, quote_literal
from headwater.sql.create_table import parse_clustering
from headwater.sql.cursor import Cursor
from headwater.sql.properties import Properties, parse_properties, render_properties
from headwater.sql.refresh_clause import RefreshClause, parse_refresh_clause, parse_refresh_mode
from headwater.sql.types import parse_type

_CLAUSES = (
    "PARTITIONED",
    "CLUSTERED",
    "COMMENT",
    "PROPERTIES",
    "REFRESH",
    "REFRESH_MODE",
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
    """CREATE [OR REPLACE] DYNAMIC TABLE [IF NOT EXISTS] d .. AS query."""

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
    name_span: Span | None = field(default=None, compare=False)
    query_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = "CREATE OR REPLACE DYNAMIC TABLE" if self.or_replace else "CREATE DYNAMIC TABLE"
        lines = [f"{head} {'IF NOT EXISTS ' if self.if_not_exists else ''}{self.name}"]
        if self.columns:
            lines[0] += " (\n  " + ",\n  ".join(c.to_sql() for c in self.columns) + "\n)"
        if self.partitioned_by:
            lines.append(f"PARTITIONED BY ({_names(self.partitioned_by)})")
        if self.clustered_by:
            lines.append(self._clustering())
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        if self.properties:
            lines.append(f"PROPERTIES ({render_properties(self.properties)})")
        if self.refresh is not None:
            lines.append(self.refresh.to_sql())
        if self.mode is not None:
            lines.append(f"REFRESH_MODE = {self.mode}")
        return "\n".join([*lines, f"AS {self.query}"])

    def _clustering(self) -> str:
        text = f"CLUSTERED BY ({_names(self.clustered_by)})"
        if self.sorted_by:
            text += f" SORTED BY ({_names(self.sorted_by)})"
        return text + (f" INTO {self.buckets} BUCKETS" if self.buckets else "")


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(quote_identifier(name) for name in names)


def parse_create_dynamic_table(cursor: Cursor) -> CreateDynamicTable:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    cursor.expect("DYNAMIC", "TABLE")
    start = cursor.token.start
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS") or if_not_exists
    if or_replace and if_not_exists:
        span = Span(start, cursor.token.start - 1)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    start = cursor.token.start
    name = cursor.object_name("the dynamic table's name")
    name_span = Span(start, cursor.tokens[cursor.position - 1].end)
    statement = CreateDynamicTable(
        name, "", or_replace=or_replace, if_not_exists=if_not_exists, name_span=name_span
    )
    if cursor.at_symbol("("):
        statement = replace(statement, columns=cursor.comma_list(_column))
    while not cursor.at_end and not cursor.at("AS"):
        statement = _clause(cursor, statement)
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


def _clause(cursor: Cursor, statement: CreateDynamicTable) -> CreateDynamicTable:
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
    if cursor.at("TARGET_LAG"):
        cursor.fail("TARGET_LAG is no clause here", hint="write REFRESH INTERVAL 5 MINUTE")
    cursor.one_of(_CLAUSES)
    return statement


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
    }
    if given.get(cursor.token.upper):
        cursor.fail(f"{cursor.token.upper} stands here twice")


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
