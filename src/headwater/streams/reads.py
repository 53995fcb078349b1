"""The streams that one statement reads, each once: however often it is mentioned, the same changes.

Law: the first mention of a stream in a statement fixes how far it is read; every later one, also
inside a view, reads to the same offset. What a statement then consumes is exactly what it read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.catalog.objects import Table
from headwater.catalog.streams import Stream, StreamMove, StreamOffset
from headwater.kafka.offsets import OffsetRange
from headwater.result import Result


@dataclass(frozen=True, slots=True)
class StreamRead:
    """A stream as it was found, and the offset up to which it is read.

    Of a volume's stream the rows are known at once; of Kafka's, which messages they are.
    """

    stream: Stream
    to: StreamOffset
    rows: Result | None = None
    messages: tuple[OffsetRange, ...] = ()
    warning: str | None = None
    """What its reader should know: that it is soon too late, or that a topic was made anew."""
    table: Table | None = None
    """The table that it watches, as it was found."""


@dataclass(slots=True)
class StreamReads:
    """What a statement under way has read so far, by stream."""

    _found: dict[str, StreamRead] = field(default_factory=dict)

    def once(self, stream: Stream, plan: Callable[[Stream], StreamRead]) -> StreamRead:
        """The read of a stream, planned by `plan` at its first mention."""
        if stream.id not in self._found:
            self._found[stream.id] = plan(stream)
        return self._found[stream.id]

    @property
    def any(self) -> bool:
        """Whether the statement reads a stream."""
        return bool(self._found)

    @property
    def moves(self) -> tuple[StreamMove, ...]:
        """What the statement consumes if it commits."""
        return tuple(found.stream.move(found.to) for _, found in sorted(self._found.items()))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What readers of these streams should know."""
        return tuple(
            f"stream {found.stream.schema}.{found.stream.name}: {found.warning}"
            for found in self._found.values()
            if found.warning is not None
        )
