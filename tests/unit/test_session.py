"""Sessions without Spark: what touches only metadata never starts it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

import headwater
from headwater.errors import UserError
from headwater.runtime import open_lake


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path):
    with headwater.connect(shutil.copytree(new_lake, tmp_path / "lake")) as connection:
        yield connection
        assert not connection.session.lake.engine.started


def test_metadata_statements_need_no_spark(lake: headwater.Connection) -> None:
    lake.sql(
        """
        CREATE SCHEMA one COMMENT 'first'; -- a comment; with a semicolon
        CREATE SCHEMA IF NOT EXISTS one;
        /* another; one */ USE one;
        SET query_tag = 'tag;ged';
        SHOW TABLES; DESC SCHEMA one; USE public; DROP SCHEMA one
        """
    )
    jobs = lake.sql("SHOW JOBS WHERE query_tag = 'tag;ged'").to_dicts()
    assert [job["job_text"] for job in jobs][1:] == [
        "DROP SCHEMA one",
        "USE public",
        "DESC SCHEMA one",
        "SHOW TABLES",
    ]


def test_a_script_stops_at_its_first_error_and_says_where(lake: headwater.Connection) -> None:
    with pytest.raises(UserError, match="UNKNOWN_STATEMENT") as caught:
        lake.sql("CREATE SCHEMA a;\n\nCRATE SCHEMA b;\nCREATE SCHEMA c")
    assert "CRATE SCHEMA b" in str(caught.value)
    assert [row[0] for row in lake.sql("SHOW SCHEMAS")] == ["a", "public"]


def test_a_statement_that_only_looks_writes_the_catalog_once(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = lake.session.lake.store
    stored: list[str] = []
    start, advance = store.jobs.start, store.jobs.advance
    monkeypatch.setattr(
        store.jobs, "start", lambda job, **more: (stored.append(job.state), start(job, **more))
    )
    monkeypatch.setattr(
        store.jobs, "advance", lambda job, **more: (stored.append(job.state), advance(job, **more))
    )
    lake.sql("SHOW SCHEMAS")
    assert stored == ["SUCCEED"]
    with pytest.raises(UserError, match="TABLE_NOT_FOUND"):
        lake.sql("DESC nowhere")
    assert stored == ["SUCCEED", "FAILED"]
    # What changes something is there from its start: recovery must find it.
    lake.sql("CREATE SCHEMA one")
    assert stored[2:] == ["RUNNING", "SUCCEED"]


def test_a_failed_job_keeps_its_error(lake: headwater.Connection) -> None:
    with pytest.raises(UserError):
        lake.sql("DESC nowhere")
    job = lake.sql("SHOW JOBS WHERE status = 'FAILED'").to_dicts()[0]
    details = dict(lake.sql(f"DESC JOB '{job['job_id']}'").rows)
    assert details["error_message"] == "TABLE_NOT_FOUND: there is no table or view 'public.nowhere'"


def test_no_secret_is_kept_or_shown(lake: headwater.Connection) -> None:
    secret = "hunter2-S3CR3T"
    texts = [
        f"SET spark.hadoop.fs.s3a.secret.key = {secret}",
        f"CREATE STORAGE CONNECTION c TYPE OSS ACCESS_ID = 'id' ACCESS_KEY = '{secret}'",
        f"CREATE SCHEMA s PROPERTIES ('password' = '{secret}'",
        f"SHOW TABLES WHERE password = '{secret}' AND nope",
    ]
    shown = ""
    for text in texts:
        try:
            lake.sql(text)
        except headwater.Error as error:
            shown += str(error) + repr(error) + str(getattr(error, "detail", ""))
    for statement in ("SHOW JOBS", "SET", "SET spark.hadoop.fs.s3a.secret.key"):
        shown += str(lake.sql(statement).rows)
    for row in lake.sql("SHOW JOBS").rows:
        shown += str(lake.sql(f"DESC JOB '{row[0]}'").rows)
    assert "****" in shown
    assert secret not in shown


@pytest.mark.parametrize("content", ["file", "folder"])
def test_a_path_that_is_no_lake_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "thing"
    if content == "file":
        path.write_text("x")
    else:
        path.mkdir()
        (path / "holiday.jpg").write_text("x")
    with pytest.raises(UserError, match="NOT_A_LAKE") as caught:
        headwater.connect(path)
    # init refuses it, too
    assert "headwater init" not in str(caught.value)
    assert not (path / "headwater.toml").exists()


def test_a_missing_lake_is_not_made_when_told_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="LAKE_NOT_FOUND"):
        headwater.connect(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_connections_with_other_settings_are_refused_while_the_lake_is_open(
    lake: headwater.Connection,
) -> None:
    path = lake.session.lake.folder.path
    with pytest.raises(UserError, match="spark_master"):
        headwater.connect(path, spark_master="local[1]")
    with headwater.connect(path, user="somebody else") as other:
        other.sql("CREATE SCHEMA theirs")
        assert other.sql("SHOW JOBS LIMIT 1").to_dicts()[0]["creator"] == "somebody else"


def test_upkeep_forgets_old_jobs_and_purges_what_was_dropped_too_long_ago(
    lake: headwater.Connection,
) -> None:
    from dataclasses import replace
    from datetime import timedelta

    from headwater.names import QualifiedName
    from headwater.runtime.clock import now
    from headwater.tables.commits import Author
    from headwater.tables.create import new_table
    from headwater.upkeep.cleaning import upkeep

    opened = lake.session.lake
    lake.sql("SHOW SCHEMAS")
    old = now() - timedelta(days=100)
    done = opened.store.jobs.list()[0]
    opened.store.jobs.start(replace(done, id="old", started_at=old, ended_at=old))
    for name, age in (("fresh", 1), ("gone", 8)):
        full = QualifiedName("headwater", "public", name)
        table = new_table(opened, full, author=Author("j", "ann"))
        folder = Path(opened.location(table))
        folder.mkdir(parents=True)
        active = opened.store.tables.insert_active(table)
        opened.store.tables.drop(active, now() - timedelta(days=age))
    upkeep(opened)
    assert opened.store.jobs.get("old") is None
    assert opened.store.jobs.get(done.id) is not None
    left = [table.name for table in opened.store.tables.dropped("headwater")]
    assert left == ["fresh"]
    assert [p.name.split("-")[0] for p in (opened.folder.path / "tables/public").iterdir()] == left


@pytest.mark.servers
def test_closing_a_lake_does_not_wait_for_all_that_waits_in_the_background(
    new_lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_lake, "MOST_SECONDS_TO_END", 0.3)
    done: list[int] = []
    connection = headwater.connect(shutil.copytree(new_lake, tmp_path / "busy"))
    background = connection.session.lake.background
    for number in range(100):
        background.submit(lambda number=number: (time.sleep(0.05), done.append(number)))
    started = time.monotonic()
    connection.close()
    assert time.monotonic() - started < 3
    assert 0 < len(done) < 100
