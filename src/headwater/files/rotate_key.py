"""Changing the key that seals secrets.

Law: at every moment the keys that are kept open every secret. A new key is added, all secrets are
sealed with it in one transaction, and only then the old keys go; killed anywhere, it can be run
again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from headwater.catalog.alerts import ADDRESSES
from headwater.catalog.pipes import BODY
from headwater.catalog.tasks import SCRIPT, TaskDefinition
from headwater.errors import UserError
from headwater.files.connections import key_source
from headwater.runtime.open_lake import OpenLake
from headwater.sealing.keys import KeyRing, KeySource
from headwater.sealing.seal import reseal


@dataclass(frozen=True, slots=True)
class Rotation:
    """What was done: how many connections and pipes were sealed anew, and with which key."""

    connections: int
    pipes: int
    key_id: str
    source: str
    old_keys_removed: bool
    tasks: int = 0
    alerts: int = 0


def rotate_key(lake: OpenLake) -> Rotation:
    """Seal all secrets with a new key."""
    lake.writer.ensure()
    source = key_source(lake)
    ring, ours = _new_ring(source)
    with lake.store.begin() as transaction:
        connections = _reseal_connections(lake, ring, transaction)
        pipes = _reseal_pipes(lake, ring, transaction)
        tasks = _reseal_tasks(lake, ring, transaction)
        alerts = _reseal_alerts(lake, ring, transaction)
    if ours:
        source.keep_newest()
    return Rotation(connections, pipes, ring.newest.id, ring.source, ours, tasks, alerts)


def _reseal_connections(lake: OpenLake, ring: KeyRing, transaction: Any) -> int:
    count = 0
    for connection in lake.store.connections.list(connection=transaction):
        sealed = {
            name: reseal(text, ring, owner_id=connection.id, name=name)
            for name, text in connection.sealed.items()
        }
        if sealed != connection.sealed:
            changed = replace(connection, sealed=sealed)
            lake.store.connections.update(changed, connection=transaction)
            count += 1
    return count


def _reseal_pipes(lake: OpenLake, ring: KeyRing, transaction: Any) -> int:
    count = 0
    for pipe in lake.store.pipes.sealed(connection=transaction):
        assert pipe.sealed_body is not None
        sealed = reseal(pipe.sealed_body, ring, owner_id=pipe.id, name=BODY)
        if sealed != pipe.sealed_body:
            lake.store.pipes.reseal(pipe, sealed, connection=transaction)
            count += 1
    return count


def _reseal_tasks(lake: OpenLake, ring: KeyRing, transaction: Any) -> int:
    """The drafts of tasks and every version that was submitted."""
    store, count = lake.store.tasks, 0
    for task in store.list(connection=transaction):
        draft = _resealed(task.draft, ring, task.id)
        if draft != task.draft:
            store.set_draft(task.id, draft, task.modified_at, connection=transaction)
            count += 1
        for version in store.versions(task.id, connection=transaction):
            definition = _resealed(version.definition, ring, task.id)
            if definition != version.definition:
                store.replace_version(task.id, version.version, definition, connection=transaction)
    return count


def _resealed(definition: TaskDefinition, ring: KeyRing, task_id: str) -> TaskDefinition:
    if definition.sealed_script is None:
        return definition
    sealed = reseal(definition.sealed_script, ring, owner_id=task_id, name=SCRIPT)
    return replace(definition, sealed_script=sealed)


def _reseal_alerts(lake: OpenLake, ring: KeyRing, transaction: Any) -> int:
    count = 0
    for alert in lake.store.alerts.list(connection=transaction):
        sealed = reseal(alert.sealed, ring, owner_id=alert.id, name=ADDRESSES)
        if sealed != alert.sealed:
            lake.store.alerts.reseal(alert.id, sealed, connection=transaction)
            count += 1
    return count


def _new_ring(source: KeySource) -> tuple[KeyRing, bool]:
    """The keys with a new one in front, and whether we made it.

    Keys from a variable are added by whoever sets it; we seal with the first of them.
    """
    try:
        return source.add_key(), True
    except UserError as error:
        if error.condition != "SECRET_KEY_NOT_OURS" or len(source.load().keys) == 1:
            raise
        return source.load(), False
