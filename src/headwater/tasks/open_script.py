"""The script of a task with its credentials, for the moment in which it runs."""

from __future__ import annotations

from headwater.catalog.tasks import SCRIPT, TaskDefinition
from headwater.files.connections import key_source
from headwater.runtime.open_lake import OpenLake


def opened_script(lake: OpenLake, definition: TaskDefinition, task_id: str) -> str:
    """The script as it was typed."""
    if definition.sealed_script is None:
        return definition.script
    from headwater.sealing.seal import open_sealed

    ring = key_source(lake).load()
    return open_sealed(definition.sealed_script, ring, owner_id=task_id, name=SCRIPT)
