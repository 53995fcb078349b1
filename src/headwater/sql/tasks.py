"""CREATE, ALTER, SUBMIT, EXECUTE, BACKFILL, DROP, SHOW and DESC of tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from headwater.errors import Span, UserError
from headwater.names import ObjectName, did_you_mean, quote_literal, show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.describe import DescTable, parse_desc_table
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.task_clauses import TaskClauses, parse_task_clauses

_A_TASK = "the task's name"
_UNSET = ("VCLUSTER", "AFTER", "SELF", "PARAMETERS", "RETRY", "TIMEOUT", "WAIT", "SKIP", "COMMENT")


@dataclass(frozen=True, slots=True)
class CreateTask:
    """CREATE [OR REPLACE] TASK [IF NOT EXISTS] [folder.]t <clauses>: a draft, until submitted."""

    name: ObjectName
    clauses: TaskClauses
    or_replace: bool = False
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = "CREATE OR REPLACE TASK" if self.or_replace else "CREATE TASK"
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        return f"{head} {guard}{self.name}\n{self.clauses.to_sql()}"


class TaskChange(StrEnum):
    """What ALTER TASK may do to a task that is submitted."""

    PAUSE = "PAUSE"
    RESUME = "RESUME"
    OFFLINE = "OFFLINE"


@dataclass(frozen=True, slots=True)
class ChangeTask:
    """PAUSE, RESUME or OFFLINE [WITH DOWNSTREAM]."""

    change: TaskChange
    with_downstream: bool = False

    def to_sql(self) -> str:
        """The clause behind the task's name."""
        return f"{self.change}{' WITH DOWNSTREAM' if self.with_downstream else ''}"


@dataclass(frozen=True, slots=True)
class SetTask:
    """SET <clauses>: change the draft."""

    clauses: TaskClauses

    def to_sql(self) -> str:
        """The clause behind the task's name."""
        return f"SET {self.clauses.to_sql()}"


@dataclass(frozen=True, slots=True)
class UnsetTask:
    """UNSET <clause>: take a clause out of the draft."""

    clause: str

    def to_sql(self) -> str:
        """The clause behind the task's name."""
        tail = {"SELF": " DEPENDENT", "WAIT": " LIMIT"}.get(self.clause, "")
        return f"UNSET {self.clause}{tail}"


@dataclass(frozen=True, slots=True)
class RenameTask:
    """RENAME TO <folder.name>: another name, or another folder."""

    to: ObjectName

    def to_sql(self) -> str:
        """The clause behind the task's name."""
        return f"RENAME TO {self.to}"


TaskAction: TypeAlias = ChangeTask | SetTask | UnsetTask | RenameTask


@dataclass(frozen=True, slots=True)
class AlterTask:
    """ALTER TASK t {SET .. | UNSET .. | RENAME TO n | PAUSE | RESUME | OFFLINE ..}."""

    name: ObjectName
    action: TaskAction

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"ALTER TASK {self.name} {self.action.to_sql()}"


@dataclass(frozen=True, slots=True)
class SubmitTask:
    """SUBMIT TASK t [, ..]: the draft becomes the version that runs."""

    names: tuple[ObjectName, ...]

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SUBMIT TASK {', '.join(str(name) for name in self.names)}"


@dataclass(frozen=True, slots=True)
class ExecuteTask:
    """EXECUTE TASK t [AT '<plan time>']: run it once, now."""

    name: ObjectName
    at: str | None = None
    at_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        at = "" if self.at is None else f" AT {quote_literal(self.at)}"
        return f"EXECUTE TASK {self.name}{at}"


@dataclass(frozen=True, slots=True)
class BackfillTask:
    """BACKFILL TASK t FROM '<time>' TO '<time>' [WITH DOWNSTREAM]."""

    name: ObjectName
    first: str
    last: str
    with_downstream: bool = False
    first_span: Span | None = field(default=None, compare=False)
    last_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        tail = " WITH DOWNSTREAM" if self.with_downstream else ""
        span = f"FROM {quote_literal(self.first)} TO {quote_literal(self.last)}"
        return f"BACKFILL TASK {self.name} {span}{tail}"


@dataclass(frozen=True, slots=True)
class DropTask:
    """DROP TASK [IF EXISTS] t, with its versions and instances."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP TASK {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowTasks:
    """SHOW TASKS [IN FOLDER f] [LIKE|WHERE] [LIMIT]."""

    folder: str | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        scope = "" if self.folder is None else f" IN FOLDER {show_identifier(self.folder)}"
        return f"SHOW TASKS{scope}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowTaskVersions:
    """SHOW TASK VERSIONS OF t [LIKE|WHERE] [LIMIT]."""

    name: ObjectName
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW TASK VERSIONS OF {self.name}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class DescTask:
    """DESC TASK t."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC TASK {self.name}"


