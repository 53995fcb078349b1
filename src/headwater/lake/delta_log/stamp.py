"""The mark Headwater leaves in each of its commits: the log alone says which job made it.

Invariant: reading gives back what was written; any other `userMetadata` is another tool's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.streams import StreamMove

_KEY = "headwater"


@dataclass(frozen=True, slots=True)
class BatchMark:
    """A batch of a pipe: its commit says how far the pipe has come, so both move together.

    `offsets` are the next ones to read from Kafka, by topic and partition.
    """

    pipe: str
    number: int
    offsets: Mapping[str, Mapping[str, int]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        body: dict[str, Any] = {"pipe": self.pipe, "number": self.number}
        return body if self.offsets is None else body | {"offsets": self.offsets}


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which job committed, doing what, for whom, under which fencing number, as which batch.

    `consumed` are the streams it read: their offsets move with this commit. `refresh` is the
    refresh of a dynamic table that the commit is: its frontier moves with it.
    """

    job: str
    operation: str | None = None
    user: str | None = None
    fence: int | None = None
    batch: BatchMark | None = None
    consumed: tuple[StreamMove, ...] = ()
    refresh: RefreshMark | None = None

    def to_json(self) -> str:
        """The text for `userMetadata`.

        >>> Stamp("j1", "INSERT_INTO", "ann", 7).to_json()
        '{"headwater": {"job": "j1", "operation": "INSERT_INTO", "user": "ann", "fence": 7}}'
        """
        body: dict[str, Any] = {
            "job": self.job,
            "operation": self.operation,
            "user": self.user,
            "fence": self.fence,
        }
        if self.batch is not None:
            body["batch"] = self.batch.to_dict()
        if self.consumed:
            body["streams"] = [move.to_dict() for move in self.consumed]
        if self.refresh is not None:
            body["refresh"] = self.refresh.to_dict()
        return json.dumps({_KEY: body})


def read_stamp(user_metadata: str | None) -> Stamp | None:
    """The stamp in a commit's `userMetadata`, or None for a commit of another tool."""
    # Other tools put any text here: most of it need not be parsed to know it is not ours.
    if user_metadata is None or f'"{_KEY}"' not in user_metadata:
        return None
    try:
        body = json.loads(user_metadata)[_KEY]
        return Stamp(
            job=str(body["job"]),
            operation=body.get("operation"),
            user=body.get("user"),
            fence=body.get("fence"),
            batch=_batch(body.get("batch")),
            consumed=tuple(StreamMove.from_dict(move) for move in body.get("streams", ())),
            refresh=_refresh(body.get("refresh")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _batch(body: dict[str, Any] | None) -> BatchMark | None:
    if body is None:
        return None
    return BatchMark(str(body["pipe"]), int(body["number"]), body.get("offsets"))


def _refresh(body: dict[str, Any] | None) -> RefreshMark | None:
    return None if body is None else RefreshMark.from_dict(body)
