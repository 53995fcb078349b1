"""A batch written as an intent is read back the same, with the jobs that began it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from headwater.kafka.offsets import OffsetRange
from headwater.pipes.batches import FileBatch, KafkaBatch, Try, batch_of
from headwater.storage.store import FileInfo

TEXT = st.text(max_size=20)
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC))
FILES = st.builds(FileInfo, TEXT, st.integers(0, 1 << 50), TIMES, TEXT)
FILE_BATCHES = st.builds(
    FileBatch,
    TEXT,
    st.integers(1, 1 << 40),
    st.lists(FILES, max_size=5).map(tuple),
    TEXT,
    st.none() | TEXT,
    st.booleans(),
    st.lists(TEXT, max_size=3).map(tuple),
    st.lists(st.builds(Try, TEXT, st.lists(FILES, max_size=2).map(tuple)), max_size=2).map(tuple),
)
OFFSETS = st.dictionaries(TEXT, st.dictionaries(TEXT, st.integers(0, 1 << 60)))
NUMBERS = st.integers(0, 1 << 60)
RANGES = st.builds(OffsetRange, TEXT, st.integers(0, 999), NUMBERS, NUMBERS)
KAFKA_BATCHES = st.builds(
    KafkaBatch,
    TEXT,
    st.integers(1, 1 << 40),
    st.lists(RANGES, max_size=5).map(tuple),
    OFFSETS,
    st.lists(TEXT, max_size=3).map(tuple),
)


@given(FILE_BATCHES | KAFKA_BATCHES, TEXT)
def test_an_intent_gives_back_its_batch(batch: FileBatch | KafkaBatch, job: str) -> None:
    kept = json.loads(json.dumps(batch.payload(job)))
    again = batch_of(batch.pipe_id, batch.number, kept)
    assert again.jobs == (*batch.jobs, job)
    assert type(again)(**{**_fields(again), "jobs": batch.jobs}) == batch
    assert again.mark == batch.mark


def _fields(batch: FileBatch | KafkaBatch) -> dict[str, object]:
    return {name: getattr(batch, name) for name in type(batch).__slots__}


def test_files_are_known_to_the_load_history_by_their_address() -> None:
    at = datetime(2026, 11, 15, tzinfo=UTC)
    files = (FileInfo("b/c.csv", 7, at, "e"), FileInfo("d.csv", 2, at, "f"))
    batch = FileBatch("p", 3, files, "s3://bucket/in/")
    assert batch.size == 9
    source = batch.sources[0]
    assert (source.path, source.size, source.etag) == ("s3://bucket/in/b/c.csv", 7, "e")
    assert batch.mark.offsets is None
