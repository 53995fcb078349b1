"""A result as a description in JSON and an Arrow stream, and back.

Law: columns, SQL types, rows, counts and messages are the same on both sides. The description also
stands in the stream's schema, so that a stream can be read alone.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from headwater.result import Column, Result

if TYPE_CHECKING:
    import pyarrow

ARROW_STREAM = "application/vnd.apache.arrow.stream"
_KEY = b"headwater"
_ROWS_AT_ONCE = 65_536
_PIECE_BYTES = 1024 * 1024


def description_of(result: Result) -> dict[str, Any]:
    """Everything of a result but its rows, for JSON."""
    return {
        "columns": [{"name": column.name, "type": column.type} for column in result.schema],
        "rowcount": result.rowcount,
        "message": result.message,
        "job_id": result.job_id,
        "time_zone": result.time_zone,
    }


def result_from(description: Mapping[str, Any], table: pyarrow.Table | None = None) -> Result:
    """What `description_of` wrote, with its rows."""
    return Result(
        schema=tuple(Column(c["name"], c["type"]) for c in description["columns"]),
        rowcount=int(description["rowcount"]),
        message=str(description["message"]),
        job_id=str(description["job_id"]),
        source=table,
        time_zone=str(description["time_zone"]),
    )


def arrow_stream(result: Result) -> ArrowStream:
    """The rows of a result as an Arrow stream."""
    table = result.to_arrow()
    described = json.dumps(description_of(result)).encode()
    return ArrowStream(
        table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: described})
    )


class ArrowStream:
    """An Arrow stream: its length is known before it is written, a piece at a time."""

    def __init__(self, table: pyarrow.Table) -> None:
        import pyarrow

        self._table = table
        counted = pyarrow.MockOutputStream()
        with pyarrow.ipc.new_stream(counted, table.schema) as writer:
            for batch in self._batches():
                writer.write_batch(batch)
        self.length = int(counted.size())
        """How many bytes all pieces have."""

    def __iter__(self) -> Iterator[bytes]:
        import pyarrow

        sink = io.BytesIO()
        with pyarrow.ipc.new_stream(sink, self._table.schema) as writer:
            for batch in self._batches():
                writer.write_batch(batch)
                if sink.tell() >= _PIECE_BYTES:
                    yield _taken(sink)
        yield _taken(sink)

    def _batches(self) -> Iterable[pyarrow.RecordBatch]:
        batches: Iterable[pyarrow.RecordBatch] = self._table.to_batches(max_chunksize=_ROWS_AT_ONCE)
        return batches


def read_stream(source: Readable) -> Result:
    """What an `ArrowStream` wrote, from a file or an answer; ValueError for anything else."""
    import pyarrow

    try:
        with pyarrow.ipc.open_stream(_Buffers(source)) as reader:
            table = reader.read_all()
        metadata = dict(table.schema.metadata or {})
        description = json.loads(metadata.pop(_KEY))
        return result_from(description, table.replace_schema_metadata(metadata or None))
    except (pyarrow.ArrowException, KeyError, TypeError) as error:
        raise ValueError(f"no Arrow stream of a result: {error}") from None


class Readable(Protocol):
    """Bytes to be read, straight into memory that is there; none are left when it gives 0."""

    def readinto(self, target: memoryview, /) -> int:
        """How many bytes were put into the target."""
        ...


def _taken(sink: io.BytesIO) -> bytes:
    piece = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return piece


class _Buffers:
    """A source as the file that pyarrow reads: each buffer is filled where it is going to stay.

    The memory comes from pyarrow, which has some at hand from tables that are gone; that of the
    system has to be made page by page, which takes longer than the reading itself.
    """

    closed = False

    def __init__(self, source: Readable) -> None:
        self._source = source

    def read_buffer(self, size: int) -> pyarrow.Buffer:
        import pyarrow

        buffer = pyarrow.allocate_buffer(size)
        filled = self._fill(memoryview(buffer).cast("B"))
        return buffer if filled == size else buffer.slice(0, filled)

    def read(self, size: int) -> bytes:
        content = bytearray(size)
        return bytes(content[: self._fill(memoryview(content))])

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """The source belongs to whoever opened it."""

    def _fill(self, target: memoryview) -> int:
        filled = 0
        while filled < len(target):
            count = self._source.readinto(target[filled:])
            if not count:
                break
            filled += count
        return filled
