"""SIGKILL between the Delta commit and the catalog: the next start makes both agree."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from tests.crash.crashing import Crasher

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(180)]

PREPARE = "CREATE TABLE t (id INT); INSERT INTO t VALUES (1)"


def states(connection: headwater.Connection) -> dict[str, str]:
    """The state of each job by the first two words of its text."""
    jobs = connection.sql("SHOW JOBS").to_dicts()
    return {" ".join(job["job_text"].split()[:3]): job["status"] for job in jobs}


def test_an_insert_that_reached_delta_counts(tmp_path: Path, crasher: Crasher) -> None:
    crasher.crash(tmp_path, PREPARE, "INSERT INTO t VALUES (2), (3)", at="commit.after_delta")
    with headwater.connect(tmp_path) as connection:
        assert states(connection)["INSERT INTO t"] == "SUCCEED"
        history = connection.sql("DESC HISTORY t").to_dicts()
        assert [(h["version"], h["operation"], h["total_rows"]) for h in history] == [
            (3, "INSERT_INTO", 3),
            (2, "INSERT_INTO", 1),
            (1, "CREATE", 0),
        ]
        job = connection.sql("SHOW JOBS WHERE job_text LIKE '%(2), (3)%' AND status = 'SUCCEED'")
        assert history[0]["job_id"] == job.to_dicts()[-1]["job_id"]
        assert not connection.session.lake.engine.started


def test_an_insert_that_did_not_reach_delta_leaves_nothing(
    tmp_path: Path, crasher: Crasher
) -> None:
    crasher.crash(tmp_path, PREPARE, "INSERT INTO t VALUES (2)", at="commit.before")
    with headwater.connect(tmp_path) as connection:
        jobs = connection.sql("SHOW JOBS WHERE status = 'FAILED'").to_dicts()
        assert [job["job_text"] for job in jobs] == ["INSERT INTO t VALUES (2)"]
        assert len(connection.sql("DESC HISTORY t")) == 2
        assert connection.sql("SELECT * FROM t").rows == [(1,)]
        connection.sql("INSERT INTO t VALUES (2)")
        assert connection.sql("SELECT count(*) FROM t").rows == [(2,)]


def test_a_create_that_only_stated_its_intent_leaves_the_name_free(
    tmp_path: Path, crasher: Crasher
) -> None:
    crasher.crash(tmp_path, PREPARE, "CREATE TABLE made (id INT)", at="create.after_intent")
    with headwater.connect(tmp_path) as connection:
        assert [row[1] for row in connection.sql("SHOW TABLES")] == ["t"]
        assert states(connection)["CREATE TABLE made"] == "FAILED"
        assert not list((tmp_path / "tables" / "public").glob("made-*"))
        connection.sql("CREATE TABLE made (id INT)")


def test_a_create_as_select_that_reached_delta_is_a_table(tmp_path: Path, crasher: Crasher) -> None:
    crasher.crash(
        tmp_path, PREPARE, "CREATE TABLE made AS SELECT id FROM t", at="create.after_delta"
    )
    with headwater.connect(tmp_path) as connection:
        assert states(connection)["CREATE TABLE made"] == "SUCCEED"
        assert connection.sql("SELECT * FROM made").rows == [(1,)]
        assert [row[5] for row in connection.sql("DESC HISTORY made")] == ["CREATE_TABLE_AS"]


def test_an_alter_of_several_commits_is_one_version_after_a_crash(
    tmp_path: Path, crasher: Crasher
) -> None:
    crasher.crash(
        tmp_path, PREPARE, "ALTER TABLE t RENAME COLUMN id TO key", at="commit.after_delta"
    )
    with headwater.connect(tmp_path) as connection:
        assert [row[:1] + row[5:6] for row in connection.sql("DESC HISTORY t LIMIT 1")] == [
            (3, "ALTER")
        ]
        assert connection.sql("SELECT key FROM t").rows == [(1,)]


def test_an_alter_that_only_made_the_table_ready_has_failed(
    tmp_path: Path, crasher: Crasher
) -> None:
    crasher.crash(tmp_path, PREPARE, "ALTER TABLE t RENAME COLUMN id TO key", at="commit.prepared")
    with headwater.connect(tmp_path) as connection:
        assert states(connection)["ALTER TABLE t"] == "FAILED"
        assert [row[5] for row in connection.sql("DESC HISTORY t LIMIT 1")] == ["UPGRADE"]
        assert connection.sql("SELECT id FROM t").rows == [(1,)]
        connection.sql("ALTER TABLE t RENAME COLUMN id TO key")
        assert connection.sql("SELECT key FROM t").rows == [(1,)]


def test_a_drop_that_was_recorded_is_a_drop(tmp_path: Path, crasher: Crasher) -> None:
    crasher.crash(tmp_path, PREPARE, "DROP TABLE t", at="drop.after_catalog")
    with headwater.connect(tmp_path) as connection:
        assert connection.sql("SHOW TABLES").rows == []
        connection.sql("UNDROP TABLE t")
        assert connection.sql("SELECT * FROM t").rows == [(1,)]


def test_change_tracking_that_was_only_being_switched_on_has_failed(
    tmp_path: Path, crasher: Crasher
) -> None:
    switch_on = "ALTER TABLE t SET PROPERTIES ('change_tracking' = 'true')"
    crasher.crash(tmp_path, PREPARE, switch_on, at="commit.prepared")
    with headwater.connect(tmp_path) as connection:
        assert states(connection)["ALTER TABLE t"] == "FAILED"
        connection.sql(switch_on)
        assert [row[5] for row in connection.sql("DESC HISTORY t LIMIT 2")] == ["ALTER", "UPGRADE"]
        assert "change_tracking" in str(connection.sql("SHOW CREATE TABLE t").rows)
        assert connection.sql("SELECT * FROM t").rows == [(1,)]
