"""Consuming streams: their offsets move exactly with the commit of the statement that reads them.

Law: of two statements that read the same changes of a stream, one commits and moves it, the other
is refused. The commit bears the moves, and whoever records it makes them; a statement that had
nothing to commit makes them itself.

The job claims its streams in the catalog first. A claim holds while its job is not finished, so
that a process that stands still with a commit on its way keeps others from reading the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from headwater.catalog.streams import StreamMove
from headwater.errors import TransientError
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake


@contextmanager
def consuming(lake: OpenLake, moves: Sequence[StreamMove], job_id: str) -> Iterator[None]:
    """Claim the streams while a statement that reads them commits, and move them afterwards.

    Nobody waits for a stream: whoever has it takes the changes that were to be read here.
    """
    if not moves:
        yield
        return
    busy = lake.store.streams.claim(moves, job_id)
    if busy is not None:
        stream = lake.store.streams.by_id(busy)
        name = f"{stream.schema}.{stream.name}" if stream is not None else busy
        raise TransientError("STREAM_BUSY", stream=name)
    reach("consume.claimed")
    yield
    reach("consume.committed")
    lake.store.streams.move(moves, now())
