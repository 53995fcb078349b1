"""DESC SCHEMA."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.schemas import DescSchema
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.property_text import shown_properties
from headwater.statements.schema_name import schema_parts
from headwater.tables.find import find_schema


def desc_schema(context: Context, statement: DescSchema) -> Result:
    """Say what a schema is."""
    workspace, name = schema_parts(context, statement.name)
    schema = find_schema(context.store, workspace, name, span=context.span_of(statement.name))
    rows = info_rows(
        name=schema.name,
        workspace=schema.workspace,
        creator=schema.creator,
        created_time=context.session.local(schema.created_at),
        last_modified_time=context.session.local(schema.modified_at),
        comment=schema.comment,
        properties=shown_properties(schema.properties),
    )
    return Result.from_rows(string_columns("info_name", "info_value"), rows)
