"""ALTER, DROP, SHOW, DESC and SHOW CREATE of pipes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from headwater.errors import UserError
from headwater.names import ObjectName, did_you_mean, quote_literal
from headwater.sql.assignments import Assignment, parse_assignment
from headwater.sql.cursor import Cursor
from headwater.sql.describe import DescTable, parse_desc_table
from headwater.sql.pipe_properties import PAUSED, require_alterable
from headwater.sql.show import parse_scope, parse_workspace_scope
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

_PAUSE_WORDS = ("PAUSE", "SUSPEND", "STOP")
_RESUME_WORDS = ("RESUME", "START")


@dataclass(frozen=True, slots=True)
class PausePipe:
    """SET PIPE_EXECUTION_PAUSED = TRUE: start no further batch."""

    def to_sql(self) -> str:
        """The clause behind the pipe's name."""
        return f"SET {PAUSED} = TRUE"


@dataclass(frozen=True, slots=True)
class ResumePipe:
    """SET PIPE_EXECUTION_PAUSED = FALSE: run again."""

    def to_sql(self) -> str:
        """The clause behind the pipe's name."""
        return f"SET {PAUSED} = FALSE"


@dataclass(frozen=True, slots=True)
class SetPipeProperty:
    """SET <property> = '<value>'; the key is in upper case, the value as typed and checked."""

    key: str
    value: str

    def to_sql(self) -> str:
        """The clause behind the pipe's name."""
        return f"SET {self.key} = {quote_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class RefreshPipe:
    """REFRESH: look for something to load now."""

    def to_sql(self) -> str:
        """The clause behind the pipe's name."""
        return "REFRESH"


@dataclass(frozen=True, slots=True)
class SkipFile:
    """SKIP FILE '<path>': leave a file alone."""

    path: str

    def to_sql(self) -> str:
        """The clause behind the pipe's name."""
        return f"SKIP FILE {quote_literal(self.path)}"


@dataclass(frozen=True, slots=True)
class RetryFile:
    """RETRY FILE '<path>': try a file again that was skipped, or could not be read."""

    path: str

    def to_sql(self) -> str:
        """The clause behind the pipe's name."""
        return f"RETRY FILE {quote_literal(self.path)}"


PipeAction: TypeAlias = (
    PausePipe | ResumePipe | SetPipeProperty | RefreshPipe | SkipFile | RetryFile
)


@dataclass(frozen=True, slots=True)
class AlterPipe:
    """ALTER PIPE p {SET <one property> = <value> | REFRESH | {SKIP | RETRY} FILE '<path>'}."""

    name: ObjectName
    action: PipeAction

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"ALTER PIPE {self.name} {self.action.to_sql()}"


@dataclass(frozen=True, slots=True)
class DropPipe:
    """DROP PIPE [IF EXISTS] p; what it loaded stays."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP PIPE {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowPipes:
    """SHOW PIPES [EXTENDED] [IN SCHEMA s | IN WORKSPACE w] [LIKE|WHERE] [LIMIT]; one scope."""

    schema: ObjectName | None = None
    workspace: ObjectName | None = None
    filter: ShowFilter = NO_FILTER
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        scope = f" IN SCHEMA {self.schema}" if self.schema is not None else ""
        if self.workspace is not None:
            scope = f" IN WORKSPACE {self.workspace}"
        extended = " EXTENDED" if self.extended else ""
        return f"SHOW PIPES{extended}{scope}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class DescPipe:
    """DESC PIPE [EXTENDED] p."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC PIPE {'EXTENDED ' if self.extended else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowCreatePipe:
    """SHOW CREATE PIPE p."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW CREATE PIPE {self.name}"


def parse_alter_pipe(cursor: Cursor) -> AlterPipe:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "PIPE")
    name = cursor.object_name("the pipe's name")
    if cursor.accept("REFRESH"):
        cursor.expect_end()
        return AlterPipe(name, RefreshPipe())
    for word, action in (("SKIP", SkipFile), ("RETRY", RetryFile)):
        if cursor.accept(word):
            cursor.expect("FILE")
            path = cursor.string("the path of a file")
            cursor.expect_end()
            return AlterPipe(name, action(path))
    if not cursor.accept("SET"):
        expected = "SET, REFRESH, SKIP FILE or RETRY FILE"
        cursor.fail_expected(expected, hint=_instead(cursor.token.upper))
    assignment = parse_assignment(cursor)
    if not cursor.at_end:
        raise UserError("PIPE_ONE_PROPERTY", span=cursor.token.span)
    return AlterPipe(name, _action(assignment))


def _instead(word: str) -> str | None:
    if word in (*_PAUSE_WORDS, *_RESUME_WORDS):
        return f"write SET {PAUSED} = {str(word in _PAUSE_WORDS).upper()}"
    return did_you_mean(word, ("SET", "REFRESH", "SKIP FILE", "RETRY FILE"))


def _action(assignment: Assignment) -> PipeAction:
    key = assignment.name.upper()
    if key == PAUSED:
        return PausePipe() if assignment.boolean() else ResumePipe()
    require_alterable(
        key, assignment.value, span=assignment.name_span, value_span=assignment.value_span
    )
    return SetPipeProperty(key, assignment.value)


def parse_drop_pipe(cursor: Cursor) -> DropPipe:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "PIPE")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the pipe's name")
    cursor.expect_end()
    return DropPipe(name, if_exists)


def parse_show_pipes(cursor: Cursor) -> ShowPipes:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "PIPES")
    extended = cursor.accept("EXTENDED")
    workspace = parse_workspace_scope(cursor)
    schema = None if workspace is not None else parse_scope(cursor)
    return ShowPipes(schema, workspace, parse_show_filter(cursor), extended)


def parse_desc_pipe(cursor: Cursor) -> DescPipe | DescTable:
    """Read the statement; the cursor stands before DESC. A table may be called `pipe`."""
    behind, last = cursor.peek(2), cursor.peek(3)
    if not behind.is_name or (behind.upper == "EXTENDED" and last.kind == "end"):
        return parse_desc_table(cursor)
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("PIPE")
    extended = cursor.at("EXTENDED") and cursor.peek(1).is_name and cursor.accept("EXTENDED")
    name = cursor.object_name("the pipe's name")
    extended = cursor.accept("EXTENDED") or extended
    cursor.expect_end()
    return DescPipe(name, extended)


def parse_show_create_pipe(cursor: Cursor) -> ShowCreatePipe:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "CREATE", "PIPE")
    name = cursor.object_name("the pipe's name")
    cursor.expect_end()
    return ShowCreatePipe(name)
