"""CREATE VIEW and ALTER VIEW; the query is kept as it was typed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_identifier, quote_literal
from headwater.sql.cursor import Cursor

ViewColumn = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE [OR REPLACE] VIEW [IF NOT EXISTS] v [(col [COMMENT ..], ..)] [COMMENT ..] AS query."""

    name: ObjectName
    query: str
    columns: tuple[ViewColumn, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False
    comment: str | None = None
    query_span: Span | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = "CREATE OR REPLACE VIEW" if self.or_replace else "CREATE VIEW"
        if self.if_not_exists:
            head += " IF NOT EXISTS"
        head += f" {self.name}"
        if self.columns:
            head += f" ({', '.join(_column(c) for c in self.columns)})"
        if self.comment is not None:
            head += f" COMMENT {quote_literal(self.comment)}"
        return f"{head} AS {self.query}"


@dataclass(frozen=True, slots=True)
class AlterView:
    """ALTER VIEW v AS query, RENAME TO, or SET COMMENT: exactly one of the three."""

    name: ObjectName
    query: str | None = None
    query_span: Span | None = None
    rename_to: ObjectName | None = None
    comment: str | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        if self.query is not None:
            return f"ALTER VIEW {self.name} AS {self.query}"
        if self.rename_to is not None:
            return f"ALTER VIEW {self.name} RENAME TO {self.rename_to}"
        return f"ALTER VIEW {self.name} SET COMMENT {quote_literal(self.comment or '')}"


def _column(column: ViewColumn) -> str:
    name, comment = column
    return quote_identifier(name) + (f" COMMENT {quote_literal(comment)}" if comment else "")


def parse_create_view(cursor: Cursor) -> CreateView:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    cursor.expect("VIEW")
    start = cursor.token.start
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if or_replace and if_not_exists:
        span = Span(start, cursor.token.start - 1)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    view = CreateView(
        cursor.object_name("the view's name"),
        "",
        or_replace=or_replace,
        if_not_exists=if_not_exists,
    )
    if cursor.at_symbol("("):
        view = replace(view, columns=cursor.comma_list(_view_column))
    if cursor.accept("COMMENT"):
        cursor.accept_symbol("=")
        view = replace(view, comment=cursor.string())
    query, span = _query(cursor)
    return replace(view, query=query, query_span=span)


def _view_column(cursor: Cursor) -> ViewColumn:
    name = cursor.name("a column name")
    return name, cursor.string() if cursor.accept("COMMENT") else None


def _query(cursor: Cursor) -> tuple[str, Span]:
    cursor.expect("AS")
    if cursor.at_end:
        cursor.fail_expected("a query")
    return cursor.rest()


def parse_alter_view(cursor: Cursor) -> AlterView:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "VIEW")
    name = cursor.object_name("the view's name")
    if cursor.at("AS"):
        query, span = _query(cursor)
        return AlterView(name, query=query, query_span=span)
    word = cursor.one_of(("AS", "RENAME", "SET"))
    if word == "RENAME":
        cursor.expect("TO")
        altered = AlterView(name, rename_to=cursor.object_name("the new name"))
    else:
        cursor.expect("COMMENT")
        cursor.accept_symbol("=")
        altered = AlterView(name, comment=cursor.string())
    cursor.expect_end()
    return altered
