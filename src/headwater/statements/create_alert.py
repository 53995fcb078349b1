"""CREATE ALERT.

Invariant: the addresses are kept sealed; nothing shows more of them than their scheme.
"""

from __future__ import annotations

import json
import uuid

from headwater.alerts.sending import accepted, shown
from headwater.catalog.alerts import ADDRESSES, Alert
from headwater.catalog.objects import TableKind
from headwater.errors import UserError
from headwater.files.connections import key_source
from headwater.names import QualifiedName
from headwater.pipes.find_pipe import find_pipe
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.alerts import AlertKind, CreateAlert
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.streams.find_stream import find_stream

_COVER = "****"


def create_alert(context: Context, statement: CreateAlert) -> Result:
    """Watch something; whoever is behind the addresses is told while `headwater run` is at work."""
    name, workspace = statement.name, context.session.workspace
    known = context.store.alerts.get(workspace, name)
    if known is not None and statement.if_not_exists:
        return Result(message=f"alert {name} exists already")
    if known is not None and not statement.or_replace:
        raise UserError("ALERT_ALREADY_EXISTS", name=name)
    target = _target(context, statement)
    _require_addresses(statement)
    from headwater.sealing.seal import seal

    at, alert_id = now(), uuid.uuid4().hex
    ring = key_source(context.lake).load_or_create()
    alert = Alert(
        id=alert_id,
        workspace=workspace,
        name=name,
        kind=statement.kind,
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        target=target,
        seconds=statement.seconds,
        comment=statement.comment,
        shown=tuple(shown(url) for url in statement.urls),
        sealed=seal(json.dumps(statement.urls), ring, owner_id=alert_id, name=ADDRESSES),
    )
    context.store.alerts.create(alert, replacing=statement.or_replace)
    return Result(message=f"alert {name} created; it watches while `headwater run` is at work")


def _require_addresses(statement: CreateAlert) -> None:
    for number, url in enumerate(statement.urls, start=1):
        if url == _COVER:
            raise UserError("SECRET_IS_MASKED", key="NOTIFY")
        if not accepted(url):
            raise UserError("ALERT_ADDRESS", number=number)


def _target(context: Context, statement: CreateAlert) -> QualifiedName | None:
    """The full name of what is watched, which must be there; None is every task."""
    name, kind = statement.target, statement.kind
    if name is None:
        return None
    span = context.span_of(name, last=True)
    if kind in (AlertKind.TASK_FAILURE, AlertKind.TASK_TIMEOUT):
        return find_task(context, name).name
    full = context.qualify(name)
    if kind is AlertKind.PIPE_LAG:
        find_pipe(context.store, full, span=span)
    elif kind is AlertKind.STREAM_NEAR_STALE:
        find_stream(context.store, full, statement="CREATE ALERT", span=span)
    else:
        table = context.table(name)
        if table.kind not in (TableKind.DYNAMIC, TableKind.MATERIALIZED_VIEW):
            raise UserError("TASK_NOT_DYNAMIC", name=name, span=span)
    return full
