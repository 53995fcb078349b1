"""ALTER TABLE: one function per action; Delta commits, the catalog follows the log."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.catalog.objects import Operation, Table
from headwater.errors import NotSupported, UserError
from headwater.names import did_you_mean, quote_literal
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
from headwater.sql.properties import normalise_table_properties, render_properties
from headwater.statements.context import Context
from headwater.statements.rename import rename_table
from headwater.tables.commits import commit
from headwater.tables.properties import ROW_TRACKING, delta_properties, unset_properties
from headwater.tables.registration import register_table
from headwater.tables.type_changes import is_widening
from headwater.tables.versions import catch_up


def alter_table(context: Context, statement: AlterTable) -> Result:
    """Change a table."""
    name = context.qualify(statement.name)
    if statement.if_exists and context.store.tables.get(*_parts(context, statement)) is None:
        return Result(message=f"there is no table {name}")
    table = context.base_table(statement.name, statement="ALTER TABLE")
    if isinstance(statement.action, RenameTo):
        return rename_table(context, table, statement.action.name)
    table = catch_up(context.lake, table)
    steps = _steps(table, statement.action)
    session = context.session
    with session.lock:
        spark, spark_table = session.spark(), register_table(context.lake, table)

        def run(texts: list[str]) -> None:
            for text in texts:
                spark.execute(text.format(table=spark_table))

        commit(
            context.lake,
            spark,
            table,
            operation=Operation.ALTER,
            author=context.author,
            work=lambda: run(steps[-1:]),
            prepare=(lambda: run(steps[:-1])) if len(steps) > 1 else None,
        )
    return Result(message=f"table {name}: {describe_action(statement.action)}")


def _parts(context: Context, statement: AlterTable) -> tuple[str, str, str]:
    name = context.qualify(statement.name)
    return name.workspace, name.schema, name.name


def _steps(table: Table, action: Action) -> list[str]:
    """The Spark statements that carry an action out; `{table}` stands for the table's name.

    The last one does what was asked for, those before it make the table ready. Everything that
    could make it fail is checked here, before the first one commits.
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
            return [_alter(action.to_sql())]
        case RenameColumn():
            _require_column(table, action.column[0])
            if len(action.column) == 1:
                _require_new(table, [action.to])
            return [*_column_mapping(table), _alter(action.to_sql())]
        case DropColumns():
            return _drop_columns(table, action)
        case ChangeColumn():
            return _change_column(table, action)
        case SetComment():
            return [_comment(action.comment)]
        case SetProperties():
            return _set_properties(action)
        case UnsetProperties():
            return _unset_properties(table, action)
        case ClusterBy():
            for column in action.columns:
                _require_column(table, column)
            return [_alter(action.to_sql())]
    raise AssertionError(action)


def _text(head: str, tail: str) -> str:
    """A template whose second half is taken literally, whatever braces it holds."""
    return head + tail.replace("{", "{{").replace("}", "}}")


def _comment(comment: str) -> str:
    return _text("COMMENT ON TABLE {table} IS ", quote_literal(comment))


def _alter(rest: str) -> str:
    return _text("ALTER TABLE {table} ", rest)


def _column_mapping(table: Table) -> list[str]:
    """Renaming and dropping need names that differ from those in the files; switched on once."""
    if table.shape.properties.get("delta.columnMapping.mode") in ("name", "id"):
        return []
    return [_alter("SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")]


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
    return [*_column_mapping(table), _alter(DropColumns(columns).to_sql())]


def _change_column(table: Table, action: ChangeColumn) -> list[str]:
    current = _require_column(table, action.column[0])
    if action.nullable is False:
        raise NotSupported("NOT_NULL_CANNOT_BE_ADDED", column=action.column[0])
    if action.default is not None:
        feature = "SET TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
        return [_alter(feature), _alter(action.to_sql())]
    if action.type is None or len(action.column) > 1:
        return [_alter(action.to_sql())]
    if not is_widening(current, action.type):
        raise UserError(
            "TYPE_CHANGE_NOT_SUPPORTED",
            column=action.column[0],
            before=current.upper(),
            after=action.type.upper(),
        )
    widening = "SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
    enabled = table.shape.properties.get("delta.enableTypeWidening") == "true"
    return [*([] if enabled else [_alter(widening)]), _alter(action.to_sql())]


def _set_properties(action: SetProperties) -> list[str]:
    wanted = dict(normalise_table_properties(action.properties))
    comment = wanted.pop("comment", None)
    steps = [] if comment is None else [_comment(comment)]
    properties = delta_properties(wanted.items())
    if properties.get(ROW_TRACKING) == "true":
        # Delta numbers every row in commits of its own first: not yet what was asked for.
        steps.append(_alter(f"SET TBLPROPERTIES ('{ROW_TRACKING}' = 'true')"))
    if properties:
        rendered = render_properties(tuple(properties.items()))
        steps.append(_alter(f"SET TBLPROPERTIES ({rendered})"))
    return steps


def _unset_properties(table: Table, action: UnsetProperties) -> list[str]:
    current = table.shape.properties
    if not action.if_exists:
        for name in action.names:
            if name not in current and name.lower() not in current:
                hint = did_you_mean(name, current)
                owner = f"table '{table.schema}.{table.name}'"
                raise UserError("UNKNOWN_PROPERTY", owner=owner, name=name, hint=hint)
    to_set, to_remove = unset_properties(action.names, current)
    names = ", ".join(quote_literal(name) for name in to_remove)
    steps = [_alter(f"UNSET TBLPROPERTIES IF EXISTS ({names})")]
    if to_set:
        rendered = render_properties(tuple(to_set.items()))
        steps.append(_alter(f"SET TBLPROPERTIES ({rendered})"))
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
