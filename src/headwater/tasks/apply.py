"""From the tasks that are there to those of files: what changes, in which order. Pure.

Law: applied twice, the second time changes nothing; nothing is dropped unless that is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from headwater.catalog.tasks import DEFAULT_FOLDER
from headwater.names import ObjectName, QualifiedName
from headwater.sql.task_clauses import TaskClauses
from headwater.sql.tasks import (
    AlterTask,
    ChangeTask,
    CreateTask,
    DropTask,
    SubmitTask,
    TaskChange,
)
from headwater.tasks.dependencies import in_order
from headwater.tasks.difference import changed_lines


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one task: `create`, `change`, `submit` or `drop`."""

    verb: str
    name: ObjectName
    lines: tuple[str, ...] = ()
    statement: CreateTask | None = None
    online: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes, those first that others come after; `left` have no file and stay."""

    changes: tuple[Change, ...] = ()
    left: tuple[ObjectName, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing changes."""
        return not self.changes

    def statements(self) -> Iterator[str]:
        """What carries the changes out."""
        for change in self.changes:
            if change.statement is not None:
                yield change.statement.to_sql()
        submitted = tuple(change.name for change in self.changes if change.verb != "drop")
        if submitted:
            yield SubmitTask(submitted).to_sql()
        for change in reversed(self.changes):
            if change.verb == "drop":
                if change.online:
                    yield AlterTask(change.name, ChangeTask(TaskChange.OFFLINE)).to_sql()
                yield DropTask(change.name).to_sql()


def plan_changes(
    wanted: Sequence[CreateTask],
    known: Sequence[CreateTask],
    *,
    offline: Collection[ObjectName] = (),
    prune: bool = False,
) -> Plan:
    """What to do; tasks in `offline` do not run as they are written, and are submitted too."""
    there = {_full(task.name): task for task in known}
    files = {_full(task.name): _fitted(task, there.get(_full(task.name))) for task in wanted}
    gone = [name for name in there if name not in files]
    changes = list[Change]()
    for name in _ordered(files):
        task, before = files[name], there.get(name)
        lines = changed_lines(_plain(before), _plain(task))
        if before is None or lines:
            verb = "create" if before is None else "change"
            changes.append(Change(verb, name, tuple(lines), task))
        elif name in offline:
            changes.append(Change("submit", name))
    if prune:
        order = [name for name in _ordered(there) if name in gone]
        changes += [Change("drop", name, online=name not in offline) for name in order]
    return Plan(tuple(changes), () if prune else tuple(gone))


def _full(name: ObjectName) -> ObjectName:
    return replace(name, schema=name.schema or DEFAULT_FOLDER)


def _fitted(task: CreateTask, before: CreateTask | None) -> CreateTask:
    """A file that names no time zone means that of the task, or of the lake."""
    cycle = task.clauses.cycle
    if before is None or before.clauses.cycle is None or cycle is None or cycle.time_zone:
        return task
    zoned = replace(cycle, time_zone=before.clauses.cycle.time_zone)
    return replace(task, clauses=replace(task.clauses, cycle=zoned))


def _plain(task: CreateTask | None) -> TaskClauses | None:
    """The clauses with full names, so that `daily` and `default.daily` are the same."""
    if task is None:
        return None
    after = task.clauses.after
    return replace(task.clauses, after=None if after is None else tuple(map(_full, after)))


def _ordered(tasks: dict[ObjectName, CreateTask]) -> list[ObjectName]:
    def key(name: ObjectName) -> QualifiedName:
        full = _full(name)
        return QualifiedName(full.workspace or "", full.schema or "", full.name)

    by_key = {key(name): name for name in tasks}
    after = {
        key(name): tuple(key(other) for other in task.clauses.after or ())
        for name, task in tasks.items()
    }
    return [by_key[name] for name in in_order(after)]
