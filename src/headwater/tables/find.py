"""From a name to what it stands for, with an error that suggests the nearest name."""

from __future__ import annotations

from headwater.catalog.objects import Schema, Table, TableKind
from headwater.catalog.store import Store
from headwater.errors import Span, UserError
from headwater.names import QualifiedName, did_you_mean

INFORMATION_SCHEMA = "information_schema"
"""The schema of views that are made from the catalog when they are mentioned."""
_KINDS = {
    TableKind.VIEW: "a view",
    TableKind.KAFKA: "one over topics of Kafka, which stores no rows",
    TableKind.STREAM: "a stream",
    TableKind.DYNAMIC: "a dynamic table",
    TableKind.MATERIALIZED_VIEW: "a materialized view",
}
"""What a name stands for that is no table with rows, or none to write to."""
BACKFILLS = ("INSERT INTO", "INSERT OVERWRITE", "DELETE", "TRUNCATE TABLE")
"""What may write to a dynamic table, in a session that asks for it."""
_BACKFILL = (
    "change the tables that its query reads, then REFRESH DYNAMIC TABLE {table}; or, to mend its"
    " rows by hand until then, SET cz.optimizer.incremental.backfill.enabled = true"
)
_SAMPLE_DATA = "_sample_data"
_START_SAMPLE = "headwater sample start makes the sample data"


def find_schema(store: Store, workspace: str, name: str, *, span: Span | None = None) -> Schema:
    """The schema of that name, or an error that says what to do."""
    schema = store.schemas.get(workspace, name)
    if schema is None:
        raise _schema_not_found(store, workspace, name, span)
    return schema


def _schema_not_found(store: Store, workspace: str, name: str, span: Span | None) -> UserError:
    if store.workspaces.get(workspace) is None:
        known = [found.name for found in store.workspaces.list()]
        of_sample = workspace.lower().endswith(_SAMPLE_DATA)
        hint = _START_SAMPLE if of_sample else did_you_mean(workspace, known)
        return UserError("WORKSPACE_NOT_FOUND", workspace=workspace, span=span, hint=hint)
    if name.lower() == INFORMATION_SCHEMA:
        return UserError("SCHEMA_READ_ONLY", name=name, span=span)
    known = [found.name for found in store.schemas.list(workspace)]
    hint = did_you_mean(name, known) or f"CREATE SCHEMA {name}"
    return UserError("SCHEMA_NOT_FOUND", name=name, span=span, hint=hint)


def find_table(store: Store, name: QualifiedName, *, span: Span | None = None) -> Table:
    """The table or view of that name, or TABLE_NOT_FOUND."""
    table = store.tables.get(name.workspace, name.schema, name.name)
    if table is None:
        find_schema(store, name.workspace, name.schema, span=span)
        raise UserError("TABLE_NOT_FOUND", table=name, span=span, hint=_hint(store, name))
    return table


def _hint(store: Store, name: QualifiedName) -> str:
    if store.volumes.get(name.workspace, name.schema, name.name) is not None:
        return f"it is a volume: FROM VOLUME {name} USING <format> reads its files"
    near = did_you_mean(name.name, store.tables.names(name.workspace, name.schema))
    if near is not None:
        return near
    if store.tables.latest_dropped(name.workspace, name.schema, name.name) is not None:
        return f"it was dropped: UNDROP TABLE {name}"
    return f"SHOW TABLES IN {name.schema}"


def name_taken(existing: Table, *, span: Span | None, hint: str | None = None) -> UserError:
    """The error for a name that `existing` has already."""
    name = f"{existing.schema}.{existing.name}"
    words = existing.kind.words
    drop = f"DROP {words} {name}"
    kind = words.lower()
    return UserError("TABLE_ALREADY_EXISTS", kind=kind, name=name, drop=drop, span=span, hint=hint)


def rename_first(existing: Table) -> str | None:
    """The hint to free a name that `existing` has, if it can have another."""
    if existing.kind is not TableKind.VIEW and not existing.kind.stores_rows:
        return None
    name = f"{existing.schema}.{existing.name}"
    return f"first rename it: ALTER {existing.kind.words} {name} RENAME TO {existing.name}_old"


def find_base_table(
    store: Store, name: QualifiedName, *, statement: str, span: Span | None = None
) -> Table:
    """The table of that name; what stores no rows is refused, naming what wants a table."""
    table = find_table(store, name, span=span)
    if not table.kind.stores_rows:
        raise not_a_table(table, name, statement=statement, span=span)
    return table


def find_writable_table(
    store: Store, name: QualifiedName, *, statement: str, span: Span | None = None
) -> Table:
    """The table of that name, whose rows are the user's; those of a dynamic one are its query's."""
    table = find_base_table(store, name, statement=statement, span=span)
    require_no_view(table, name, statement=statement, span=span)
    if table.kind.is_refreshed:
        hint = _BACKFILL.format(table=name) if statement in BACKFILLS else None
        raise UserError(
            "DYNAMIC_TABLE_WRITTEN", table=name, statement=statement, span=span, hint=hint
        )
    return table


def require_no_view(
    table: Table, name: QualifiedName, *, statement: str, span: Span | None = None
) -> None:
    """Refuse to write to a materialized view, which nobody backfills: queries rely on its rows."""
    if table.kind is TableKind.MATERIALIZED_VIEW:
        raise UserError("MATERIALIZED_VIEW_WRITTEN", view=name, statement=statement, span=span)


def not_a_table(
    table: Table, name: QualifiedName, *, statement: str, span: Span | None = None
) -> UserError:
    """The error for a statement about tables that names something else."""
    hint = f"DROP {table.kind.words} {name}" if statement == "DROP TABLE" else None
    if table.kind is TableKind.STREAM and hint is None:
        hint = f"write the table that the stream watches: DESC TABLE STREAM {name} names it"
    kind = _KINDS[table.kind]
    return UserError("NOT_A_TABLE", name=name, kind=kind, statement=statement, span=span, hint=hint)
