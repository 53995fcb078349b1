"""CREATE [OR REPLACE] TABLE: columns, partitioning, clustering, properties, LIKE and AS SELECT."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, quote_identifier, quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.properties import Properties, parse_properties, render_properties
from headwater.sql.types import parse_type


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """One column: `type` is Spark's text, `constraint` what stands between it and the comment."""

    name: str
    type: str
    nullable: bool = True
    constraint: str = ""
    comment: str | None = None
    parents: tuple[str, ...] = ()
    """The structs around a field that ALTER TABLE adds."""

    def to_sql(self) -> str:
        """The column as it stands in CREATE TABLE."""
        path = ".".join(quote_identifier(part) for part in (*self.parents, self.name))
        parts = [path, self.type]
        if not self.nullable:
            parts.append("NOT NULL")
        if self.constraint:
            parts.append(self.constraint)
        if self.comment is not None:
            parts.append(f"COMMENT {quote_literal(self.comment)}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Clustering:
    """CLUSTERED BY (..) [SORTED BY (..)] [INTO n BUCKETS]."""

    columns: tuple[str, ...]
    sorted_by: tuple[str, ...] = ()
    buckets: int | None = None

    def to_sql(self) -> str:
        """The clause in its canonical spelling."""
        text = f"CLUSTERED BY ({quoted_names(self.columns)})"
        if self.sorted_by:
            text += f" SORTED BY ({quoted_names(self.sorted_by)})"
        return text + (f" INTO {self.buckets} BUCKETS" if self.buckets else "")


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE in all its forms; `query` is the text of AS SELECT, `like` the model table."""

    name: ObjectName
    columns: tuple[ColumnDefinition, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False
    partitioned_by: tuple[str, ...] = ()
    clustered_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()
    buckets: int | None = None
    comment: str | None = None
    properties: Properties = ()
    location: str | None = None
    like: ObjectName | None = None
    query: str | None = None
    query_span: Span | None = None
    name_span: Span | None = None

    @property
    def clustering(self) -> Clustering:
        """How its rows are to lie."""
        return Clustering(self.clustered_by, self.sorted_by, self.buckets)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = "CREATE OR REPLACE TABLE" if self.or_replace else "CREATE TABLE"
        if self.if_not_exists:
            head += " IF NOT EXISTS"
        lines = [f"{head} {self.name}"]
        if self.columns:
            lines[0] += " (\n  " + ",\n  ".join(c.to_sql() for c in self.columns) + "\n)"
        if self.like is not None:
            lines.append(f"LIKE {self.like}")
        if self.partitioned_by:
            lines.append(f"PARTITIONED BY ({quoted_names(self.partitioned_by)})")
        if self.clustered_by:
            lines.append(self.clustering.to_sql())
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        if self.location is not None:
            lines.append(f"LOCATION {quote_literal(self.location)}")
        if self.properties:
            lines.append(f"PROPERTIES ({render_properties(self.properties)})")
        if self.query is not None:
            lines.append(f"AS {self.query}")
        return "\n".join(lines)


def quoted_names(names: tuple[str, ...]) -> str:
    """Names of columns as they stand in a list."""
    return ", ".join(quote_identifier(name) for name in names)


def parse_create_table(cursor: Cursor) -> CreateTable:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    cursor.expect("TABLE")
    start = cursor.token.start
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if or_replace and if_not_exists:
        span = Span(start, cursor.token.start - 1)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    name_start = cursor.token.start
    name = cursor.object_name("the table's name")
    name_span = Span(name_start, cursor.tokens[cursor.position - 1].end)
    statement = CreateTable(name, or_replace=or_replace, if_not_exists=if_not_exists)
    statement = replace(statement, name_span=name_span)
    if cursor.at_symbol("(") and not _at_query_in_parentheses(cursor):
        statement = replace(statement, columns=cursor.comma_list(parse_column))
    while not cursor.at_end:
        statement = _clause(cursor, statement)
    if not (statement.columns or statement.query or statement.like or statement.location):
        cursor.fail_expected("a column list, LIKE or AS SELECT")
    return _with_sound_columns(statement)


def _at_query_in_parentheses(cursor: Cursor) -> bool:
    return cursor.peek(1).upper in ("SELECT", "WITH", "VALUES", "FROM")


def _clause(cursor: Cursor, statement: CreateTable) -> CreateTable:
    if cursor.at("COMMENT") and statement.comment is not None:
        cursor.fail("COMMENT stands here twice")
    if cursor.accept("USING"):
        _using(cursor)
        return statement
    if cursor.accept("PARTITIONED", "BY"):
        return _partitioned_by(cursor, statement)
    if cursor.accept("CLUSTERED", "BY") or cursor.accept("CLUSTER", "BY"):
        return _clustered_by(cursor, statement)
    if cursor.accept("COMMENT"):
        cursor.accept_symbol("=")
        return replace(statement, comment=cursor.string())
    if cursor.accept("PROPERTIES") or cursor.accept("TBLPROPERTIES"):
        return replace(statement, properties=statement.properties + parse_properties(cursor))
    if cursor.accept("LOCATION"):
        return replace(statement, location=cursor.string())
    if cursor.accept("LIKE"):
        return replace(statement, like=cursor.object_name("the model table"))
    if cursor.accept("AS") or cursor.at("SELECT") or cursor.at("WITH") or cursor.at_symbol("("):
        if cursor.at_end:
            cursor.fail_expected("a query")
        query, span = cursor.rest()
        return replace(statement, query=query, query_span=span)
    cursor.one_of(
        ("PARTITIONED", "CLUSTERED", "COMMENT", "PROPERTIES", "LOCATION", "LIKE", "USING", "AS")
    )
    return statement


def _using(cursor: Cursor) -> None:
    """Tables are Delta, which keeps Parquet files; DDL printed elsewhere says USING PARQUET."""
    token = cursor.token
    if cursor.name("a format").lower() not in ("delta", "parquet"):
        raise NotSupported("FORMAT_NOT_SUPPORTED", format=token.text, span=token.span)


def _partitioned_by(cursor: Cursor, statement: CreateTable) -> CreateTable:
    items = cursor.comma_list(_partition_item)
    typed = tuple(item for item in items if isinstance(item, ColumnDefinition))
    names = tuple(i.name if isinstance(i, ColumnDefinition) else i for i in items)
    return replace(statement, partitioned_by=names, columns=statement.columns + typed)


def _partition_item(cursor: Cursor) -> str | ColumnDefinition:
    if cursor.peek(1).kind == "symbol" and cursor.peek(1).text == "(":
        raise NotSupported(
            "PARTITION_TRANSFORM_NOT_SUPPORTED", transform=cursor.token.text, span=cursor.token.span
        )
    if cursor.peek(1).kind == "word":
        return parse_column(cursor)
    return cursor.name("a column name")


def _clustered_by(cursor: Cursor, statement: CreateTable) -> CreateTable:
    clustering = parse_clustering(cursor)
    return replace(
        statement,
        clustered_by=clustering.columns,
        sorted_by=clustering.sorted_by,
        buckets=clustering.buckets,
    )


def parse_clustering(cursor: Cursor) -> Clustering:
    """Read what follows CLUSTERED BY."""
    columns = cursor.comma_list(_column_name)
    sorted_by = cursor.comma_list(_sort_item) if cursor.accept("SORTED", "BY") else ()
    buckets = None
    if cursor.accept("INTO"):
        if cursor.token.value == "0":
            cursor.fail_expected("at least one bucket")
        buckets = cursor.integer("the number of buckets")
        cursor.expect("BUCKETS")
    return Clustering(columns, sorted_by, buckets)


def _column_name(cursor: Cursor) -> str:
    return cursor.name("a column name")


def _sort_item(cursor: Cursor) -> str:
    name = cursor.name("a column name")
    if not cursor.accept("ASC"):
        cursor.accept("DESC")
    return name


def parse_column(cursor: Cursor) -> ColumnDefinition:
    """Read `name type [NOT NULL] [DEFAULT e | GENERATED ..] [COMMENT 'c']`."""
    name = cursor.name("a column name")
    column = ColumnDefinition(name, parse_type(cursor))
    while cursor.token.upper in ("NOT", "NULL", "COMMENT", "DEFAULT", "GENERATED"):
        if cursor.accept("NOT", "NULL"):
            column = replace(column, nullable=False)
        elif cursor.accept("NULL"):
            continue
        elif cursor.accept("COMMENT"):
            column = replace(column, comment=cursor.string())
        else:
            column = replace(column, constraint=_constraint(cursor))
    return column


def _constraint(cursor: Cursor) -> str:
    """A default or a generation expression, kept as text for Spark."""
    start = cursor.token.start
    depth = 0
    cursor.advance()
    while not cursor.at_end:
        if depth == 0 and (cursor.at_symbol(",") or cursor.at_symbol(")")):
            break
        if depth == 0 and (cursor.at("COMMENT") or cursor.at("NOT", "NULL")):
            break
        depth += cursor.at_symbol("(") - cursor.at_symbol(")")
        cursor.advance()
    return cursor.text[start : cursor.tokens[cursor.position - 1].end]


def _with_sound_columns(statement: CreateTable) -> CreateTable:
    """No column twice; every partition and cluster column one of them, when they are known."""
    known: set[str] = set()
    for column in statement.columns:
        if column.name.lower() in known:
            raise UserError("COLUMN_ALREADY_EXISTS", column=column.name, table=statement.name)
        known.add(column.name.lower())
    for name in (*statement.partitioned_by, *statement.clustered_by):
        if known and name.lower() not in known:
            raise UserError("COLUMN_NOT_DEFINED", name=name, table=statement.name)
    return statement
