"""Consuming streams without Spark: who claims, who moves, and what a half-done job leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.catalog.samples import a_job
from tests.unit.pipes.fake_spark import Insert, table_of

import headwater
from headwater.catalog.jobs import JobState, TableUse
from headwater.catalog.objects import Table
from headwater.catalog.streams import StreamMove, StreamOffset
from headwater.errors import TransientError
from headwater.lake.delta_log.stamp import Stamp
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.tables.consumption import consuming
from headwater.tables.properties import delta_properties

CREATE = "CREATE TABLE STREAM s ON TABLE src WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"


@pytest.fixture
def target(lake: headwater.Connection) -> Table:
    """A table to consume into; beside it the table `src` and its stream `s`."""
    properties = delta_properties([("change_tracking", "true")], lake_days=7)
    table_of(lake.session.lake, "src", properties=properties)
    lake.sql(CREATE)
    return table_of(lake.session.lake, "target")


def next_move(lake: OpenLake) -> StreamMove:
    stream = lake.store.streams.get("headwater", "public", "s")
    assert stream is not None
    return stream.move(StreamOffset(stream.offset.position + 1))


def running(lake: OpenLake, id: str, target: Table) -> None:
    use = TableUse("headwater.public.target", table_id=target.id)
    lake.store.jobs.start(replace(a_job(id=id), started_at=now(), output_tables=(use,)))


def failed(lake: OpenLake, id: str) -> None:
    job = lake.store.jobs.get(id)
    assert job is not None
    lake.store.jobs.finish(replace(job, state=JobState.FAILED, ended_at=now(), error="no"))


def test_what_commits_nothing_moves_its_streams_itself(
    lake: headwater.Connection, target: Table
) -> None:
    own = lake.session.lake
    running(own, "j1", target)
    move = next_move(own)
    with consuming(own, [move], "j1"):
        assert next_move(own).number == move.number
    assert next_move(own).number == move.number + 1


def test_a_failure_moves_nothing_and_leaves_the_stream_to_others(
    lake: headwater.Connection, target: Table
) -> None:
    own = lake.session.lake
    running(own, "j1", target)
    move = next_move(own)
    with pytest.raises(ZeroDivisionError), consuming(own, [move], "j1"):
        raise ZeroDivisionError
    running(own, "j2", target)
    with pytest.raises(TransientError, match="STREAM_BUSY"), consuming(own, [move], "j2"):
        pass
    failed(own, "j1")
    with consuming(own, [move], "j2"):
        pass
    assert next_move(own).number == move.number + 1


def test_a_job_that_failed_behind_its_commit_has_consumed(
    lake: headwater.Connection, target: Table
) -> None:
    """The catalog was away for a moment: the commit is in Delta, and nobody has recorded it."""
    own = lake.session.lake
    running(own, "j1", target)
    move = next_move(own)
    note = Stamp("j1", "INSERT_INTO", consumed=(move,)).to_json()

    def commit_and_fail() -> None:
        Insert(Path(own.location(target)), ("x",), note, None).commit()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), consuming(own, [move], "j1"):
        commit_and_fail()
    failed(own, "j1")
    running(own, "j2", target)
    with pytest.raises(TransientError, match="STREAM_BUSY"), consuming(own, [move], "j2"):
        raise AssertionError("the same changes must not be read again")
    assert next_move(own).number == move.number + 1
