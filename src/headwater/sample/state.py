"""How far the sample has grown, and how fast it is to grow: a note among the lake's settings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from headwater.catalog.store import Store

MOST_PER_MINUTE = 600
_KEY = "sample"
_MOST_BEHIND = timedelta(minutes=5)
"""What a process that was stopped for longer has missed is not made up for."""


@dataclass(frozen=True, slots=True)
class SampleState:
    """`next` is the number of the next event; all before `until` are there."""

    rate: int
    seed: int
    next: int
    until: datetime
    running: bool = True


@dataclass(frozen=True, slots=True)
class Growth:
    """The events that are due, and how the sample stands with them."""

    first: int
    count: int
    since: datetime
    after: SampleState


def growth(state: SampleState, at: datetime) -> Growth | None:
    """What is due at a moment; a part of an event waits until it is a whole one."""
    since = max(state.until, at - _MOST_BEHIND)
    count = int((at - since) / timedelta(minutes=1) * state.rate)
    if count < 1:
        return None
    until = since + timedelta(minutes=1) * count / state.rate
    after = replace(state, next=state.next + count, until=until)
    return Growth(state.next, count, since, after)


def read_state(store: Store) -> SampleState | None:
    """How the sample stands; None if there is none."""
    text = store.settings.get(_KEY)
    if text is None:
        return None
    body = json.loads(text)
    return SampleState(**{**body, "until": datetime.fromisoformat(body["until"])})


def write_state(store: Store, state: SampleState) -> None:
    """Remember how it stands."""
    body = {**asdict(state), "until": state.until.isoformat()}
    store.settings.set(_KEY, json.dumps(body))


def forget_state(store: Store) -> None:
    """There is no sample any more."""
    store.settings.remove(_KEY)
