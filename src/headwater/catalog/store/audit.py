"""The store's audit: who logged in, what was made, changed, granted and refused.

Invariant: lines are added, read, and forgotten when they are old; never changed.
"""

from __future__ import annotations

import builtins
import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from headwater.access.users import AuditEvent, AuditKind
from headwater.catalog.store.access_model import audit
from headwater.catalog.store.database import Database

_MOST = 10_000


class Audit:
    """Keeps and gives back what happened."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, event: AuditEvent, *, connection: Connection | None = None) -> None:
        """Adds a line."""
        values = {
            "id": uuid.uuid4().hex,
            "at": event.at,
            "user_name": event.user,
            "kind": event.kind,
            "object": event.object,
            "text": event.text,
            "job_id": event.job_id,
            "ok": event.ok,
            "address": event.address,
        }
        with self._database.write(connection) as own:
            own.execute(insert(audit), values)

    def delete_before(self, moment: datetime, *, connection: Connection | None = None) -> int:
        """Forgets what happened before a moment, and says how many lines that were."""
        with self._database.write(connection) as own:
            return own.execute(delete(audit).where(audit.c.at < moment)).rowcount

    def list(
        self, *, limit: int = _MOST, connection: Connection | None = None
    ) -> builtins.list[AuditEvent]:
        """The newest lines first."""
        query = select(audit).order_by(audit.c.at.desc(), audit.c.id).limit(limit)
        with self._database.read(connection) as own:
            return [_event(row) for row in own.execute(query)]


def _event(row: Row[Any]) -> AuditEvent:
    return AuditEvent(
        at=row.at,
        user=row.user_name,
        kind=AuditKind(row.kind),
        object=row.object,
        text=row.text,
        job_id=row.job_id,
        ok=row.ok,
        address=row.address,
    )
