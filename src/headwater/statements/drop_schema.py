"""DROP SCHEMA [CASCADE]."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.schemas import DropSchema
from headwater.statements.context import Context
from headwater.statements.schema_name import schema_parts
from headwater.tables.find import find_schema
from headwater.tables.registration import unregister_table


def drop_schema(context: Context, statement: DropSchema) -> Result:
    """Drop a schema; with CASCADE its tables too, which can be undropped for the retention time."""
    workspace, name = schema_parts(context, statement.name)
    if statement.if_exists and context.store.schemas.get(workspace, name) is None:
        return Result(message=f"there is no schema {name}")
    span = context.span_of(statement.name)
    schema = find_schema(context.store, workspace, name, span=span)
    if (workspace, name) == (context.session.workspace, context.session.schema):
        raise UserError("SCHEMA_IN_USE", schema=name, span=span)
    context.lake.writer.ensure()
    if not statement.cascade:
        context.store.schemas.drop(schema, now())
        return Result(message=f"schema {name} dropped")
    dropped = context.store.schemas.drop_with_tables(schema, now())
    for table in dropped:
        if table.kind.stores_rows:
            unregister_table(context.lake, table)
    return Result(message=f"schema {name} dropped with {len(dropped)} tables and views")
