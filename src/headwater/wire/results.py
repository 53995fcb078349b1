"""A result as a description in JSON and an Arrow stream, and back.

Law: columns, SQL types, rows, counts and messages are the same on both sides. The description also
stands in the stream's schema, so that a stream can be read alone.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from headwater.result import Column, Result

if TYPE_CHECKING:
    import pyarrow

ARROW_STREAM = "application/vnd.apache.arrow.stream"
_KEY = b"headwater"
_ROWS_AT_ONCE = 65_536


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


def arrow_stream(result: Result) -> Iterator[bytes]:
    """The rows as an Arrow stream, a piece at a time."""
    import pyarrow

    table = result.to_arrow()
    described = json.dumps(description_of(result)).encode()
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), _KEY: described})
    sink = io.BytesIO()
    with pyarrow.ipc.new_stream(sink, schema) as writer:
        for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
            writer.write_batch(batch)
            yield _taken(sink)
    yield _taken(sink)


def read_stream(pieces: Iterable[bytes]) -> Result:
    """What `arrow_stream` wrote."""
    import pyarrow

    with pyarrow.ipc.open_stream(_Pieces(iter(pieces))) as reader:
        table = reader.read_all()
    metadata = dict(table.schema.metadata or {})
    description = json.loads(metadata.pop(_KEY))
    return result_from(description, table.replace_schema_metadata(metadata or None))


def _taken(sink: io.BytesIO) -> bytes:
    piece = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return piece


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file, so that no more than one of them is held beside the table."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        wanted = memoryview(target).cast("B")
        filled = 0
        while filled < len(wanted):
            if not self._piece:
                self._piece = memoryview(next(self._pieces, b""))
                if not self._piece:
                    break
            count = min(len(wanted) - filled, len(self._piece))
            wanted[filled : filled + count] = self._piece[:count]
            self._piece = self._piece[count:]
            filled += count
        return filled
