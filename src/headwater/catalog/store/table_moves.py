"""How a table's row comes into being, changes state and takes a name.

Invariant: CREATING becomes ACTIVE or vanishes, ACTIVE becomes DROPPED, DROPPED becomes ACTIVE or
vanishes; anything else is refused by the condition of the UPDATE itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from headwater.catalog.objects import Table, TableKind, TableState
from headwater.catalog.store.database import insert_unless_taken
from headwater.catalog.store.model import tables
from headwater.catalog.store.schemas import live_schema_id
from headwater.catalog.store.table_rows import select_tables, table_from, table_values
from headwater.errors import InternalError, UserError
from headwater.names import QualifiedName

_LIVE = (TableState.ACTIVE, TableState.CREATING)


def insert_table(connection: Connection, table: Table) -> None:
    """Adds a table; TABLE_ALREADY_EXISTS when its name is taken."""
    schema_id = live_schema_id(connection, table.workspace, table.schema)
    if not insert_unless_taken(connection, tables, table_values(table, schema_id=schema_id)):
        raise name_taken(_owner_of_name(connection, schema_id, table))


def move_table(
    connection: Connection, table: Table, *, before: TableState, values: Mapping[str, Any]
) -> None:
    """Changes a table that is in state `before`; TABLE_STATE_ILLEGAL when it is in another."""
    statement = update(tables).where(tables.c.id == table.id, tables.c.state == before)
    if connection.execute(statement.values(values)).rowcount == 1:
        return
    found = connection.execute(select(tables.c.state).where(tables.c.id == table.id)).scalar()
    after = values.get("state", "changed")
    raise state_illegal(_shown(table), before=found, after=after)


def take_name(
    connection: Connection, table: Table, *, before: TableState, values: Mapping[str, Any]
) -> None:
    """Puts a table of state `before` under the name it has in `table`, if that is free."""
    schema_id = live_schema_id(connection, table.workspace, table.schema)
    wanted = {**values, "schema_id": schema_id, "name": table.name}
    try:
        with connection.begin_nested():
            move_table(connection, table, before=before, values=wanted)
    except IntegrityError as error:
        owner = _owner_of_name(connection, schema_id, table)
        words = owner.kind.words
        hint = f"first rename it: ALTER {words} {_shown(owner)} RENAME TO {owner.name}_old"
        can_be_renamed = owner.kind is TableKind.VIEW or owner.kind.stores_rows
        raise name_taken(owner, hint=hint if can_be_renamed else None) from error


def name_taken(owner: Table, *, hint: str | None = None) -> UserError:
    """The error for a name that `owner` has."""
    name = _shown(owner)
    words = owner.kind.words
    drop = f"DROP {words} {name}"
    kind = words.lower()
    return UserError("TABLE_ALREADY_EXISTS", hint=hint, kind=kind, name=name, drop=drop)


def state_illegal(table: str, *, before: str | None, after: str) -> InternalError:
    """The error for a table that is not in the state its caller thought."""
    return InternalError("TABLE_STATE_ILLEGAL", table=table, before=before or "gone", after=after)


def _owner_of_name(connection: Connection, schema_id: str, wanted: Table) -> Table:
    query = select_tables().where(
        tables.c.schema_id == schema_id,
        tables.c.name == wanted.name,
        tables.c.state.in_(_LIVE),
    )
    row = connection.execute(query).one_or_none()
    # None: the id is taken, not the name, which is a bug, or the owner vanished a moment ago.
    return wanted if row is None else table_from(row)


def _shown(table: Table) -> str:
    return str(QualifiedName(table.workspace, table.schema, table.name))
