"""What changes between two definitions of a task, line by line. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from headwater.catalog.tasks import TaskDefinition
from headwater.sql.task_clauses import TaskClauses
from headwater.tasks.rendering import clauses_of


def difference(before: TaskDefinition, after: TaskDefinition, workspace: str) -> list[str]:
    """Lines that begin with `-` for what goes and `+` for what comes; none when nothing does."""
    lines = changed_lines(clauses_of(before, workspace), clauses_of(after, workspace))
    if not lines and before != after:
        # What is not to be seen: a credential in the script, or the schema of its names.
        same_script = before.sealed_script == after.sealed_script
        return [f"~ {'schema' if same_script else 'a credential in the script'}"]
    return lines


def changed_lines(before: TaskClauses | None, after: TaskClauses | None) -> list[str]:
    """The same of clauses; None is a task that is not there."""
    found = difflib.ndiff(_lines(before), _lines(after))
    return [line for line in found if line.startswith(("+", "-"))]


def _lines(clauses: TaskClauses | None) -> Sequence[str]:
    if clauses is None:
        return ()
    return (*clauses.lines(), *(clauses.script or "").splitlines())
