"""ALTER SCHEMA .. SET COMMENT."""

from __future__ import annotations

from dataclasses import replace

from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.schemas import AlterSchema
from headwater.statements.context import Context
from headwater.statements.schema_name import schema_parts
from headwater.tables.find import find_schema


def alter_schema(context: Context, statement: AlterSchema) -> Result:
    """Change the comment of a schema."""
    workspace, name = schema_parts(context, statement.name)
    schema = find_schema(context.store, workspace, name, span=context.span_of(statement.name))
    context.lake.writer.ensure()
    context.store.schemas.update(replace(schema, comment=statement.comment, modified_at=now()))
    return Result(message=f"schema {name} altered")
