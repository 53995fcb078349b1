"""A task, its versions and its instances, as plain data; which state may follow which. No I/O.

Law: what runs is a submitted version, never the draft that somebody is working on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from headwater.names import QualifiedName
from headwater.sql.task_clauses import RerunPolicy
from headwater.sql.task_cycle import Cycle

SCRIPT = "script"
"""What a sealed script is sealed as."""
DEFAULT_FOLDER = "default"
WAIT_LIMIT = timedelta(days=3)
INTERRUPTED = "the process that ran it ended before it was done"


class TaskKind(StrEnum):
    """What a task runs."""

    SQL = "SQL"
    PYTHON = "PYTHON"
    DYNAMIC_TABLE = "DYNAMIC_TABLE"


class TaskState(StrEnum):
    """The states users see in SHOW TASKS."""

    ONLINE = "ONLINE"
    PAUSED = "PAUSED"
    OFFLINE = "OFFLINE"


class InstanceState(StrEnum):
    """The states users see in SHOW TASK INSTANCES."""

    WAITING = "WAITING"
    READY = "READY"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    PAUSED = "PAUSED"
    TERMINATED = "TERMINATED"


OPEN_STATES = frozenset(
    {InstanceState.WAITING, InstanceState.READY, InstanceState.RUNNING, InstanceState.PAUSED}
)
DONE_STATES = frozenset({InstanceState.SUCCEEDED, InstanceState.SKIPPED})
"""What lets the next ones begin."""
FINAL_STATES = frozenset(InstanceState) - OPEN_STATES

_W, _R = InstanceState.WAITING, InstanceState.RUNNING
NEXT_STATES: Mapping[InstanceState, frozenset[InstanceState]] = {
    _W: frozenset(InstanceState) - {_W, _R},
    InstanceState.READY: frozenset(InstanceState) - {InstanceState.READY},
    _R: frozenset({_W, InstanceState.SUCCEEDED, InstanceState.FAILED, InstanceState.TERMINATED}),
    InstanceState.PAUSED: frozenset(InstanceState) - {InstanceState.PAUSED, _R},
    InstanceState.SUCCEEDED: frozenset({_W, InstanceState.FAILED}),
    InstanceState.SKIPPED: frozenset({_W, InstanceState.FAILED}),
    InstanceState.FAILED: frozenset({_W, InstanceState.SUCCEEDED}),
    InstanceState.TERMINATED: frozenset({_W, InstanceState.SUCCEEDED, InstanceState.FAILED}),
}
"""A final state is left only by a user: by a rerun, or by setting success or failure."""


class Trigger(StrEnum):
    """Why there is an instance."""

    SCHEDULE = "SCHEDULE"
    MANUAL = "MANUAL"
    BACKFILL = "BACKFILL"


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """What a task does and when. The schema of a name in `after` is a folder.

    `script` is masked; a script with a credential in it is also in `sealed_script`.
    """

    kind: TaskKind
    cycle: Cycle
    script: str = ""
    target: QualifiedName | None = None
    """The dynamic table to refresh."""
    after: tuple[QualifiedName, ...] = ()
    self_dependent: bool = False
    vcluster: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    unchecked: bool = False
    """Values of parameters may hold quotes and semicolons."""
    retries: int = 0
    retry_seconds: int = 0
    rerun: RerunPolicy = RerunPolicy.ALWAYS
    timeout_seconds: int | None = None
    wait_seconds: int = int(WAIT_LIMIT.total_seconds())
    skip_seconds: int | None = None
    comment: str | None = None
    schema: str = "public"
    """Where names in the script are looked up."""
    sealed_script: str | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For the catalog."""
        stored = {name: getattr(self, name) for name in self.__slots__}
        stored |= {
            "cycle": self.cycle.to_dict(),
            "target": None if self.target is None else _parts(self.target),
            "after": [_parts(name) for name in self.after],
            "parameters": [list(pair) for pair in self.parameters],
        }
        return {name: value for name, value in stored.items() if value is not None}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> TaskDefinition:
        """What `to_dict` gave."""
        target = stored.get("target")
        return cls(
            **{
                **stored,
                "kind": TaskKind(stored["kind"]),
                "rerun": RerunPolicy(stored["rerun"]),
                "cycle": Cycle.from_dict(stored["cycle"]),
                "target": None if target is None else QualifiedName(*target),
                "after": tuple(QualifiedName(*parts) for parts in stored["after"]),
                "parameters": tuple((str(k), str(v)) for k, v in stored["parameters"]),
            }
        )


def _parts(name: QualifiedName) -> list[str]:
    return [name.workspace, name.schema, name.name]


@dataclass(frozen=True, slots=True)
class Task:
    """A task; `deployed` is the definition of its submitted `version`.

    Plan times later than `online_since` have instances, made up to `generated_to`.
    """

    id: str
    name: QualifiedName
    owner: str
    created_at: datetime
    modified_at: datetime
    draft: TaskDefinition
    state: TaskState = TaskState.OFFLINE
    version: int | None = None
    deployed: TaskDefinition | None = None
    online_since: datetime | None = None
    generated_to: datetime | None = None

    @property
    def current(self) -> TaskDefinition:
        """What it runs: the submitted version, or the draft before there is one."""
        return self.draft if self.deployed is None else self.deployed


@dataclass(frozen=True, slots=True)
class TaskVersion:
    """A definition as it was submitted."""

    version: int
    definition: TaskDefinition
    submitted_at: datetime
    submitted_by: str


@dataclass(frozen=True, slots=True)
class TaskInstance:
    """One run of a task for one plan time, with all its attempts.

    `run` is empty for the schedule, else the id of what was started by hand; the three of task,
    run and plan time are unique. `version` is None for a draft.
    """

    id: str
    task_id: str
    plan_at: datetime
    created_at: datetime
    waiting_since: datetime
    state: InstanceState = InstanceState.WAITING
    trigger: Trigger = Trigger.SCHEDULE
    run: str = ""
    version: int | None = None
    attempt: int = 0
    retries_left: int = 0
    not_before: datetime | None = None
    fencing: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    error: str | None = None
    timed_out: bool = False
    job_ids: Sequence[str] = ()
    log: str = ""

    @property
    def key(self) -> tuple[str, str, datetime]:
        """What is unique."""
        return self.task_id, self.run, self.plan_at


def failed(
    instance: TaskInstance, definition: TaskDefinition, at: datetime, error: str
) -> TaskInstance:
    """The instance after an attempt that failed: to be tried again while retries are left."""
    after = replace(instance, error=error, ended_at=at, fencing=None)
    if instance.retries_left < 1 or definition.rerun is RerunPolicy.NEVER:
        return replace(after, state=InstanceState.FAILED)
    return replace(
        after,
        state=InstanceState.WAITING,
        retries_left=instance.retries_left - 1,
        not_before=at + timedelta(seconds=definition.retry_seconds),
        waiting_since=at,
    )


def started_again(
    instance: TaskInstance, definition: TaskDefinition, at: datetime, *, version: int | None
) -> TaskInstance:
    """The instance to be run from its beginning, with the latest code."""
    return replace(
        instance,
        state=InstanceState.WAITING,
        version=version,
        retries_left=definition.retries,
        not_before=None,
        waiting_since=at,
        ended_at=None,
        error=None,
        timed_out=False,
    )


def may_follow(before: InstanceState, after: InstanceState) -> bool:
    """Whether an instance in state `before` may go to state `after`."""
    return after in NEXT_STATES[before]
