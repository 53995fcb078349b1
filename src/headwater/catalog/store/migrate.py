"""Bringing a database to the revision this code was written for.

Invariant: a current database is recognised by one plain query, and a new one made from the model,
without importing Alembic (half a second); a database from the future is refused before anything is
read from it or written to it.
"""

from __future__ import annotations

import threading
import uuid
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, column, insert, inspect, select, table
from sqlalchemy.exc import SQLAlchemyError

from headwater.catalog.store.addresses import shown
from headwater.catalog.store.create import create_catalog
from headwater.catalog.store.database import Database
from headwater.catalog.store.model import lake, metadata
from headwater.errors import UserError

REVISIONS = (
    "0001_foundation",
    "0002_volumes",
    "0003_pipes",
    "0004_streams",
    "0005_dynamic_tables",
    "0006_vclusters",
    "0007_schedules",
    "0008_dynamic_table_columns",
    "0009_partitions",
    "0010_materialized_views",
    "0011_job_stages",
    "0012_access",
    "0013_tasks",
    "0014_service_address",
    "0015_pipe_errors",
)
"""All migrations, oldest first; a test compares them with the scripts."""
HEAD = REVISIONS[-1]
_BEFORE_ALL = ""
# What `model.py` describes: a database that is to stop at an older revision takes the migrations.
_OF_THE_MODEL = HEAD
FORMAT_VERSION = 1
"""The layout of a lake's folder; it changes when older code could no longer read the files."""
SCRIPTS = Path(__file__).parent / "migrations"

_ALEMBIC = table("alembic_version", column("version_num"))
# Alembic keeps its running migration in module variables, so two threads must take turns.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class Lake:
    """What the catalog says of itself."""

    lake_id: str
    format_version: int
    created_at: datetime


def prepare(database: Database) -> Lake:
    """The lake of a database, which is created or upgraded first where that is needed."""
    with database.read() as connection:
        if _revision(connection, database) == HEAD:
            return _lake(connection)
    with database.migrating() as connection:
        # Asked again under the lock: another process may have done it in between.
        found = _revision(connection, database)
        if found is None and HEAD == _OF_THE_MODEL:
            create_catalog(connection, HEAD)
            _name_lake(connection, database)
        elif found != HEAD:
            _upgrade(connection, database)
        return _lake(connection)


def _revision(connection: Connection, database: Database) -> str | None:
    """The revision of the database; None when it holds nothing of ours."""
    names = set(inspect(connection).get_table_names())
    clashing = sorted(names & metadata.tables.keys())
    if _ALEMBIC.name not in names:
        if clashing:
            raise _foreign(database, clashing)
        return None
    found: str | None = connection.execute(select(_ALEMBIC.c.version_num)).scalar()
    if found is None:
        # Alembic takes its empty table for a database before the first revision.
        return _BEFORE_ALL
    if found in REVISIONS:
        return found
    if lake.name not in names:
        raise _foreign(database, [_ALEMBIC.name, *clashing])
    raise UserError("LAKE_TOO_NEW", found=found, known=HEAD)


def _foreign(database: Database, tables: list[str]) -> UserError:
    return UserError("CATALOG_FOREIGN", url=shown(database.address), tables=", ".join(tables))


def _lake(connection: Connection) -> Lake:
    row = connection.execute(select(lake)).one()
    if row.format_version > FORMAT_VERSION:
        raise UserError("LAKE_TOO_NEW", found=row.format_version, known=FORMAT_VERSION)
    return Lake(row.lake_id, row.format_version, row.created_at)


def _upgrade(connection: Connection, database: Database) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _ONE_AT_A_TIME:
        command.upgrade(config, HEAD)
    if database.sqlite:
        _check_references(connection)
    if connection.execute(select(lake)).first() is None:
        _name_lake(connection, database)


def _name_lake(connection: Connection, database: Database) -> None:
    row = Lake(uuid.uuid4().hex, FORMAT_VERSION, database.clock())
    connection.execute(insert(lake), asdict(row))


def _check_references(connection: Connection) -> None:
    """Foreign keys are off while SQLite migrates, so they are checked once at its end."""
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        raise SQLAlchemyError(f"the migration broke references of {broken[0][0]}")
