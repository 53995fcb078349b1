"""The streams of one statement: each read once, and what its reader is told."""

from __future__ import annotations

from datetime import UTC, datetime

from headwater.catalog.streams import Stream, StreamMode, StreamMove, StreamOffset, StreamSource
from headwater.streams.reads import StreamRead, StreamReads

_AT = datetime(2026, 1, 1, tzinfo=UTC)


def a_stream(id: str, *, number: int = 0) -> Stream:
    return Stream(
        id=id,
        workspace="w",
        schema="public",
        name=f"name_{id}",
        source=StreamSource.TABLE,
        source_id="t",
        mode=StreamMode.STANDARD,
        offset=StreamOffset(3),
        creator="ann",
        created_at=_AT,
        modified_at=_AT,
        number=number,
    )


def test_the_first_mention_fixes_how_far_a_stream_is_read() -> None:
    reads = StreamReads()
    ends = iter([7, 9])

    def plan(stream: Stream) -> StreamRead:
        return StreamRead(stream, StreamOffset(next(ends)))

    first = reads.once(a_stream("s"), plan)
    assert reads.once(a_stream("s", number=5), plan) is first
    assert first.to == StreamOffset(7)


def test_a_statement_moves_what_it_read() -> None:
    reads = StreamReads()
    assert not reads.any
    assert reads.moves == ()
    for id in ("b", "a"):
        stream = a_stream(id, number=4)
        reads.once(stream, lambda found: StreamRead(found, StreamOffset(8)))
    assert reads.any
    assert reads.moves == (
        StreamMove("a", 5, StreamOffset(8)),
        StreamMove("b", 5, StreamOffset(8)),
    )


def test_the_reader_is_warned_by_name() -> None:
    reads = StreamReads()
    reads.once(a_stream("a"), lambda s: StreamRead(s, StreamOffset(8)))
    reads.once(a_stream("b"), lambda s: StreamRead(s, StreamOffset(8), warning="soon too late"))
    assert reads.warnings == ("stream public.name_b: soon too late",)
