"""Tasks as files: the script, and before it its clauses in a comment between two lines `---`. Pure.

Law: what `write_file` writes, `read_file` reads as the same clauses. A file `etl/daily.sql` is task
`etl.daily`; one that is in no folder is in the default one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.catalog.tasks import DEFAULT_FOLDER
from headwater.errors import HeadwaterError, UserError
from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.task_clauses import parse_task_clauses
from headwater.sql.tasks import CreateTask, require_whole

SQL, PYTHON = ".sql", ".py"
_RULE = "---"
_COMMENTS = {SQL: "--", PYTHON: "#"}


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A file of a task: its path below the folder of all tasks, with `/` between its parts."""

    path: str
    text: str


def read_file(file: TaskFile) -> CreateTask:
    """The statement that a file stands for; TASK_FILE when it is none."""
    name, suffix = _name(file.path)
    head, script = _parts(file, _COMMENTS[suffix])
    try:
        clauses = parse_task_clauses(Cursor(head))
        if clauses.script is not None:
            raise _wrong(file, "its script stands below the clauses, not behind AS")
        if clauses.target is None:
            clauses = replace(
                clauses, script=_trimmed(script, suffix) or None, python=suffix == PYTHON
            )
        elif script.strip():
            raise _wrong(file, "a task for a dynamic table has no script")
        require_whole(clauses)
    except HeadwaterError as error:
        if error.condition == "TASK_FILE":
            raise
        raise _wrong(file, f"{error.condition}: {error.message}") from None
    return CreateTask(name, replace(clauses, script_span=None), or_replace=True)


def write_file(statement: CreateTask) -> TaskFile:
    """The file that stands for a statement."""
    clauses = statement.clauses
    suffix = PYTHON if clauses.python else SQL
    mark = _COMMENTS[suffix]
    lines = [line for line in clauses.lines() if line != "LANGUAGE PYTHON"]
    head = "".join(f"{mark} {line}\n" for line in (_RULE, *lines, _RULE))
    folder = statement.name.schema or DEFAULT_FOLDER
    path = f"{_safe(folder)}/{_safe(statement.name.name)}{suffix}"
    script = clauses.script or ""
    tail = "" if not script else (script if script.endswith("\n") else f"{script}\n")
    return TaskFile(path, head + tail)


def _safe(part: str) -> str:
    """A part of a name as the name of a file, which leads to no other folder."""
    if part in (".", "..") or "/" in part or "\\" in part or "\0" in part:
        raise UserError("TASK_FILE", file=part, problem="such a name cannot be that of a file")
    return part


def _name(path: str) -> tuple[ObjectName, str]:
    *folders, last = path.split("/")
    suffix = next(known for known in (SQL, PYTHON) if last.endswith(known))
    if len(folders) > 1:
        raise UserError("TASK_FILE", file=path, problem="folders of tasks hold no folders")
    folder = folders[0] if folders else DEFAULT_FOLDER
    return ObjectName.of(folder, last.removesuffix(suffix)), suffix


def _parts(file: TaskFile, mark: str) -> tuple[str, str]:
    lines = file.text.lstrip("\ufeff").splitlines(keepends=True)
    rules = [
        number
        for number, line in enumerate(lines)
        if line.strip().startswith(mark) and line.strip()[len(mark) :].strip() == _RULE
    ][:2]
    if len(rules) < 2 or any(line.strip() for line in lines[: rules[0]]):
        raise _wrong(file, "there are no clauses at its beginning")
    head = []
    for line in lines[rules[0] + 1 : rules[1]]:
        if not line.strip().startswith(mark):
            raise _wrong(file, f"a line between the two rules does not begin with {mark}")
        head.append(line.strip()[len(mark) :])
    return "\n".join(head), "".join(lines[rules[1] + 1 :])


def _trimmed(script: str, suffix: str) -> str:
    if suffix == PYTHON:
        return script if script.strip() else ""
    return script.strip().rstrip(";").rstrip()


def _wrong(file: TaskFile, problem: str) -> UserError:
    return UserError("TASK_FILE", file=file.path, problem=problem)
