"""Rows as Arrow's bytes, in batches that are small enough for one message."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pyarrow

from headwater.errors import UserError

_BATCH_BYTES = 4 << 20


def to_stream(table: pyarrow.Table) -> bytes:
    """A whole table; one without rows has a batch too, or clients would make up a row."""
    sink = io.BytesIO()
    empty = [pyarrow.array([], field.type) for field in table.schema]
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches() or [pyarrow.record_batch(empty, schema=table.schema)]:
            writer.write_batch(batch)
    return sink.getvalue()


def from_stream(data: bytes) -> pyarrow.Table:
    """A table that a client sends back; it is looked through, because it comes from outside."""
    try:
        table = pyarrow.ipc.open_stream(data).read_all()
        table.validate(full=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise UserError("CONNECT_PLAN_DAMAGED", reason=str(error)) from None
    return table


def batches(table: pyarrow.Table) -> Iterator[tuple[int, int, bytes]]:
    """The place of its first row, the number of rows, and the bytes of each batch; at least one."""
    size = max(1, table.num_rows * _BATCH_BYTES // max(table.nbytes, 1))
    for start in range(0, max(table.num_rows, 1), size):
        # More than there is would give rows to a table without columns.
        piece = table.slice(start, min(size, table.num_rows - start)).combine_chunks()
        yield start, piece.num_rows, to_stream(piece)