@dataclass(frozen=True, slots=True)
class ShowCreateTask:
    """SHOW CREATE TASK t."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW CREATE TASK {self.name}"


def parse_create_task(cursor: Cursor) -> CreateTask:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    cursor.expect("TASK")
    clause = cursor.token
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if or_replace and if_not_exists:
        span = Span(clause.start, cursor.peek(-1).end)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    start = cursor.token.start
    name = cursor.object_name(_A_TASK)
    span = Span(start, cursor.peek(-1).end)
    clauses = parse_task_clauses(cursor)
    require_whole(clauses, span=cursor.token.span)
    return CreateTask(name, clauses, or_replace, if_not_exists, span)


def require_whole(clauses: TaskClauses, *, span: Span | None = None) -> None:
    """Refuse clauses of which no task can be made."""
    if clauses.cycle is None:
        raise UserError("TASK_CLAUSE_MISSING", clause="SCHEDULE (..)", span=span)
    if clauses.script is None and clauses.target is None:
        raise UserError("TASK_CLAUSE_MISSING", clause="AS <script>", span=span)


def parse_alter_task(cursor: Cursor) -> AlterTask:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "TASK")
    name = cursor.object_name(_A_TASK)
    words = (*TaskChange, "SET", "UNSET", "RENAME")
    if cursor.token.upper not in words:
        hint = did_you_mean(cursor.token.text, words)
        cursor.fail_expected("SET, UNSET, RENAME, PAUSE, RESUME or OFFLINE", hint=hint)
    word = cursor.advance().upper
    if word == "SET":
        if cursor.at_end:
            cursor.fail_expected("a clause such as SCHEDULE (..)")
        return AlterTask(name, SetTask(parse_task_clauses(cursor)))
    if word == "UNSET":
        action: TaskAction = UnsetTask(cursor.one_of(_UNSET))
        cursor.accept("DEPENDENT")
        cursor.accept("LIMIT")
    elif word == "RENAME":
        cursor.expect("TO")
        action = RenameTask(cursor.object_name(_A_TASK))
    else:
        action = ChangeTask(TaskChange(word), _with_downstream(cursor))
    cursor.expect_end()
    return AlterTask(name, action)


def _with_downstream(cursor: Cursor) -> bool:
    if not cursor.accept("WITH"):
        return False
    cursor.expect("DOWNSTREAM")
    return True


def parse_submit_task(cursor: Cursor) -> SubmitTask:
    """Read the statement; the cursor stands before SUBMIT."""
    cursor.expect("SUBMIT", "TASK")
    names = [cursor.object_name(_A_TASK)]
    while cursor.accept_symbol(","):
        names.append(cursor.object_name(_A_TASK))
    cursor.expect_end()
    return SubmitTask(tuple(dict.fromkeys(names)))


def parse_execute_task(cursor: Cursor) -> ExecuteTask:
    """Read the statement; the cursor stands before EXECUTE."""
    cursor.expect("EXECUTE", "TASK")
    name = cursor.object_name(_A_TASK)
    at, span = (None, None)
    if cursor.accept("AT"):
        span = cursor.token.span
        at = cursor.string("a plan time")
    cursor.expect_end()
    return ExecuteTask(name, at, span)


def parse_backfill_task(cursor: Cursor) -> BackfillTask:
    """Read the statement; the cursor stands before BACKFILL."""
    cursor.expect("BACKFILL", "TASK")
    name = cursor.object_name(_A_TASK)
    cursor.expect("FROM")
    first_span, first = cursor.token.span, cursor.string("a day or a time")
    cursor.expect("TO")
    last_span, last = cursor.token.span, cursor.string("a day or a time")
    downstream = _with_downstream(cursor)
    cursor.expect_end()
    return BackfillTask(name, first, last, downstream, first_span, last_span)


def parse_drop_task(cursor: Cursor) -> DropTask:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "TASK")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name(_A_TASK)
    cursor.expect_end()
    return DropTask(name, if_exists)


def parse_show_tasks(cursor: Cursor) -> ShowTasks:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "TASKS")
    folder = None
    if cursor.accept("IN") or cursor.accept("FROM"):
        if cursor.at("FOLDER") and cursor.peek(1).is_name:
            cursor.advance()
        folder = cursor.name("a folder").lower()
    return ShowTasks(folder, parse_show_filter(cursor))


def parse_show_task_versions(cursor: Cursor) -> ShowTaskVersions:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "TASK", "VERSIONS")
    cursor.accept("OF")
    name = cursor.object_name(_A_TASK)
    return ShowTaskVersions(name, parse_show_filter(cursor))


def parse_desc_task(cursor: Cursor) -> DescTask | DescTable:
    """Read the statement; the cursor stands before DESC. A table may be called `task`."""
    if not cursor.peek(2).is_name or (
        cursor.peek(2).upper == "EXTENDED" and cursor.peek(3).kind == "end"
    ):
        return parse_desc_table(cursor)
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("TASK")
    name = cursor.object_name(_A_TASK)
    cursor.expect_end()
    return DescTask(name)


def parse_show_create_task(cursor: Cursor) -> ShowCreateTask:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "CREATE", "TASK")
    name = cursor.object_name(_A_TASK)
    cursor.expect_end()
    return ShowCreateTask(name)
