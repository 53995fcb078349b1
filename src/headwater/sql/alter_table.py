"""ALTER TABLE: columns, comment, properties, name, clustering; one small dataclass per action."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.names import ObjectName, counted, quote_identifier, quote_literal, show_identifier
from headwater.sql.create_table import ColumnDefinition, parse_column
from headwater.sql.cursor import Cursor
from headwater.sql.properties import (
    Properties,
    parse_properties,
    parse_property_names,
    render_properties,
)
from headwater.sql.types import TYPE_WORDS, parse_type

ColumnPath = tuple[str, ...]
ACTIONS = ("ADD", "RENAME", "DROP", "CHANGE", "ALTER", "SET", "UNSET", "CLUSTER")
"""The words that say what is done to the table."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a column goes: FIRST (after = None) or AFTER another one."""

    after: str | None = None

    def to_sql(self) -> str:
        """As it stands after the column."""
        return "FIRST" if self.after is None else f"AFTER {quote_identifier(self.after)}"


@dataclass(frozen=True, slots=True)
class AddColumns:
    """ADD COLUMNS (..)."""

    columns: tuple[tuple[ColumnDefinition, Position | None], ...]

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        items = [c.to_sql() + (f" {p.to_sql()}" if p else "") for c, p in self.columns]
        return f"ADD COLUMNS ({', '.join(items)})"


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """RENAME COLUMN a TO b."""

    column: ColumnPath
    to: str

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        return f"RENAME COLUMN {_path(self.column)} TO {quote_identifier(self.to)}"


@dataclass(frozen=True, slots=True)
class DropColumns:
    """DROP COLUMNS (..)."""

    columns: tuple[ColumnPath, ...]
    if_exists: bool = False

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"DROP COLUMNS {guard}({', '.join(_path(c) for c in self.columns)})"


@dataclass(frozen=True, slots=True)
class ChangeColumn:
    """CHANGE COLUMN c: exactly one of a comment, a wider type, NOT NULL, a default, a position."""

    column: ColumnPath
    comment: str | None = None
    type: str | None = None
    nullable: bool | None = None
    default: str | None = None
    drop_default: bool = False
    position: Position | None = None

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        return f"ALTER COLUMN {_path(self.column)} {self._change()}"

    def _change(self) -> str:
        if self.type is not None:
            return f"TYPE {self.type}"
        if self.comment is not None:
            return f"COMMENT {quote_literal(self.comment)}"
        if self.nullable is not None:
            return "DROP NOT NULL" if self.nullable else "SET NOT NULL"
        if self.default is not None:
            return f"SET DEFAULT {self.default}"
        if self.drop_default:
            return "DROP DEFAULT"
        return (self.position or Position()).to_sql()


@dataclass(frozen=True, slots=True)
class SetComment:
    """SET COMMENT '..'."""

    comment: str

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        return f"SET COMMENT {quote_literal(self.comment)}"


@dataclass(frozen=True, slots=True)
class SetProperties:
    """SET PROPERTIES (..)."""

    properties: Properties

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        return f"SET PROPERTIES ({render_properties(self.properties)})"


@dataclass(frozen=True, slots=True)
class UnsetProperties:
    """UNSET PROPERTIES (..)."""

    names: tuple[str, ...]
    if_exists: bool = False

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"UNSET PROPERTIES {guard}({', '.join(quote_literal(n) for n in self.names)})"


@dataclass(frozen=True, slots=True)
class RenameTo:
    """RENAME TO another name, in the same schema or another."""

    name: ObjectName

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        return f"RENAME TO {self.name}"


@dataclass(frozen=True, slots=True)
class ClusterBy:
    """CLUSTER BY (..) or CLUSTER BY NONE: how new files are laid out."""

    columns: tuple[str, ...]

    def to_sql(self) -> str:
        """As it stands after the table's name."""
        if not self.columns:
            return "CLUSTER BY NONE"
        return f"CLUSTER BY ({', '.join(quote_identifier(c) for c in self.columns)})"


