"""From a name to the dynamic table or materialized view it stands for."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable
from headwater.catalog.objects import Table, TableKind
from headwater.errors import UserError
from headwater.names import ObjectName, QualifiedName
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.context import Context


def find_dynamic_table(
    context: Context,
    name: ObjectName,
    *,
    verb: str,
    kind: RefreshedKind,
    tail: str = "",
) -> tuple[Table, DynamicTable]:
    """The table of that kind with its definition, for `<verb> <kind><tail>`; else refused."""
    table = context.table(name)
    dynamic = None
    if table.kind.is_refreshed and table.kind.words == kind:
        dynamic = context.store.dynamic_tables.by_id(table.id)
    if dynamic is None:
        raise _another_kind(context, name, table.kind, verb=verb, kind=kind, tail=tail)
    return table, dynamic


def _another_kind(
    context: Context,
    name: ObjectName,
    found: TableKind,
    *,
    verb: str,
    kind: RefreshedKind,
    tail: str,
) -> UserError:
    full, span = context.qualify(name), context.span_of(name)
    statement, words = f"{verb} {kind}{tail}", found.words.lower()
    hint = _instead(found, full, verb, tail)
    if kind is RefreshedKind.MATERIALIZED_VIEW:
        return UserError(
            "NOT_A_MATERIALIZED_VIEW",
            name=full,
            statement=statement,
            kind=words,
            span=span,
            hint=hint,
        )
    return UserError(
        "NOT_A_DYNAMIC_TABLE", name=full, statement=statement, kind=words, span=span, hint=hint
    )


def _instead(found: TableKind, name: QualifiedName, verb: str, tail: str) -> str | None:
    """The statement that fits what stands there."""
    if found.is_refreshed:
        return f"{verb} {found.words}{tail} {name}"
    return f"DROP {found.words} {name}" if verb == "DROP" else None
