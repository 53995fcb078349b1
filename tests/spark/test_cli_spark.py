"""The command line with Spark behind it: the demonstration, silence, and no JVM left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.nightly import often
from tests.processes import Process, java_children, lives, wait_for

import headwater

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("short_spark"),
]

COMMAND = [sys.executable, "-m", "headwater.cli.main"]
PATIENCE = 180.0
# Far longer than any of these tests waits.
ENDLESS = "SELECT sum(id % 7) FROM range(0, 10000000000000, 1, 4)"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)


def test_the_demonstration_runs_to_its_end(tmp_path, monkeypatch):
    # With the settings that a user has; all other tests have those for a few rows.
    monkeypatch.delenv("HEADWATER_SPARK_CONF")
    done = run("demo", "--lake", tmp_path / "lake")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert f"headwater shell --lake {tmp_path / 'lake'}" in done.stdout
    assert f"headwater serve --lake {tmp_path / 'lake'}" in done.stdout
    # statements are shown as they ran
    assert "{{" not in done.stdout
    assert "RESTORE TABLE sales TO TIMESTAMP AS OF '2" in done.stdout
    # the pipe loaded each good file once and left the bad one out
    assert "pipe public.sales_pipe, batch 1: 5 rows" in done.stdout
    assert "pipe public.sales_pipe, batch 2: 2 rows" in done.stdout
    assert "wednesday/part00001.csv | LOAD_FAILED" in done.stdout
    # both layers are refreshed in full by the schedule, then by what changed
    for table, rows in (("sales_clean", 5), ("sales_summary", 2)):
        refreshed = f"dynamic table public.{table} refreshed: "
        assert f"{refreshed}FULL, {rows} rows inserted, 0 rows deleted" in done.stdout
        assert f"{refreshed}INCREMENTAL, 1 row inserted, 1 row deleted" in done.stdout
    assert "| public.sales_summary | true " in done.stdout
    assert "| sales_clean   | SUCCEED | LH_SCHEDULED" in done.stdout


def test_a_query_prints_its_rows_and_nothing_of_sparks_and_no_log_has_a_secret(tmp_path):
    lake, secret = tmp_path / "lake", "s3cretWJalrXUtnFEMI"
    statements = [
        f"CREATE STORAGE CONNECTION c TYPE S3 ACCESS_KEY = 'id' SECRET_KEY = '{secret}'"
        " ENDPOINT = 'http://127.0.0.1:1' REGION = 'us-east-1'",
        f"SET spark.hadoop.fs.s3a.secret.key = {secret}",
        "SELECT id, id AS id, DATE '2026-06-01' AS d FROM range(2) ORDER BY id",
        f"SELECT 1/0, nothing FROM range(1) WHERE 'password' = '{secret}'",
    ]
    given = [word for statement in statements for word in ("-e", statement)]
    done = run("sql", "--lake", lake, "-o", "json", *given)
    assert done.returncode == 1
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        [
            {"id": 0, "id_1": 0, "d": "2026-06-01"},
            {"id": 1, "id_1": 1, "d": "2026-06-01"},
        ]
    ]
    lines = done.stderr.splitlines()
    assert "nothing" in lines[0]
    shown = "line 1: SELECT 1/0, nothing FROM range(1) WHERE 'password' = '****'"
    assert lines[1] == shown
    assert len(lines) <= 4, done.stderr
    logs = [path for path in (lake / "logs").rglob("*") if path.is_file()]
    assert "spark.log" in [path.name for path in logs]
    assert not [path for path in logs if secret in path.read_text()]


def test_java_that_ends_before_spark_has_started_is_no_bug_and_has_a_log(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADWATER_SPARK_CONF", '{"spark.driver.memory": "900000g"}')
    done = run("sql", "--lake", tmp_path / "lake", "-e", "SELECT 1")
    assert done.returncode == 1
    assert done.stderr.startswith("SPARK_NOT_STARTED: Java ended before Spark had started")
    assert "Traceback" not in done.stderr
    assert "heap" in (tmp_path / "lake" / "logs" / "spark.log").read_text()


@pytest.mark.parametrize(
    "number",
    often([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], [signal.SIGINT, signal.SIGKILL]),
)
def test_no_jvm_outlives_the_command(tmp_path, number):
    lake = tmp_path / "lake"
    with endless(lake) as (process, jvm):
        process.send_signal(number)
        code = process.wait(timeout=PATIENCE)
        wait_for(lambda: not lives(jvm), f"the JVM {jvm} to end")
        error = process.stderr.read()
    if number == signal.SIGKILL:
        assert code == -number
        return
    assert code == 128 + number
    assert error.startswith("JOB_CANCELLED: "), error
    assert "Traceback" not in error
    with headwater.connect(lake) as connection:
        lease = connection.session.lake.store.lease.get()
        assert lease is not None
        assert lease.holder is None
        states = connection.sql("SHOW JOBS WHERE job_text LIKE 'SELECT sum%'").to_dicts()
    assert [row["status"] for row in states] == ["CANCELLED"]


@pytest.mark.parametrize("number", often([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
def test_a_signal_while_spark_starts_gives_the_lake_back(tmp_path, number):
    lake = tmp_path / "lake"
    command = [*COMMAND, "sql", "--lake", str(lake), "-e", "CREATE SCHEMA a; SELECT 1"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        wait_for(lambda: bool(java_children(process.pid)), "the JVM to be started")
        (jvm,) = java_children(process.pid)
        process.send_signal(number)
        code = process.wait(timeout=PATIENCE)
        error = process.stderr.read()
        wait_for(lambda: not lives(jvm), f"the JVM {jvm} to end")
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
    assert code == 128 + number
    assert "Traceback" not in error
    with headwater.connect(lake) as connection:
        connection.sql("CREATE SCHEMA b")


def test_doctor_starts_spark_when_asked():
    done = run("doctor", "--spark", "-o", "json")
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    assert rows["spark start"]["state"] == "ok", rows
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""


@contextmanager
def endless(lake: Path) -> Iterator[tuple[subprocess.Popen[str], Process]]:
    """A command in the middle of a query that would run for hours, and its JVM."""
    statements = ["CREATE SCHEMA a", "SELECT 'ready'", ENDLESS]
    command = [*COMMAND, "sql", "--lake", str(lake), "-o", "csv"]
    command += [word for statement in statements for word in ("-e", statement)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    jvm: Process | None = None
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        assert process.stdout.readline() == "ready\n"
        (jvm,) = java_children(process.pid)
        time.sleep(2)
        assert process.poll() is None
        yield process, jvm
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
        if jvm is not None and lives(jvm):
            with suppress(ProcessLookupError):
                os.kill(jvm[0], signal.SIGKILL)
