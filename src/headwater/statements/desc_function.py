"""DESC FUNCTION: one of the lake, else one of Spark's."""

from __future__ import annotations

from headwater.catalog.functions import Function
from headwater.cell_text import cell
from headwater.result import Result, Row, string_columns
from headwater.sql.functions import DescFunction
from headwater.sql.masking import mask
from headwater.sql.query import SparkCommand
from headwater.sql.string_literals import DOLLARS
from headwater.statements.context import Context
from headwater.statements.functions import find_function
from headwater.statements.info_rows import info_rows
from headwater.statements.spark_command import spark_command


def desc_function(context: Context, statement: DescFunction) -> Result:
    """What is known of a function; with EXTENDED also its body."""
    name = context.qualify(statement.name)
    function = context.store.functions.get(name.workspace, name.schema, name.name)
    if function is None and statement.name.schema is None:
        return spark_command(context, SparkCommand(context.text))
    if function is None:
        function = find_function(context.store, name, span=context.span_of(statement.name))
    rows = _described(context, function)
    if statement.extended:
        rows += info_rows(body=_shown(function.body))
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _described(context: Context, function: Function) -> list[Row]:
    local = context.session.local
    return info_rows(
        name=function.name,
        creator=function.creator,
        created_time=local(function.created_at),
        last_modified_time=local(function.modified_at),
        comment=function.comment,
        language="PYTHON",
        parameters=function.signature,
        returns=function.returns,
        deterministic=cell(function.deterministic),
    )


def _shown(body: str) -> str:
    """The body without the credentials that stand in it."""
    return mask(f"{DOLLARS}{body}{DOLLARS}")[len(DOLLARS) : -len(DOLLARS)]
