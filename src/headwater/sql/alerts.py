"""CREATE, DROP and SHOW of alerts: what is watched, and who is told.

Invariant: the addresses behind NOTIFY may hold passwords; `masking` covers all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_literal, show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.intervals import duration
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.task_clauses import duration_text


class AlertKind(StrEnum):
    """What an alert watches."""

    TASK_FAILURE = "TASK_FAILURE"
    TASK_TIMEOUT = "TASK_TIMEOUT"
    DYNAMIC_TABLE_LAG = "DYNAMIC_TABLE_LAG"
    PIPE_LAG = "PIPE_LAG"
    STREAM_NEAR_STALE = "STREAM_NEAR_STALE"


_TASKS = {AlertKind.TASK_FAILURE: "FAILURE", AlertKind.TASK_TIMEOUT: "TIMEOUT"}
_LAGS = {AlertKind.DYNAMIC_TABLE_LAG: "DYNAMIC TABLE", AlertKind.PIPE_LAG: "PIPE"}


@dataclass(frozen=True, slots=True)
class CreateAlert:
    """CREATE [OR REPLACE] ALERT [IF NOT EXISTS] a ON <event> NOTIFY '<url>' [, ..] [COMMENT ..].

    `target` is None for every task.
    """

    name: str
    kind: AlertKind
    urls: tuple[str, ...] = field(repr=False)
    target: ObjectName | None = None
    seconds: int | None = None
    comment: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling; show it only through `masking.mask`."""
        head = "CREATE OR REPLACE ALERT" if self.or_replace else "CREATE ALERT"
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        urls = ", ".join(quote_literal(url) for url in self.urls)
        event = event_text(self.kind, self.target, self.seconds)
        lines = [f"{head} {guard}{show_identifier(self.name)}", f"ON {event}", f"NOTIFY {urls}"]
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        return "\n".join(lines)


def event_text(kind: AlertKind, target: object, seconds: int | None) -> str:
    """What an alert watches, as it is typed."""
    if kind in _TASKS:
        return f"{_TASKS[kind]} OF {'ANY TASK' if target is None else f'TASK {target}'}"
    if kind is AlertKind.STREAM_NEAR_STALE:
        return f"STREAM {target} NEAR STALE"
    return f"LAG OF {_LAGS[kind]} {target} > {duration_text(seconds or 0)}"


@dataclass(frozen=True, slots=True)
class DropAlert:
    """DROP ALERT [IF EXISTS] a."""

    name: str
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP ALERT {'IF EXISTS ' if self.if_exists else ''}{show_identifier(self.name)}"


@dataclass(frozen=True, slots=True)
class ShowAlerts:
    """SHOW ALERTS [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW ALERTS{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowAlertEvents:
    """SHOW ALERT EVENTS [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW ALERT EVENTS{self.filter.to_sql()}"


def parse_create_alert(cursor: Cursor) -> CreateAlert:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    cursor.expect("ALERT")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = _name(cursor)
    cursor.expect("ON")
    kind, target, seconds = _event(cursor)
    cursor.expect("NOTIFY")
    urls = [cursor.string("the address of who is told")]
    while cursor.accept_symbol(","):
        urls.append(cursor.string("the address of who is told"))
    comment = None
    if cursor.accept("COMMENT"):
        cursor.accept_symbol("=")
        comment = cursor.string()
    cursor.expect_end()
    return CreateAlert(name, kind, tuple(urls), target, seconds, comment, or_replace, if_not_exists)


def _event(cursor: Cursor) -> tuple[AlertKind, ObjectName | None, int | None]:
    word = cursor.one_of(("FAILURE", "TIMEOUT", "LAG", "STREAM"))
    if word in _TASKS.values():
        kind = next(kind for kind, text in _TASKS.items() if text == word)
        cursor.expect("OF")
        if cursor.accept("ANY"):
            cursor.expect("TASK")
            return kind, None, None
        cursor.expect("TASK")
        return kind, cursor.object_name("the task's name"), None
    if word == "STREAM":
        target = cursor.object_name("the stream's name")
        cursor.expect("NEAR", "STALE")
        return AlertKind.STREAM_NEAR_STALE, target, None
    cursor.expect("OF")
    kind = AlertKind.PIPE_LAG
    if cursor.one_of(("DYNAMIC", "PIPE")) == "DYNAMIC":
        cursor.expect("TABLE")
        kind = AlertKind.DYNAMIC_TABLE_LAG
    target = cursor.object_name("a name")
    cursor.expect_symbol(">")
    return kind, target, _lag(cursor)


def _lag(cursor: Cursor) -> int:
    cursor.accept("INTERVAL")
    start = cursor.token.start
    amount = cursor.string() if cursor.token.kind == "string" else str(cursor.integer("a time"))
    unit = cursor.name("MINUTES")
    try:
        found = duration(amount, unit)
    except ValueError:
        found = timedelta()
    if found < timedelta(seconds=1):
        span = Span(start, cursor.peek(-1).end)
        raise UserError("TASK_DURATION", given=f"{amount} {unit}", span=span)
    return int(found.total_seconds())


def _name(cursor: Cursor) -> str:
    return cursor.name("the alert's name").lower()


def parse_drop_alert(cursor: Cursor) -> DropAlert:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "ALERT")
    if_exists = cursor.accept("IF", "EXISTS")
    name = _name(cursor)
    cursor.expect_end()
    return DropAlert(name, if_exists)


def parse_show_alerts(cursor: Cursor) -> ShowAlerts:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "ALERTS")
    return ShowAlerts(parse_show_filter(cursor))


def parse_show_alert_events(cursor: Cursor) -> ShowAlertEvents:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "ALERT", "EVENTS")
    return ShowAlertEvents(parse_show_filter(cursor))