Action = (
    AddColumns
    | RenameColumn
    | DropColumns
    | ChangeColumn
    | SetComment
    | SetProperties
    | UnsetProperties
    | RenameTo
    | ClusterBy
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE t <action>."""

    name: ObjectName
    action: Action
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"ALTER TABLE {guard}{self.name} {self.action.to_sql()}"


def _path(column: ColumnPath) -> str:
    return ".".join(quote_identifier(part) for part in column)


def parse_alter_table(cursor: Cursor) -> AlterTable:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "TABLE")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the table's name")
    action = parse_action(cursor)
    cursor.expect_end()
    return AlterTable(name, action, if_exists=if_exists)


def parse_action(cursor: Cursor) -> Action:
    """Read what is done to the table, which stands behind its name."""
    word = cursor.one_of(ACTIONS)
    if word == "ADD":
        return _add(cursor)
    if word == "RENAME":
        return _rename(cursor)
    if word == "DROP":
        return _drop(cursor)
    if word in ("CHANGE", "ALTER"):
        cursor.accept("COLUMN")
        return _change(cursor)
    if word == "SET":
        return _set(cursor)
    if word == "UNSET":
        cursor.one_of(("PROPERTIES", "TBLPROPERTIES"))
        if_exists = cursor.accept("IF", "EXISTS")
        return UnsetProperties(parse_property_names(cursor), if_exists=if_exists)
    cursor.expect("BY")
    if cursor.accept("NONE"):
        return ClusterBy(())
    return ClusterBy(cursor.comma_list(lambda c: c.name("a column name")))


def _add(cursor: Cursor) -> AddColumns:
    if not cursor.accept("COLUMNS"):
        cursor.accept("COLUMN")
    if cursor.at_symbol("("):
        return AddColumns(cursor.comma_list(_added))
    added = [_added(cursor)]
    while cursor.accept_symbol(","):
        added.append(_added(cursor))
    return AddColumns(tuple(added))


def _added(cursor: Cursor) -> tuple[ColumnDefinition, Position | None]:
    parents: list[str] = []
    while cursor.peek(1).text == ".":
        parents.append(cursor.name("a column name"))
        cursor.expect_symbol(".")
    return replace(parse_column(cursor), parents=tuple(parents)), _position(cursor)


def _position(cursor: Cursor) -> Position | None:
    if cursor.accept("FIRST"):
        return Position()
    return Position(cursor.name("a column name")) if cursor.accept("AFTER") else None


def _column_path(cursor: Cursor) -> ColumnPath:
    parts = [cursor.name("a column name")]
    while cursor.accept_symbol("."):
        parts.append(cursor.name("a field name"))
    return tuple(parts)


def _rename(cursor: Cursor) -> RenameColumn | RenameTo:
    if cursor.accept("TO"):
        return RenameTo(cursor.object_name("the new name"))
    cursor.expect("COLUMN")
    column = _column_path(cursor)
    cursor.expect("TO")
    return RenameColumn(column, cursor.name("the new name"))


def _drop(cursor: Cursor) -> DropColumns:
    cursor.one_of(("COLUMN", "COLUMNS"))
    if_exists = cursor.accept("IF", "EXISTS")
    if cursor.at_symbol("("):
        return DropColumns(cursor.comma_list(_column_path), if_exists=if_exists)
    columns = [_column_path(cursor)]
    while cursor.accept_symbol(","):
        columns.append(_column_path(cursor))
    return DropColumns(tuple(columns), if_exists=if_exists)


def _change(cursor: Cursor) -> ChangeColumn:
    column = _column_path(cursor)
    position = _position(cursor)
    if position is not None:
        return ChangeColumn(column, position=position)
    if cursor.accept("COMMENT"):
        return ChangeColumn(column, comment=cursor.string())
    if cursor.accept("SET", "NOT", "NULL"):
        return ChangeColumn(column, nullable=False)
    if cursor.accept("DROP", "NOT", "NULL"):
        return ChangeColumn(column, nullable=True)
    if cursor.accept("SET", "DEFAULT"):
        return ChangeColumn(column, default=cursor.rest()[0])
    if cursor.accept("DROP", "DEFAULT"):
        return ChangeColumn(column, drop_default=True)
    if cursor.accept("SET", "DATA", "TYPE") or cursor.accept("TYPE"):
        return ChangeColumn(column, type=parse_type(cursor))
    return _hive_change(cursor, column)


def _hive_change(cursor: Cursor, column: ColumnPath) -> ChangeColumn:
    """`CHANGE COLUMN c c TYPE [COMMENT ..]` repeats the name; `CHANGE COLUMN c TYPE` does not."""
    if cursor.token.is_name and cursor.token.value.lower() == column[-1].lower():
        cursor.advance()
    elif cursor.token.is_name and cursor.peek(1).upper in TYPE_WORDS:
        rename = f"RENAME COLUMN {'.'.join(map(show_identifier, column))} TO {cursor.token.text}"
        cursor.fail("CHANGE COLUMN gives a column no other name", hint=rename)
    wanted = parse_type(cursor)
    if cursor.accept("COMMENT"):
        # Hive's form restates the type to give a comment: the type itself stays.
        return ChangeColumn(column, comment=cursor.string())
    return ChangeColumn(column, type=wanted)


def _set(cursor: Cursor) -> SetComment | SetProperties:
    if cursor.accept("COMMENT"):
        cursor.accept_symbol("=")
        return SetComment(cursor.string())
    cursor.one_of(("PROPERTIES", "TBLPROPERTIES", "COMMENT"))
    return SetProperties(parse_properties(cursor))


def describe_action(action: Action) -> str:
    """One line for the job's message."""
    match action:
        case RenameTo(name):
            return f"renamed to {name}"
        case RenameColumn(column, to):
            return f"column {show_identifier(column[-1])} renamed to {show_identifier(to)}"
        case AddColumns(columns):
            return f"{counted(len(columns), 'column')} added"
        case DropColumns(columns):
            return f"{counted(len(columns), 'column')} dropped"
    return "altered"
