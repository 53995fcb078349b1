"""`headwater doctor`: every check says what it found; trouble is a row, never a trace."""

from __future__ import annotations

import json

import pytest

import headwater
from headwater.catalog.store.migrate import HEAD
from headwater.cli import checks
from headwater.errors import UserError


def states(run, *arguments):
    done = run("doctor", "--format", "json", *arguments)
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    return done, rows


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A machine that has Java and the jars, whatever this one has."""
    for name in ("_java", "_jars", "_classes"):
        monkeypatch.setattr(
            checks,
            name,
            lambda name=name: checks.Check(name[1:], checks.CheckState.OK, "there"),
        )


def test_without_a_lake_only_the_machine_is_checked(run):
    done, rows = states(run)
    assert done.exit_code == 0, done.output
    assert list(rows) == [
        "python",
        "java",
        "spark",
        "jars",
        "classes",
        "lake",
        "disk",
        "memory",
        "time zone",
    ]
    assert "--lake" in rows["lake"]["advice"]


def test_a_lake_in_order(run, lake):
    done, rows = states(run, "--lake", lake)
    assert done.exit_code == 0, done.output
    assert {row["state"] for row in rows.values()} == {"ok"}
    assert rows["lake"]["found"] == f"{lake} can be read and written"
    assert HEAD in rows["catalog"]["found"]
    assert rows["writer"]["found"] == "nobody writes this lake now"


def test_the_table_is_for_people(run, lake):
    done = run("doctor", "--lake", lake)
    assert "| check " in done.stdout
    assert "| ok " in done.stdout


def test_who_writes_the_lake_is_named(run, lake):
    with headwater.connect(lake, user="ada") as connection:
        connection.sql("CREATE SCHEMA a")
        _, rows = states(run, "--lake", lake)
    assert rows["writer"]["state"] == "ok"
    assert " of ada on " in rows["writer"]["found"]
    assert "to write, close that one" in rows["writer"]["advice"]


def test_a_folder_that_is_no_lake_has_failed(run, tmp_path):
    done, rows = states(run, "--lake", tmp_path / "none")
    assert done.exit_code == 1
    assert rows["lake"]["state"] == "failed"
    assert rows["lake"]["advice"].startswith("headwater init ")
    assert not (tmp_path / "none").exists()
    assert done.stderr == "failed: lake, settings\n"


def test_settings_that_cannot_be_read_have_failed(run, lake):
    (lake / "headwater.toml").write_text("[lake\n", encoding="utf-8")
    done, rows = states(run, "--lake", lake)
    assert done.exit_code == 1
    assert rows["settings"]["state"] == "failed"
    assert "not valid TOML" in rows["settings"]["found"]


def test_a_time_zone_that_does_not_exist_has_failed(run, lake):
    (lake / "headwater.toml").write_text('[lake]\ntime_zone = "Mars/Base"\n', encoding="utf-8")
    done, rows = states(run, "--lake", lake)
    assert rows["settings"]["state"] == "failed"
    assert "Mars/Base" in rows["settings"]["found"]
    assert done.exit_code == 1


def test_a_damaged_catalog_has_failed(run, lake):
    for file in lake.glob("catalog.db*"):
        file.unlink()
    (lake / "catalog.db").write_bytes(b"this is no database" * 1000)
    done, rows = states(run, "--lake", lake)
    assert done.exit_code == 1
    assert rows["catalog"]["state"] == "failed"


def test_looking_at_a_lake_without_a_catalog_makes_none(run, lake):
    for file in lake.glob("catalog.db*"):
        file.unlink()
    done, rows = states(run, "--lake", lake)
    assert done.exit_code == 0
    assert rows["catalog"]["state"] == "warning"
    assert not (lake / "catalog.db").exists()


def test_a_catalog_that_is_gone_while_its_tables_are_there_has_failed(run, lake):
    for file in lake.glob("catalog.db*"):
        file.unlink()
    (lake / "tables" / "public").mkdir(parents=True)
    (lake / "tables" / "public" / "part.parquet").write_bytes(b"PAR1")
    done, rows = states(run, "--lake", lake)
    assert done.exit_code == 1
    assert rows["catalog"]["state"] == "failed"
    assert "copy of the catalog" in rows["catalog"]["advice"]
    assert not (lake / "catalog.db").exists()


def test_a_check_that_breaks_is_a_finding(run, monkeypatch):
    def broken():
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(checks, "_memory", broken)
    done, rows = states(run)
    assert done.exit_code == 1
    assert rows["memory"]["found"] == "cannot be checked: ZeroDivisionError('oops')"


def test_what_is_missing_comes_with_what_to_do(run, monkeypatch):
    def missing():
        raise UserError("JAVA_NOT_FOUND")

    monkeypatch.setattr(checks, "_java", missing)
    done, rows = states(run)
    assert done.exit_code == 1
    assert rows["java"]["state"] == "failed"
    assert "apt-get install" in rows["java"]["advice"]


@pytest.mark.parametrize(("free", "state"), [(10**11, "ok"), (10**9, "warning"), (10**7, "failed")])
def test_disk_space_has_limits(run, monkeypatch, free, state):
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage)
    _, rows = states(run)
    assert rows["disk"]["state"] == state


@pytest.mark.servers
def test_a_store_of_tables_that_does_not_answer_has_failed(run, lake, monkeypatch):
    monkeypatch.setenv("HEADWATER_TABLES_ACCESS_KEY", "who")
    monkeypatch.setenv("HEADWATER_TABLES_SECRET_KEY", "hw-s3cret")
    settings = '[tables]\nlocation = "s3://bucket/lake"\nendpoint = "http://127.0.0.1:1"\n'
    (lake / "headwater.toml").write_text(settings, encoding="utf-8")
    done, rows = states(run, "--lake", lake)
    assert rows["tables"]["state"] == "failed"
    assert "127.0.0.1:1" in rows["tables"]["found"]
    assert "hw-s3cret" not in done.stdout + done.stderr


def test_a_store_of_tables_that_answers_is_named(run, lake, monkeypatch, seaweedfs):
    keys = seaweedfs.connection.keys
    monkeypatch.setenv("HEADWATER_TABLES_ACCESS_KEY", keys.access_key)
    monkeypatch.setenv("HEADWATER_TABLES_SECRET_KEY", keys.secret_key)
    bucket = seaweedfs.create_bucket()
    settings = f'location = "s3://{bucket}/lake"\nendpoint = "{seaweedfs.endpoint}"\n'
    (lake / "headwater.toml").write_text(f"[tables]\n{settings}", encoding="utf-8")
    _, rows = states(run, "--lake", lake)
    assert rows["tables"] == {**rows["tables"], "state": "ok", "found": f"s3://{bucket}/lake/"}
