"""CREATE SCHEMA."""

from __future__ import annotations

import uuid

from headwater.catalog.objects import Schema
from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.schemas import CreateSchema
from headwater.statements.context import Context
from headwater.statements.schema_name import schema_parts
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import INFORMATION_SCHEMA


def create_schema(context: Context, statement: CreateSchema) -> Result:
    """Make a schema."""
    workspace, name = schema_parts(context, statement.name)
    span = context.span_of(statement.name)
    require_allowed_name(name, "schema", span=span)
    if name == INFORMATION_SCHEMA:
        raise UserError("NAME_RESERVED", name=name, span=span)
    if statement.if_not_exists and context.store.schemas.get(workspace, name) is not None:
        return Result(message=f"schema {name} exists already")
    context.lake.writer.ensure()
    at = now()
    context.store.schemas.create(
        Schema(
            id=uuid.uuid4().hex,
            workspace=workspace,
            name=name,
            creator=context.session.user,
            created_at=at,
            modified_at=at,
            comment=statement.comment,
            properties=dict(statement.properties),
        )
    )
    return Result(message=f"schema {name} created")
