"""Headwater: volumes, pipes, streams and dynamic tables on plain Spark and object storage.

    import headwater
    with headwater.connect("lake/") as lake:
        lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2)")
        print(lake.sql("SELECT count(*) FROM t").rows)

Names are loaded when they are first used, so that `import headwater` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from headwater.dbapi import Connection, Cursor, connect
    from headwater.result import Result
    from headwater.session import Session

_HOMES = {
    "headwater.dbapi": (
        "Binary",
        "Connection",
        "Cursor",
        "Date",
        "DateFromTicks",
        "Time",
        "TimeFromTicks",
        "Timestamp",
        "TimestampFromTicks",
        "apilevel",
        "connect",
        "paramstyle",
        "threadsafety",
    ),
    "headwater.errors": (
        "DataError",
        "DatabaseError",
        "Error",
        "HeadwaterError",
        "IntegrityError",
        "InterfaceError",
        "InternalError",
        "NotSupportedError",
        "OperationalError",
        "ProgrammingError",
        "SchemaError",
        "TransientError",
        "UserError",
        "Warning",
    ),
    "headwater.result": ("Result",),
    "headwater.session": ("Session",),
    "headwater.type_codes": ("BINARY", "DATETIME", "NUMBER", "ROWID", "STRING"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["Connection", "Cursor", "Result", "Session", "__version__", "connect"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'headwater' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
