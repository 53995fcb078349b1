"""The clauses of a task, as CREATE TASK, ALTER TASK .. SET and the files of tasks have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_literal, show_identifier
from headwater.sql.assignments import parse_assignments
from headwater.sql.cursor import Cursor
from headwater.sql.intervals import duration
from headwater.sql.string_literals import DOLLARS
from headwater.sql.task_cycle import Cycle, parse_cycle
from headwater.sql.vclusters import cluster_name

CLAUSES = (
    "SCHEDULE VCLUSTER AFTER SELF PARAMETERS UNCHECKED RETRY TIMEOUT WAIT SKIP COMMENT LANGUAGE"
).split()
_UNITS = (("DAY", 86_400), ("HOUR", 3_600), ("MINUTE", 60), ("SECOND", 1))
_MOST_RETRIES = 100


class RerunPolicy(StrEnum):
    """When an instance may run again."""

    ALWAYS = "ALWAYS"
    ON_FAILURE = "ON FAILURE"
    NEVER = "NEVER"


@dataclass(frozen=True, slots=True)
class Retry:
    """RETRY n TIMES EVERY .. [ALWAYS | ON FAILURE], or RETRY NEVER."""

    times: int = 0
    seconds: int = 0
    policy: RerunPolicy = RerunPolicy.ALWAYS

    def to_sql(self) -> str:
        """The clause."""
        if self.policy is RerunPolicy.NEVER:
            return "RETRY NEVER"
        tail = "" if self.policy is RerunPolicy.ALWAYS else f" {self.policy}"
        return f"RETRY {self.times} TIMES EVERY {duration_text(self.seconds)}{tail}"


@dataclass(frozen=True, slots=True)
class TaskClauses:
    """What is given of a task; None is what is not. `python` says what kind of script it is."""

    cycle: Cycle | None = None
    vcluster: str | None = None
    after: tuple[ObjectName, ...] | None = None
    self_dependent: bool | None = None
    parameters: tuple[tuple[str, str], ...] | None = None
    unchecked: bool = False
    retry: Retry | None = None
    timeout_seconds: int | None = None
    wait_seconds: int | None = None
    skip_seconds: int | None = None
    comment: str | None = None
    python: bool = False
    target: ObjectName | None = None
    script: str | None = field(default=None, repr=False)
    script_span: Span | None = field(default=None, compare=False, repr=False)

    def lines(self) -> Iterator[str]:
        """One line per clause, without the script."""
        if self.cycle is not None:
            yield self.cycle.to_sql()
        if self.vcluster is not None:
            yield f"VCLUSTER {show_identifier(self.vcluster)}"
        if self.after:
            yield f"AFTER {', '.join(str(name) for name in self.after)}"
        if self.self_dependent:
            yield "SELF DEPENDENT"
        if self.parameters:
            pairs = (f"{quote_literal(k)} = {quote_literal(v)}" for k, v in self.parameters)
            yield f"{'UNCHECKED ' if self.unchecked else ''}PARAMETERS ({', '.join(pairs)})"
        if self.retry is not None:
            yield self.retry.to_sql()
        if self.timeout_seconds is not None:
            yield f"TIMEOUT {duration_text(self.timeout_seconds)}"
        if self.wait_seconds is not None:
            yield f"WAIT LIMIT {duration_text(self.wait_seconds)}"
        if self.skip_seconds is not None:
            yield f"SKIP IF LATER THAN {duration_text(self.skip_seconds)}"
        if self.comment is not None:
            yield f"COMMENT {quote_literal(self.comment)}"
        if self.python:
            yield "LANGUAGE PYTHON"
        if self.target is not None:
            yield f"FOR DYNAMIC TABLE {self.target}"

    def to_sql(self) -> str:
        """All clauses, the script last."""
        script = [] if self.script is None else [f"AS {quoted_script(self.script)}"]
        return "\n".join([*self.lines(), *script])


def quoted_script(script: str) -> str:
    """A script as a literal: between dollars where they can hold it."""
    plain = DOLLARS not in script and not script.endswith("$")
    return f"{DOLLARS}{script}{DOLLARS}" if plain else quote_literal(script)


def duration_text(seconds: int) -> str:
    """Seconds in the largest unit that fits.

    >>> duration_text(120), duration_text(3600), duration_text(90)
    ('2 MINUTES', '1 HOUR', '90 SECONDS')
    """
    unit, size = next((u, s) for u, s in _UNITS if (seconds % s == 0 and seconds >= s) or s == 1)
    amount = seconds // size
    return f"{amount} {unit}" if amount == 1 else f"{amount} {unit}S"


def parse_duration(cursor: Cursor) -> int:
    """Take `5 MINUTES`, with or without quotes around the number, as seconds."""
    start = cursor.token.start
    amount = cursor.string() if cursor.token.kind == "string" else str(cursor.integer("a time"))
    unit = cursor.name("MINUTES")
    span = Span(start, cursor.peek(-1).end)
    try:
        found = duration(amount, unit)
    except ValueError:
        found = timedelta(-1)
    if found < timedelta() or found % timedelta(seconds=1):
        raise UserError("TASK_DURATION", given=f"{amount} {unit}", span=span)
    return int(found.total_seconds())


def parse_task_clauses(cursor: Cursor) -> TaskClauses:
    """Take clauses in any order up to AS, FOR DYNAMIC TABLE, or the end; none may stand twice."""
    clauses, seen = TaskClauses(), set[str]()
    while not cursor.at_end and not cursor.at("AS") and not cursor.at("FOR"):
        word = cursor.token.upper
        kind = "PARAMETERS" if word == "UNCHECKED" else word
        if kind in seen:
            cursor.fail(f"{word} stands here twice")
        seen.add(kind)
        cursor.one_of((*CLAUSES, "AS", "FOR"))
        clauses = _READERS[word](cursor, clauses)
    if cursor.accept("FOR"):
        cursor.expect("DYNAMIC", "TABLE")
        clauses = replace(clauses, target=cursor.object_name("the dynamic table's name"))
        cursor.expect_end()
    elif cursor.accept("AS"):
        clauses = _script(cursor, clauses)
    return clauses


def _script(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    token = cursor.token
    if cursor.at_end:
        cursor.fail_expected("a script")
    if token.kind == "string":
        text, span = cursor.string(), token.span
        cursor.expect_end()
    else:
        text, span = cursor.rest()
    script = text.strip().rstrip(";").rstrip() if not clauses.python else text
    if not script.strip():
        raise UserError("TASK_SCRIPT_EMPTY", span=span)
    return replace(clauses, script=script, script_span=span)


def _schedule(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    return replace(clauses, cycle=parse_cycle(cursor))


def _vcluster(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    cursor.accept_symbol("=")
    return replace(clauses, vcluster=cluster_name(cursor))


def _after(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    names = [cursor.object_name("the name of a task")]
    while cursor.accept_symbol(","):
        names.append(cursor.object_name("the name of a task"))
    return replace(clauses, after=tuple(dict.fromkeys(names)))


def _self(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    cursor.expect("DEPENDENT")
    return replace(clauses, self_dependent=True)


def _parameters(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    given = parse_assignments(cursor)
    for assignment in given:
        if not assignment.name.isidentifier():
            span = assignment.name_span
            raise UserError("TASK_PARAMETER_NAME", parameter=assignment.name, span=span)
    return replace(clauses, parameters=tuple((a.name, a.value) for a in given))


def _unchecked(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    cursor.expect("PARAMETERS")
    return replace(_parameters(cursor, clauses), unchecked=True)


def _retry(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    if cursor.accept("NEVER"):
        return replace(clauses, retry=Retry(policy=RerunPolicy.NEVER))
    token = cursor.token
    times = cursor.integer("how many times")
    if times > _MOST_RETRIES:
        raise UserError("TASK_RETRIES", times=times, most=_MOST_RETRIES, span=token.span)
    cursor.one_of(("TIMES", "TIME"))
    seconds = parse_duration(cursor) if cursor.accept("EVERY") else 0
    policy = RerunPolicy.ALWAYS
    if cursor.accept("ON"):
        cursor.expect("FAILURE")
        policy = RerunPolicy.ON_FAILURE
    else:
        cursor.accept("ALWAYS")
    return replace(clauses, retry=Retry(times, seconds, policy))


def _timeout(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    span = cursor.token.span
    seconds = parse_duration(cursor)
    if not seconds:
        raise UserError("TASK_DURATION", given="0 SECONDS", span=span)
    return replace(clauses, timeout_seconds=seconds)


def _wait(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    cursor.expect("LIMIT")
    return replace(clauses, wait_seconds=parse_duration(cursor))


def _skip(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    cursor.expect("IF", "LATER", "THAN")
    return replace(clauses, skip_seconds=parse_duration(cursor))


def _comment(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    cursor.accept_symbol("=")
    return replace(clauses, comment=cursor.string())


def _language(cursor: Cursor, clauses: TaskClauses) -> TaskClauses:
    return replace(clauses, python=cursor.one_of(("PYTHON", "SQL")) == "PYTHON")


_READERS: dict[str, Callable[[Cursor, TaskClauses], TaskClauses]] = {
    "SCHEDULE": _schedule,
    "VCLUSTER": _vcluster,
    "AFTER": _after,
    "SELF": _self,
    "PARAMETERS": _parameters,
    "UNCHECKED": _unchecked,
    "RETRY": _retry,
    "TIMEOUT": _timeout,
    "WAIT": _wait,
    "SKIP": _skip,
    "COMMENT": _comment,
    "LANGUAGE": _language,
}
