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

from headwater.catalog.objects import TableState
from headwater.catalog.streams import StreamMove
from headwater.errors import TransientError
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.tables.versions import catch_up


@contextmanager
def consuming(lake: OpenLake, moves: Sequence[StreamMove], job_id: str) -> Iterator[None]:
    """Claim the streams while a statement that reads them commits, and move them afterwards.

    Nobody waits for a stream: whoever has it takes the changes that were to be read here.
    """
    if not moves:
        yield
        return
    _record_commits_of_others(lake, moves, job_id)
    busy = lake.store.streams.claim(moves, job_id)
    if busy is not None:
        stream = lake.store.streams.by_id(busy)
        name = f"{stream.schema}.{stream.name}" if stream is not None else busy
        raise TransientError("STREAM_BUSY", stream=name)
    reach("consume.claimed")
    yield
    reach("consume.committed")
    lake.store.streams.move(moves, now())


def _record_commits_of_others(lake: OpenLake, moves: Sequence[StreamMove], job_id: str) -> None:
    """A job may have failed behind its commit, which nobody has recorded yet: that counts first."""
    for other in lake.store.streams.claimants([move.stream for move in moves]):
        job = lake.store.jobs.get(other) if other != job_id else None
        for use in job.output_tables if job is not None else ():
            table = lake.store.tables.get_by_id(use.table_id) if use.table_id else None
            if table is not None and table.state is TableState.ACTIVE:
                catch_up(lake, table)
