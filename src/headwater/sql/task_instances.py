"""SHOW, DESC, ALTER and RERUN of the instances of tasks; an instance is named by its id."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from headwater.names import ObjectName, did_you_mean, quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

_AN_ID = "the id of an instance, as SHOW TASK INSTANCES has it"


class InstanceChange(StrEnum):
    """What may be done to an instance by hand."""

    SET_SUCCESS = "SET SUCCESS"
    SET_FAILURE = "SET FAILURE"
    TERMINATE = "TERMINATE"
    PAUSE = "PAUSE"
    RESUME = "RESUME"


@dataclass(frozen=True, slots=True)
class ShowTaskInstances:
    """SHOW TASK INSTANCES [OF t] [LIKE|WHERE] [LIMIT]."""

    name: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        of = "" if self.name is None else f" OF {self.name}"
        return f"SHOW TASK INSTANCES{of}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class DescTaskInstance:
    """DESC TASK INSTANCE '<id>'."""

    id: str

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC TASK INSTANCE {quote_literal(self.id)}"


@dataclass(frozen=True, slots=True)
class AlterTaskInstance:
    """ALTER TASK INSTANCE '<id>' {SET SUCCESS | SET FAILURE | TERMINATE | PAUSE | RESUME}."""

    id: str
    change: InstanceChange

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"ALTER TASK INSTANCE {quote_literal(self.id)} {self.change}"


@dataclass(frozen=True, slots=True)
class RerunTaskInstance:
    """RERUN TASK INSTANCE '<id>' [WITH DOWNSTREAM]."""

    id: str
    with_downstream: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        tail = " WITH DOWNSTREAM" if self.with_downstream else ""
        return f"RERUN TASK INSTANCE {quote_literal(self.id)}{tail}"


def parse_show_task_instances(cursor: Cursor) -> ShowTaskInstances:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "TASK", "INSTANCES")
    name = cursor.object_name("the task's name") if cursor.accept("OF") else None
    return ShowTaskInstances(name, parse_show_filter(cursor))


def parse_desc_task_instance(cursor: Cursor) -> DescTaskInstance:
    """Read the statement; the cursor stands before DESC."""
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("TASK", "INSTANCE")
    id = cursor.string(_AN_ID)
    cursor.expect_end()
    return DescTaskInstance(id)


def parse_alter_task_instance(cursor: Cursor) -> AlterTaskInstance:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "TASK", "INSTANCE")
    id = cursor.string(_AN_ID)
    if cursor.accept("SET"):
        word = f"SET {cursor.one_of(('SUCCESS', 'FAILURE'))}"
    else:
        words = ("TERMINATE", "PAUSE", "RESUME")
        if cursor.token.upper not in words:
            hint = did_you_mean(cursor.token.text, words)
            what = "SET SUCCESS, SET FAILURE, TERMINATE, PAUSE or RESUME"
            cursor.fail_expected(what, hint=hint)
        word = cursor.advance().upper
    cursor.expect_end()
    return AlterTaskInstance(id, InstanceChange(word))


def parse_rerun_task_instance(cursor: Cursor) -> RerunTaskInstance:
    """Read the statement; the cursor stands before RERUN."""
    cursor.expect("RERUN", "TASK", "INSTANCE")
    id = cursor.string(_AN_ID)
    downstream = cursor.accept("WITH", "DOWNSTREAM")
    cursor.expect_end()
    return RerunTaskInstance(id, downstream)
