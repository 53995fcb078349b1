"""An alert, and its events: when it fired, when that was over, and whether they were told. No I/O.

Invariant: the addresses of an alert are only ever in `sealed`; `shown` is what may be seen of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from headwater.names import QualifiedName
from headwater.sql.alerts import AlertKind

ADDRESSES = "addresses"
"""What the addresses are sealed as."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A rule; the schema of a task's name in `target` is its folder, and None is every task."""

    id: str
    workspace: str
    name: str
    kind: AlertKind
    creator: str
    created_at: datetime
    modified_at: datetime
    target: QualifiedName | None = None
    seconds: int | None = None
    comment: str | None = None
    shown: Sequence[str] = ()
    sealed: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class AlertEvent:
    """One time that an alert fired; `key` tells apart what may fire at the same time.

    `told_fired_at` and `told_resolved_at` say when its addresses took the message.
    """

    id: str
    alert_id: str
    key: str
    message: str
    fired_at: datetime
    resolved_at: datetime | None = None
    told_fired_at: datetime | None = None
    told_resolved_at: datetime | None = None
    tries: int = 0
    not_before: datetime | None = None
    problem: str | None = None
    pending: Sequence[int] | None = None
    """Which addresses have not taken the message that is to be told now; None is all of them."""
