"""ALTER TABLE: one function per action; Delta commits, the catalog follows the log."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.catalog.objects import Table
from headwater.errors import NotSupported, UserError
from headwater.names import QualifiedName, did_you_mean, quote_literal
from headwater.result import Result
from headwater.sql.alter_table import (
    Action,
    AddColumns,
    AlterTable,
    ChangeColumn,
    ClusterBy,
    DropColumns,
    RenameColumn,
    RenameTo,
    SetComment,
    SetProperties,
    UnsetProperties,
    describe_action,
)
from headwater.sql.dynamic_tables import table_action
from headwater.sql.properties import normalise_table_properties, render_properties
from headwater.statements.context import Context
from headwater.statements.own_columns import with_own_columns
from headwater.statements.rename import rename_table
from headwater.tables.alter import alter, alter_step, comment_step, property_steps
from headwater.tables.properties import unset_properties
from headwater.tables.type_changes import is_widening
from headwater.tables.versions import catch_up


def alter_table(context: Context, statement: AlterTable) -> Result:
    """Change a table."""
    name = context.qualify(statement.name)
    if statement.if_exists and context.store.tables.get(*_parts(context, statement)) is None:
        return Result(message=f"there is no table {name}")
    table = context.base_table(statement.name, statement="ALTER TABLE")
    if table.kind.is_refreshed:
        table_action(statement.action, name, span=context.span_of(statement.name))
    return alter_stored(context, table, statement.action)


def alter_stored(context: Context, table: Table, action: Action) -> Result:
    """Carry an action out on a table with rows."""
    if isinstance(action, RenameTo):
        return rename_table(context, table, action.name)
    table = catch_up(context.lake, table)
    steps = _steps(table, action, context.lake.config.data_retention_days)
    session = context.session
    with session.lock, with_own_columns(context, table, action):
        alter(context.lake, session.spark(), table, steps=steps, author=context.author)
    name = QualifiedName(table.workspace, table.schema, table.name)
    return Result(message=f"{table.kind.words.lower()} {name}: {describe_action(action)}")


def _parts(context: Context, statement: AlterTable) -> tuple[str, str, str]:
    name = context.qualify(statement.name)
    return name.workspace, name.schema, name.name


def _steps(table: Table, action: Action, lake_days: int) -> list[str]:
    """The Spark statements that carry an action out, as tables/alter.py has them.

    Everything that could make them fail is checked here, before the first one commits.
    """
    match action:
        case AddColumns():
            _require_new(table, (c.name for c, _ in action.columns if not c.parents))
            for added_column, _ in action.columns:
                if added_column.parents:
                    _require_column(table, added_column.parents[0])
            added = {column.name.lower() for column, _ in action.columns}
            for _, position in action.columns:
                if position and position.after and position.after.lower() not in added:
                    _require_column(table, position.after)
            return [alter_step(action.to_sql())]
        case RenameColumn():
            _require_column(table, action.column[0])
            if len(action.column) == 1:
                _require_new(table, [action.to])
            return [*_column_mapping(table), alter_step(action.to_sql())]
        case DropColumns():
            return _drop_columns(table, action)
        case ChangeColumn():
            return _change_column(table, action)
        case SetComment():
            return [comment_step(action.comment)]
        case SetProperties():
            dynamic = table.kind.is_refreshed
            wanted = normalise_table_properties(action.properties, dynamic=dynamic)
            return property_steps(table, wanted, lake_days=lake_days)
        case UnsetProperties():
            return _unset_properties(table, action, lake_days)
        case ClusterBy():
            for column in action.columns:
                _require_column(table, column)
            return [alter_step(action.to_sql())]
    raise AssertionError(action)


def _column_mapping(table: Table) -> list[str]:
    """Renaming and dropping need names that differ from those in the files; switched on once."""
    if table.shape.properties.get("delta.columnMapping.mode") in ("name", "id"):
        return []
    return [alter_step("SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")]


def _drop_columns(table: Table, action: DropColumns) -> list[str]:
    known = {column.name.lower() for column in table.shape.columns}
    columns = action.columns
    if action.if_exists:
        columns = tuple(c for c in columns if c[0].lower() in known)
        if not columns:
            return []
    for column in columns:
        _require_column(table, column[0])
        if column[0].lower() in {p.lower() for p in table.shape.partition_columns}:
            raise UserError("COLUMN_IS_PARTITION", column=column[0])
    if known == {column[0].lower() for column in columns if len(column) == 1}:
        raise UserError("LAST_COLUMN", table=f"{table.schema}.{table.name}")
    return [*_column_mapping(table), alter_step(DropColumns(columns).to_sql())]


def _change_column(table: Table, action: ChangeColumn) -> list[str]:
    current = _require_column(table, action.column[0])
    if action.nullable is False:
        raise NotSupported("NOT_NULL_CANNOT_BE_ADDED", column=action.column[0])
    if action.default is not None:
        feature = "SET TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
        return [alter_step(feature), alter_step(action.to_sql())]
    if action.type is None or len(action.column) > 1:
        return [alter_step(action.to_sql())]
    if not is_widening(current, action.type):
        raise UserError(
            "TYPE_CHANGE_NOT_SUPPORTED",
            column=action.column[0],
            before=current.upper(),
            after=action.type.upper(),
        )
    widening = "SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
    enabled = table.shape.properties.get("delta.enableTypeWidening") == "true"
    return [*([] if enabled else [alter_step(widening)]), alter_step(action.to_sql())]


def _unset_properties(table: Table, action: UnsetProperties, lake_days: int) -> list[str]:
    current = table.shape.properties
    if not action.if_exists:
        for name in action.names:
            if name not in current and name.lower() not in current:
                hint = did_you_mean(name, current)
                owner = f"table '{table.schema}.{table.name}'"
                raise UserError("UNKNOWN_PROPERTY", owner=owner, name=name, hint=hint)
    to_set, to_remove = unset_properties(action.names, current, lake_days=lake_days)
    names = ", ".join(quote_literal(name) for name in to_remove)
    steps = [alter_step(f"UNSET TBLPROPERTIES IF EXISTS ({names})")]
    if to_set:
        rendered = render_properties(tuple(to_set.items()))
        steps.append(alter_step(f"SET TBLPROPERTIES ({rendered})"))
    return steps


def _require_column(table: Table, name: str) -> str:
    """The type of a column that must exist."""
    for column in table.shape.columns:
        if column.name.lower() == name.lower():
            return column.type
    known = [column.name for column in table.shape.columns]
    hint = did_you_mean(name, known) or f"DESC {table.schema}.{table.name}"
    owner = f"{table.schema}.{table.name}"
    raise UserError("COLUMN_NOT_DEFINED", name=name, table=owner, hint=hint)


def _require_new(table: Table, names: Iterable[str]) -> None:
    known = {column.name.lower() for column in table.shape.columns}
    for name in names:
        if name.lower() in known:
            owner = f"{table.schema}.{table.name}"
            raise UserError("COLUMN_ALREADY_EXISTS", column=name, table=owner)
        known.add(name.lower())
