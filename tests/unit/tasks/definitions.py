"""Tasks for tests: everything a test does not care about has a value here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from headwater.catalog.tasks import Task, TaskDefinition, TaskInstance, TaskKind, TaskState
from headwater.names import QualifiedName
from headwater.sql.cursor import Cursor
from headwater.sql.task_cycle import Cycle, parse_cycle

START = datetime(2026, 11, 15, tzinfo=UTC)
WORKSPACE = "wanda"


def a_cycle(text: str = "EVERY 5 MINUTES", zone: str = "UTC") -> Cycle:
    return parse_cycle(Cursor(f"({text} TIME ZONE '{zone}')"))


def a_definition(cycle: str = "EVERY 5 MINUTES", **changes: Any) -> TaskDefinition:
    given: dict[str, Any] = {"kind": TaskKind.SQL, "cycle": a_cycle(cycle), "script": "SHOW TABLES"}
    return TaskDefinition(**{**given, **changes})


def name_of(task: str) -> QualifiedName:
    return QualifiedName(WORKSPACE, "default", task)


def a_task(
    name: str = "a",
    cycle: str = "EVERY 5 MINUTES",
    *,
    state: TaskState = TaskState.ONLINE,
    since: datetime = START,
    after: tuple[str, ...] = (),
    **changes: Any,
) -> Task:
    """A task that is submitted, with instances later than `since`."""
    made = a_definition(cycle, after=tuple(name_of(other) for other in after), **changes)
    return Task(
        id=name,
        name=name_of(name),
        owner="ada",
        created_at=START,
        modified_at=START,
        draft=made,
        state=state,
        version=1,
        deployed=made,
        online_since=since,
        generated_to=since,
    )


def an_instance(task: Task, plan_at: datetime, **changes: Any) -> TaskInstance:
    given: dict[str, Any] = {
        "id": f"{task.id}@{plan_at:%d-%H%M}",
        "task_id": task.id,
        "plan_at": plan_at,
        "created_at": plan_at,
        "waiting_since": plan_at,
        "version": 1,
        "retries_left": task.current.retries,
    }
    return TaskInstance(**{**given, **changes})
