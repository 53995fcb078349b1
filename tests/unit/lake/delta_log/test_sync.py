"""New commits are found whoever made them, and a log that is not ours is refused."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.catalog.objects import TableShape, Totals
from headwater.errors import SchemaError, UserError
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.lake.delta_log.snapshot import read_snapshot
from headwater.lake.delta_log.sync import read_new


def sync(log, shape=None, last=None):
    return read_new(log.files, shape or TableShape(), last, default_user="me")


@pytest.fixture
def table(log):
    """A table of three versions, and what is known of it."""
    log.create()
    log.commit(log.add("a", 10), mode="Append")
    log.commit(log.add("b", 5), mode="Append")
    shape, versions = sync(log)
    return log, shape, versions[-1]


class Counting(LocalLogFiles):
    """Counts the expensive questions."""

    def __init__(self, location) -> None:
        super().__init__(location)
        self.listings = 0

    def list_commits(self):
        self.listings += 1
        return super().list_commits()

    def list_checkpoints(self):
        self.listings += 1
        return super().list_checkpoints()

    def last_checkpoint(self):
        self.listings += 1
        return super().last_checkpoint()


def test_the_first_reading_finds_every_version(table):
    _, shape, last = table
    assert (shape.delta_version, shape.totals) == (2, Totals(15, 200))
    assert (last.version, last.delta_version) == (3, 2)


def test_nothing_new_gives_the_same_shape(table):
    log, shape, last = table
    assert sync(log, shape, last) == (shape, ())


def test_new_commits_are_read_without_a_listing(table):
    log, shape, last = table
    log.commit(log.add("c", 1), mode="Append")
    log.commit(log.remove("a", 10), operation="DELETE")
    files = Counting(log.folder)
    shape, versions = read_new(files, shape, last, default_user="me")
    assert [(v.version, v.operation) for v in versions] == [(4, "INSERT_INTO"), (5, "DELETE")]
    assert shape.totals == Totals(6, 200)
    assert read_new(files, shape, versions[-1], default_user="me") == (shape, ())
    assert files.listings == 0


def test_a_remove_without_statistics_is_looked_up_in_the_log(table):
    log, shape, last = table
    log.checkpoint(1)
    log.commit(log.add("c", 2), mode="Append")
    log.commit(log.remove("a", None), log.remove("c", None), operation="DELETE")
    shape, versions = sync(log, shape, last)
    assert [v.totals for v in versions] == [Totals(17, 300), Totals(5, 100)]


def test_a_killed_statement_is_found_by_its_stamp(table):
    log, shape, last = table
    log.commit(log.add("c", 1), job="j1")
    shape, (killed,) = sync(log, shape, last)
    assert (killed.version, killed.job_id, killed.user) == (4, "j1", "ann")
    log.commit(log.add("d", 1), job="j1")
    shape, (extended,) = sync(log, shape, killed)
    assert (extended.version, extended.delta_version) == (4, 4)
    assert extended.totals == Totals(17, 400)


def test_a_gap_is_bridged_by_the_snapshot(table):
    log, shape, last = table
    log.commit(log.remove("a", None), operation="DELETE")
    log.commit(log.metadata(comment="new"), log.clustering(["id"]), operation="SET TBLPROPERTIES")
    log.commit(log.add("d", 7), mode="Append")
    expected, _ = sync(log)
    log.checkpoint(4)
    log.forget(0, 1, 2, 3)
    rebuilt, (version,) = sync(log, shape, last)
    assert rebuilt == expected
    assert (version.version, version.delta_version) == (4, 5)
    assert (version.operation, version.totals) == ("INSERT_INTO", Totals(12, 200))
    assert sync(log, rebuilt, version) == (rebuilt, ())


def test_a_table_whose_beginning_is_gone_can_be_read_for_the_first_time(table):
    log, shape, _ = table
    log.checkpoint(2)
    log.forget(0, 1)
    found, (version,) = sync(log)
    assert found == shape
    assert (version.version, version.delta_version) == (1, 2)


def test_commits_are_kept_apart_when_only_the_known_ones_were_cleaned_up(table):
    log, shape, last = table
    log.commit(log.add("c", 1), mode="Append")
    log.commit(log.add("d", 1), mode="Append")
    log.checkpoint(3)
    log.forget(0, 1, 2)
    shape, versions = sync(log, shape, last)
    assert [(v.version, v.totals.rows) for v in versions] == [(4, 16), (5, 17)]


def test_a_clean_up_that_hides_what_was_removed_is_bridged_too(table):
    log, shape, last = table
    log.commit(log.remove("a", None), operation="DELETE")
    log.commit(log.add("d", 1), mode="Append")
    log.checkpoint(3)
    log.forget(0, 1, 2)
    shape, (version,) = sync(log, shape, last)
    assert (version.version, version.delta_version, version.totals.rows) == (4, 4, 6)


def test_a_log_that_restarted_below_ours_is_refused(table):
    log, shape, last = table
    log.forget(2)
    with pytest.raises(SchemaError) as caught:
        sync(log, shape, last)
    assert caught.value.condition == "TABLE_LOG_RESTARTED"
    assert str(log.folder) in str(caught.value)


@pytest.mark.parametrize("more", [0, 1, 5])
def test_a_log_that_restarted_and_grew_past_ours_is_refused(table, new_log, more):
    log, shape, last = table
    shutil.rmtree(log.folder)
    again = new_log(log.folder)
    again.create(at=log.newest * 1000 + 1_700_000_500_000)
    for _ in range(2 + more):
        again.commit(again.add("x"), at=1_700_000_600_000, mode="Append")
    with pytest.raises(SchemaError) as caught:
        sync(again, shape, last)
    assert caught.value.condition == "TABLE_LOG_RESTARTED"


def test_missing_files_name_the_location(table, tmp_path):
    log, shape, last = table
    shutil.rmtree(log.folder)
    for known, version in ((shape, last), (TableShape(), None)):
        with pytest.raises(UserError) as caught:
            sync(log, known, version)
        assert caught.value.condition == "TABLE_FILES_MISSING"
        assert str(log.folder) in str(caught.value)


@pytest.mark.parametrize("keep", [0, 40])
def test_a_torn_commit_is_reported(table, keep):
    log, shape, last = table
    version = log.commit(log.add("c", 1))
    text = log.path(version).read_text()
    log.path(version).write_text(text[:keep])
    with pytest.raises(UserError) as caught:
        sync(log, shape, last)
    assert caught.value.condition == "DELTA_LOG_UNREADABLE"
    assert caught.value.parameters["version"] == 3


def test_a_commit_without_a_time_has_that_of_its_file(table):
    log, shape, last = table
    log.commit(log.add("c", 1), at=None)
    _, (version,) = sync(log, shape, last)
    assert abs(version.committed_at.timestamp() - time.time()) < 60


def test_what_was_known_of_another_version_does_not_look_like_a_restart(table):
    log, shape, last = table
    log.commit(log.add("c", 1), mode="Append")
    shape, _ = sync(log, shape, last)
    assert sync(log, shape, replace(last, delta_version=1)) == (shape, ())


@pytest.mark.servers
def test_reading_the_log_starts_neither_spark_nor_arrow(table):
    log, *_ = table
    program = (
        "import sys\n"
        "from headwater.catalog.objects import TableShape\n"
        "from headwater.lake.delta_log.files import LocalLogFiles\n"
        "from headwater.lake.delta_log.sync import read_new\n"
        "read_new(LocalLogFiles(sys.argv[1]), TableShape(), None, default_user='me')\n"
        "print(sorted({'pyspark', 'py4j', 'pyarrow'} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", program, str(log.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    assert done.stdout.strip() == "[]"


def environment() -> dict[str, str]:
    import headwater.lake.delta_log as package

    return {"PYTHONPATH": str(Path(package.__file__).parents[3]), "PATH": ""}


@settings(deadline=None, max_examples=25)
@given(
    steps=st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.booleans()), max_size=8),
)
def test_reading_step_by_step_equals_the_snapshot(new_log, steps):
    with tempfile.TemporaryDirectory() as folder:
        log = new_log(Path(folder) / "t")
        log.create()
        shape, versions = sync(log)
        live: list[str] = []
        for number, (pick, remove, checkpoint) in enumerate(steps):
            if remove and live:
                log.commit(log.remove(live.pop(pick % len(live)), None), operation="DELETE")
            else:
                live.append(f"f{number}")
                log.commit(log.add(live[-1], pick), mode="Append")
            if checkpoint:
                log.checkpoint(log.newest)
            shape, versions = sync(log, shape, versions[-1])
            assert len(versions) == 1
            assert shape.totals == read_snapshot(log.files, log.newest).totals
            assert versions[-1].version == number + 2
