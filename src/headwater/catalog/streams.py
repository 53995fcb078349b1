"""Streams as plain data: what they watch, and up to where they were consumed. No I/O.

Law: an offset moves only by a `StreamMove`, which the Delta commit that consumed the stream bears;
`number` counts the moves, so that a move is made once however often its commit is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from headwater.names import QualifiedName

PartitionOffsets = Mapping[str, Mapping[str, int]]
"""By topic and partition the offset of the next message to read."""


class StreamMode(StrEnum):
    """Which changes a stream shows."""

    STANDARD = "STANDARD"
    """The smallest set of changes that leads from the offset to now."""
    APPEND_ONLY = "APPEND_ONLY"
    """Every row that was inserted, whatever became of it."""


class StreamSource(StrEnum):
    """What a stream watches."""

    TABLE = "TABLE"
    KAFKA = "KAFKA"
    """A Kafka external table."""
    VOLUME = "VOLUME"


@dataclass(frozen=True, slots=True)
class StreamOffset:
    """Up to where a stream was consumed.

    `position` is a Delta version of the table, or a version of the volume's directory table. With
    `initial` the rows that were there at this position are still to be shown, as inserted. Of Kafka
    there are `partitions` instead of a position.
    """

    position: int = 0
    initial: bool = False
    partitions: PartitionOffsets | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        body: dict[str, Any] = {"position": self.position}
        if self.initial:
            body["initial"] = True
        if self.partitions is not None:
            body["partitions"] = {topic: dict(of) for topic, of in self.partitions.items()}
        return body

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> StreamOffset:
        """What `to_dict` wrote."""
        return cls(int(body["position"]), bool(body.get("initial")), body.get("partitions"))


@dataclass(frozen=True, slots=True)
class StreamMove:
    """One consumption of a stream: the `number`-th, up to an offset."""

    stream: str
    number: int
    to: StreamOffset

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"stream": self.stream, "number": self.number, "to": self.to.to_dict()}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> StreamMove:
        """What `to_dict` wrote."""
        to = StreamOffset.from_dict(body["to"])
        return cls(str(body["stream"]), int(body["number"]), to)


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream; `source_id` is the table or volume it watches, which may have been dropped since.

    `number` is how often it was consumed.
    """

    id: str
    workspace: str
    schema: str
    name: str
    source: StreamSource
    source_id: str
    mode: StreamMode
    offset: StreamOffset
    creator: str
    created_at: datetime
    modified_at: datetime
    show_initial_rows: bool = False
    number: int = 0
    consumed_at: datetime | None = None
    comment: str | None = None

    @property
    def qualified(self) -> QualifiedName:
        """Its full name."""
        return QualifiedName(self.workspace, self.schema, self.name)

    def move(self, to: StreamOffset) -> StreamMove:
        """The consumption that comes next."""
        return StreamMove(self.id, self.number + 1, to)
