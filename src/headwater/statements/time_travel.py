"""Which version of a table a TIMESTAMP AS OF or VERSION AS OF means, as users count them."""

from __future__ import annotations

from datetime import UTC, datetime

from headwater.catalog.objects import Table, TableVersion
from headwater.errors import Span, UserError
from headwater.sql.edits import own_text
from headwater.sql.relations import TimeTravel
from headwater.statements.context import Context
from headwater.tables.versions import catch_up

_SHOWN = "%Y-%m-%d %H:%M:%S.%f"


def version_at(context: Context, table: Table, travel: TimeTravel) -> TableVersion:
    """The version that `travel` asks for."""
    if not travel.expression:
        what = "a version number" if travel.unit == "VERSION" else "a timestamp"
        problem = f"expected {what} after AS OF"
        raise UserError("SYNTAX_ERROR", problem=problem, span=travel.expression_span)
    if travel.unit == "VERSION":
        return version_number(context, table, travel.expression, span=travel.expression_span)
    return version_by_time(context, table, travel.expression, span=travel.expression_span)


def version_number(
    context: Context, table: Table, expression: str, *, span: Span | None
) -> TableVersion:
    """The version with that number."""
    digits = expression.strip("'\" ")
    table = catch_up(context.lake, table)
    found = context.store.versions.get(table.id, int(digits)) if digits.isdigit() else None
    if found is None:
        last = context.store.versions.last(table.id)
        raise UserError(
            "VERSION_NOT_FOUND",
            table=f"{table.schema}.{table.name}",
            version=expression,
            last=last.version if last else 0,
            span=span,
        )
    return found


def version_by_time(
    context: Context, table: Table, expression: str, *, span: Span | None
) -> TableVersion:
    """The version that was current at the moment `expression` means."""
    moment = moment_of(context, expression, span)
    table = catch_up(context.lake, table)
    found = context.store.versions.at_or_before(table.id, moment)
    if found is not None:
        return found
    first = context.store.versions.first(table.id)
    created = context.session.local(first.committed_at if first else table.created_at)
    asked = context.session.local(moment)
    raise UserError(
        "TIMESTAMP_BEFORE_TABLE",
        table=f"{table.schema}.{table.name}",
        timestamp=asked.strftime(_SHOWN)[:-3] if asked else expression,
        created=created.strftime(_SHOWN)[:-3] if created else "?",
        span=span,
    )


def moment_of(context: Context, expression: str, span: Span | None) -> datetime:
    """The value of a timestamp expression, by Spark's own rules and in the session's time zone."""
    edited = own_text(f"SELECT unix_micros(CAST({expression} AS TIMESTAMP))")
    try:
        micros = context.session.spark().run(edited).rows[0][0]
    except UserError as error:
        error.span = span
        raise
    if micros is None:
        raise UserError("TIMESTAMP_IS_NULL", expression=expression, span=span)
    seconds, rest = divmod(micros, 1_000_000)
    return datetime.fromtimestamp(seconds, tz=UTC).replace(microsecond=rest)
