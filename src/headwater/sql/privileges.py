"""Privileges, and the kinds of objects that they are granted on."""

from __future__ import annotations

from enum import StrEnum


class Securable(StrEnum):
    """Kinds of objects, one for each space of names; JOB only has an owner, and no grants."""

    SCHEMA = "SCHEMA"
    TABLE = "TABLE"
    """Everything that stands where a table stands: views, streams, dynamic tables .."""
    VOLUME = "VOLUME"
    PIPE = "PIPE"
    FUNCTION = "FUNCTION"
    CONNECTION = "CONNECTION"
    VCLUSTER = "VCLUSTER"
    JOB = "JOB"


class Privilege(StrEnum):
    """What somebody may do with an object."""

    SELECT = "SELECT"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    READ_VOLUME = "READ VOLUME"
    WRITE_VOLUME = "WRITE VOLUME"
    OPERATE = "OPERATE"
    MONITOR = "MONITOR"
    """See that it is there, what it looks like and what happened to it; any other implies it."""
    USE = "USE"
    OWNERSHIP = "OWNERSHIP"
    """All of them, and to change, drop and grant it; an object has one owner."""
    CREATE_TABLE = "CREATE TABLE"
    CREATE_VIEW = "CREATE VIEW"
    CREATE_DYNAMIC_TABLE = "CREATE DYNAMIC TABLE"
    CREATE_STREAM = "CREATE STREAM"
    CREATE_VOLUME = "CREATE VOLUME"
    CREATE_PIPE = "CREATE PIPE"
    CREATE_FUNCTION = "CREATE FUNCTION"


_P = Privilege
CREATING = tuple(privilege for privilege in Privilege if privilege.startswith("CREATE "))
"""What may be made in a schema."""
_ROWS = (_P.SELECT, _P.INSERT, _P.UPDATE, _P.DELETE)
_FILES = (_P.READ_VOLUME, _P.WRITE_VOLUME)
_ALL = (_P.OPERATE, _P.MONITOR)
FITTING: dict[Securable, tuple[Privilege, ...]] = {
    Securable.TABLE: (*_ROWS, *_ALL, _P.OWNERSHIP),
    Securable.VOLUME: (*_FILES, *_ALL, _P.OWNERSHIP),
    Securable.PIPE: (*_ALL, _P.OWNERSHIP),
    Securable.FUNCTION: (_P.SELECT, _P.MONITOR, _P.OWNERSHIP),
    Securable.CONNECTION: (_P.USE, _P.MONITOR, _P.OWNERSHIP),
    Securable.VCLUSTER: (_P.USE, *_ALL, _P.OWNERSHIP),
    # On a schema they hold for everything in it, also for what comes later.
    Securable.SCHEMA: (*_ROWS, *_FILES, *_ALL, *CREATING, _P.OWNERSHIP),
    Securable.JOB: (),
}
"""Which privileges an object of a kind can have."""
