"""The form of a task's schedule, and the statements that bring a draft to it. Pure.

Law: a form that was read and not changed gives no statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.errors import UserError
from headwater.names import ObjectName, quote_literal, show_identifier
from headwater.sql.parse import parse
from headwater.sql.task_clauses import TaskClauses, duration_text, quoted_script
from headwater.sql.task_cycle import Cycle, CycleUnit
from headwater.sql.tasks import CreateTask

MINUTES, HOURS, DAILY, CRON = "minutes", "hours", "daily", "cron"
RULES = {
    MINUTES: "Every n minutes",
    HOURS: "Every n hours",
    DAILY: "Once a day",
    CRON: "Cron",
}
_UNITS = {CycleUnit.MINUTE: MINUTES, CycleUnit.HOUR: HOURS, CycleUnit.DAY: DAILY}


@dataclass(frozen=True, slots=True)
class ScheduleForm:
    """What the fields of the form hold; empty where nothing is given."""

    rule: str = DAILY
    every: int = 1
    at: str = "00:00"
    cron: str = ""
    first_day: str = ""
    last_day: str = ""
    time_zone: str = ""
    vcluster: str = ""
    after: tuple[str, ...] = ()
    self_dependent: bool = False
    retries: int = 0
    retry_seconds: int = 60
    timeout_seconds: int = 0
    parameters: str = ""
    """One in a line: `name = value`."""
    comment: str = ""


def task_name(folder: str, name: str) -> str:
    """A task's name as statements have it; names ignore case.

    >>> task_name("Etl", "Step01.Load")
    'etl.`step01.load`'
    """
    return str(ObjectName.of(folder, name))


def read_task(statement: str) -> TaskClauses:
    """The clauses of what SHOW CREATE TASK gave."""
    parsed = parse(statement)
    assert isinstance(parsed, CreateTask)
    return parsed.clauses


def form_of(clauses: TaskClauses) -> ScheduleForm:
    """The form that shows some clauses."""
    cycle = clauses.cycle or Cycle(CycleUnit.DAY)
    retry = clauses.retry
    return ScheduleForm(
        rule=CRON if cycle.cron is not None else _UNITS[cycle.unit],
        every=cycle.every,
        at=cycle.at,
        cron=cycle.cron or "",
        first_day=cycle.first_day or "",
        last_day=cycle.last_day or "",
        time_zone=cycle.time_zone or "",
        vcluster=clauses.vcluster or "",
        after=tuple(str(name) for name in clauses.after or ()),
        self_dependent=bool(clauses.self_dependent),
        retries=0 if retry is None else retry.times,
        retry_seconds=60 if retry is None else retry.seconds,
        timeout_seconds=clauses.timeout_seconds or 0,
        parameters="\n".join(f"{name} = {value}" for name, value in clauses.parameters or ()),
        comment=clauses.comment or "",
    )


def schedule_clause(form: ScheduleForm) -> str:
    """The SCHEDULE of a form.

    >>> schedule_clause(ScheduleForm(rule="minutes", time_zone="UTC"))
    "SCHEDULE (EVERY 1 MINUTE TIME ZONE 'UTC')"
    """
    unit = {MINUTES: CycleUnit.MINUTE, HOURS: CycleUnit.HOUR}.get(form.rule, CycleUnit.DAY)
    at = form.at
    if form.rule == HOURS:
        at = ":" + form.at.rpartition(":")[2]
    return Cycle(
        unit,
        every=form.every if form.rule in (MINUTES, HOURS) else 1,
        at=at,
        cron=form.cron if form.rule == CRON else None,
        first_day=form.first_day or None,
        last_day=form.last_day or None,
        time_zone=form.time_zone or None,
    ).to_sql()


def clause_lines(form: ScheduleForm) -> list[str]:
    """All clauses that a form gives."""
    return [schedule_clause(form), *(text for _, text in _clauses(form) if text)]


def changes(task: str, before: ScheduleForm, after: ScheduleForm) -> list[str]:
    """The statements that make a draft what the form says; `task` is a name as statements have it.

    >>> changes("a.b", ScheduleForm(retries=3), ScheduleForm(comment="x"))
    ["ALTER TASK a.b SET COMMENT 'x'", 'ALTER TASK a.b UNSET RETRY']
    """
    given = []
    if schedule_clause(before) != schedule_clause(after):
        given.append(schedule_clause(after))
    gone = []
    for (name, old), (_, new) in zip(_clauses(before), _clauses(after), strict=True):
        if new != old and new:
            given.append(new)
        elif new != old:
            gone.append(name)
    statements = [f"ALTER TASK {task} SET " + "\n  ".join(given)] if given else []
    return statements + [f"ALTER TASK {task} UNSET {name}" for name in gone]


def create_script(task: str, form: ScheduleForm, script: str, *, python: bool = False) -> str:
    """The statement that makes a script a task."""
    language = ["LANGUAGE PYTHON"] if python else []
    clauses = [*clause_lines(form), *language, f"AS {quoted_script(script)}"]
    return "\n".join([f"CREATE TASK {task}", *clauses])


def change_script(task: str, script: str) -> str:
    """The statement that gives a draft another script."""
    return f"ALTER TASK {task} SET AS {quoted_script(script)}"


def table_task_text(task: str, table: ObjectName, form: ScheduleForm) -> str:
    """The statement that makes a task which refreshes a dynamic table."""
    plain = replace(form, parameters="", self_dependent=False)
    return "\n".join([f"CREATE TASK {task}", *clause_lines(plain), f"FOR DYNAMIC TABLE {table}"])


def _clauses(form: ScheduleForm) -> Iterator[tuple[str, str]]:
    """Each clause but the schedule: UNSET's word for it, and its text, if it is given."""
    yield "VCLUSTER", f"VCLUSTER {show_identifier(form.vcluster)}" if form.vcluster else ""
    yield "AFTER", f"AFTER {', '.join(form.after)}" if form.after else ""
    yield "SELF DEPENDENT", "SELF DEPENDENT" if form.self_dependent else ""
    yield "PARAMETERS", _parameters(form.parameters)
    retry = f"RETRY {form.retries} TIMES EVERY {duration_text(form.retry_seconds)}"
    yield "RETRY", retry if form.retries else ""
    timeout = form.timeout_seconds
    yield "TIMEOUT", f"TIMEOUT {duration_text(timeout)}" if timeout else ""
    yield "COMMENT", f"COMMENT {quote_literal(form.comment)}" if form.comment else ""


def _parameters(text: str) -> str:
    pairs = []
    for line in text.splitlines():
        if line.strip():
            name, sign, value = line.partition("=")
            if not sign or not name.strip().isidentifier():
                raise UserError("TASK_PARAMETER_NAME", parameter=line.strip())
            pairs.append(f"{quote_literal(name.strip())} = {quote_literal(value.strip())}")
    return f"PARAMETERS ({', '.join(pairs)})" if pairs else ""
