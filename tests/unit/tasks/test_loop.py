"""The loop on a real catalog, with statements that need no Spark and a clock to move."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater.catalog.tasks import INTERRUPTED, InstanceState, TaskInstance
from headwater.errors import TransientError
from headwater.run_tasks import TaskRunner
from headwater.runtime.clock import now
from headwater.tasks.attempt import Attempt
from headwater.tasks.loop import TaskLoop

PATIENCE = 20.0


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        yield connection
        assert not connection.session.lake.engine.started


def make(lake: headwater.Connection, name: str, script: str, clauses: str = "") -> None:
    lake.sql(f"CREATE TASK {name} SCHEDULE (EVERY 1 MINUTE) {clauses} AS $${script}$$")


def instances(lake: headwater.Connection, name: str) -> list[TaskInstance]:
    """The instances of a task, oldest first, with their logs."""
    store = lake.session.lake.store
    task = next(task for task in store.tasks.list() if task.name.name == name)
    found = [store.task_instances.get(i.id) for i in store.task_instances.list(task_id=task.id)]
    return [instance for instance in reversed(found) if instance is not None]


def loop_at(lake: headwater.Connection, at: datetime, **changes: Any) -> TaskLoop:
    own = lake.session.lake
    return TaskLoop(own, changes.pop("run", TaskRunner(own).run), clock=lambda: at, **changes)


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def minutes_from_now(number: int) -> datetime:
    return now() + timedelta(minutes=number)


def test_a_script_runs_as_jobs_of_its_owner_with_the_tag_of_its_task(
    lake: headwater.Connection,
) -> None:
    make(lake, "etl.a", "CREATE SCHEMA s_${bizdate}; SHOW SCHEMAS", "COMMENT 'c'")
    lake.sql("SUBMIT TASK etl.a")
    lake.session.state.user = "somebody else"
    assert loop_at(lake, minutes_from_now(1)).run_until_idle() == 1
    [instance] = instances(lake, "a")
    assert instance.state is InstanceState.SUCCEEDED
    jobs = [lake.session.lake.store.jobs.get(id) for id in instance.job_ids]
    assert [job and job.kind for job in jobs] == ["CREATE_SCHEMA", "SHOW_SCHEMAS"]
    assert {(job and job.query_tag, job and job.creator) for job in jobs} == {
        ("task.headwater.etl.a", "tester")
    }
    bizdate = f"{instance.plan_at - timedelta(days=1):%Y%m%d}"
    assert f"schema s_{bizdate} created" in instance.log
    tagged = lake.sql("SHOW JOBS WHERE query_tag = 'task.headwater.etl.a'")
    assert tagged.rowcount == 2


def test_tasks_run_after_each_other_and_not_after_a_failure(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(lake, "b", "CREATE SCHEMA b")
    make(lake, "a", "DROP SCHEMA a")
    make(lake, "c", "CREATE SCHEMA c", "AFTER b")
    make(lake, "d", "CREATE SCHEMA d", "AFTER a, c")
    lake.sql("SUBMIT TASK d, a, c, b")
    at = minutes_from_now(1)
    loop_at(lake, at).run_until_idle()
    states = {name: instances(lake, name)[0].state.value for name in "abcd"}
    assert states == {"a": "FAILED", "b": "SUCCEEDED", "c": "SUCCEEDED", "d": "WAITING"}
    [failed] = instances(lake, "a")
    assert failed.error is not None
    assert "SCHEMA_NOT_FOUND" in failed.error
    [job] = failed.job_ids
    found = lake.session.lake.store.jobs.get(job)
    assert found is not None
    assert found.state == "FAILED"
    [waiting] = instances(lake, "d")
    monkeypatch.setattr("headwater.statements.desc_task_instance.now", lambda: at)
    described = dict(lake.sql(f"DESC TASK INSTANCE '{waiting.id}'").rows)
    assert "default.a of" in (described["waits_for"] or "")
    lake.sql(f"CREATE SCHEMA a; RERUN TASK INSTANCE '{failed.id}' WITH DOWNSTREAM")
    loop_at(lake, at).run_until_idle()
    assert instances(lake, "d")[0].state is InstanceState.SUCCEEDED


def test_missed_instances_run_one_after_the_other_if_the_task_depends_on_itself(
    lake: headwater.Connection,
) -> None:
    make(lake, "a", "SHOW TABLES", "SELF DEPENDENT")
    lake.sql("SUBMIT TASK a")
    begun = list[datetime]()
    at_work = list[int]()

    def run(attempt: Attempt) -> None:
        at_work.append(1)
        begun.append(attempt.instance.plan_at)
        assert len(at_work) == 1
        at_work.pop()

    loop_at(lake, minutes_from_now(5), run=run).run_until_idle()
    assert begun == sorted(begun)
    assert len(begun) == 5


def test_a_failed_attempt_is_retried_and_the_log_has_both(lake: headwater.Connection) -> None:
    make(lake, "a", "DROP SCHEMA nope", "RETRY 2 TIMES EVERY 0 SECONDS")
    lake.sql("SUBMIT TASK a")
    assert loop_at(lake, minutes_from_now(1)).run_until_idle() == 3
    [instance] = instances(lake, "a")
    assert (instance.state, instance.attempt) == (InstanceState.FAILED, 3)
    assert "attempt 1" in instance.log
    assert "attempt 3" in instance.log


def test_nothing_runs_twice_however_many_loops_look(lake: headwater.Connection) -> None:
    for number in range(6):
        make(lake, f"t{number}", "SHOW TABLES")
    lake.sql(f"SUBMIT TASK {', '.join(f't{number}' for number in range(6))}")
    begun = list[str]()
    at = minutes_from_now(3)
    loops = [
        loop_at(lake, at, run=lambda attempt: begun.append(attempt.instance.id)) for _ in range(4)
    ]
    threads = [threading.Thread(target=loop.run_until_idle) for loop in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loop_at(lake, at, run=lambda attempt: begun.append(attempt.instance.id)).run_until_idle()
    assert len(begun) == len(set(begun)) == 18


def test_what_a_dead_process_left_has_failed_or_is_retried(lake: headwater.Connection) -> None:
    make(lake, "a", "SHOW TABLES")
    make(lake, "b", "SHOW TABLES", "RETRY 1 TIMES EVERY 0 SECONDS")
    lake.sql("SUBMIT TASK a, b")
    own, at = lake.session.lake, minutes_from_now(1)

    def die(attempt: Attempt) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        loop_at(lake, at, run=die).run_until_idle()
    assert {instances(lake, name)[0].state.value for name in "ab"} >= {"RUNNING"}
    # A process that takes the lake over has another fencing number.
    own.writer.release()
    own.writer.ensure()
    loop_at(lake, at).run_until_idle()
    [a], [b] = instances(lake, "a"), instances(lake, "b")
    outcomes = {"a": (a.state.value, a.error), "b": (b.state.value, b.attempt)}
    assert outcomes["a"] in (("FAILED", INTERRUPTED), ("SUCCEEDED", None))
    assert outcomes["b"] in (("SUCCEEDED", 2), ("SUCCEEDED", 1))
    assert "FAILED" in (a.state.value, *(["FAILED"] if b.attempt == 2 else []))


def test_a_terminated_instance_is_cancelled_and_stays_terminated(
    lake: headwater.Connection,
) -> None:
    lake.sql(
        "CREATE TASK p SCHEDULE (EVERY 1 MINUTE) LANGUAGE PYTHON AS $$import time\n"
        "print('begun')\ntime.sleep(600)$$; EXECUTE TASK p"
    )
    loop = TaskLoop(lake.session.lake, TaskRunner(lake.session.lake).run)
    thread = threading.Thread(target=loop.run_until_idle)
    thread.start()
    until(lambda: "begun" in instances(lake, "p")[0].log)
    [instance] = instances(lake, "p")
    lake.sql(f"ALTER TASK INSTANCE '{instance.id}' TERMINATE")
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert instances(lake, "p")[0].state is InstanceState.TERMINATED


def test_a_timeout_cancels_and_fails(lake: headwater.Connection) -> None:
    lake.sql(
        "CREATE TASK p SCHEDULE (EVERY 1 MINUTE) TIMEOUT 1 SECOND LANGUAGE PYTHON AS"
        " $$import time\ntime.sleep(600)$$; EXECUTE TASK p"
    )
    TaskLoop(lake.session.lake, TaskRunner(lake.session.lake).run).run_until_idle()
    [instance] = instances(lake, "p")
    assert instance.state is InstanceState.FAILED
    assert instance.timed_out
    assert instance.error == "TASK_TIMEOUT: it ran for longer than 1 SECOND, and was cancelled"


def test_a_python_script_gets_its_parameters_and_no_credentials(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_SECRET_KEY", "s3cret-value")
    monkeypatch.setenv("MY_PASSWORD", "s3cret-value")
    lake.sql(
        "CREATE TASK p SCHEDULE (EVERY 1 MINUTE) PARAMETERS ('x' = 'one') LANGUAGE PYTHON AS $$\n"
        "import os\n"
        "print(os.environ['HEADWATER_TASK_x'], '${x}', 's3cret-value' in str(os.environ))\n"
        "print(os.environ['HEADWATER_LAKE'], 'HEADWATER_TOKEN' in os.environ)\n"
        "raise SystemExit(3)$$; EXECUTE TASK p"
    )
    lake.run_until_idle()
    [instance] = instances(lake, "p")
    assert "one one False" in instance.log
    assert f"{lake.session.lake.folder.path} False" in instance.log
    assert instance.error == "TASK_SCRIPT_FAILED: the script ended with exit code 3"


def test_a_python_script_ends_with_the_process_that_started_it() -> None:
    import subprocess
    import sys

    from headwater.run_python import _SHELL

    script = Path(__file__).parent / "sleeping_script.py"
    process = subprocess.Popen(
        [sys.executable, "-c", _SHELL, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == b"begun\n"
    process.stdin.close()
    assert process.wait(PATIENCE) == 97
    process.stdout.close()
    assert os.path.exists(script)


def test_an_attempt_that_ends_while_the_catalog_is_away_is_stored_later(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(lake, "a", "SHOW TABLES")
    lake.sql("EXECUTE TASK a")
    store, refused = lake.session.lake.store.task_instances, list[str]()
    move = store.move

    def away(before: TaskInstance, after: TaskInstance, **given: Any) -> bool:
        if after.state is InstanceState.SUCCEEDED and len(refused) < 2:
            refused.append(after.id)
            raise TransientError("CATALOG_UNAVAILABLE", url="x", reason="x")
        return move(before, after, **given)

    monkeypatch.setattr(store, "move", away)
    monkeypatch.setattr("headwater.tasks.loop._LOOK", 0.05)
    lake.run_until_idle()
    assert len(refused) == 2
    assert instances(lake, "a")[0].state is InstanceState.SUCCEEDED


def test_a_paused_task_waits_and_an_offline_one_is_forgotten(lake: headwater.Connection) -> None:
    make(lake, "a", "SHOW TABLES")
    make(lake, "b", "SHOW TABLES")
    lake.sql("SUBMIT TASK a, b; ALTER TASK a PAUSE; ALTER TASK b OFFLINE")
    at = minutes_from_now(2)
    assert loop_at(lake, at).run_until_idle() == 0
    assert [i.state.value for i in instances(lake, "a")] == ["WAITING", "WAITING"]
    assert instances(lake, "b") == []
    lake.sql("ALTER TASK a RESUME")
    assert loop_at(lake, at).run_until_idle() == 2


def test_what_was_submitted_runs_and_not_the_draft(lake: headwater.Connection) -> None:
    make(lake, "a", "CREATE SCHEMA first")
    lake.sql("SUBMIT TASK a; ALTER TASK a SET AS CREATE SCHEMA second")
    loop_at(lake, minutes_from_now(1)).run_until_idle()
    schemas = [name for (name,) in lake.sql("SHOW SCHEMAS").rows]
    assert "first" in schemas
    assert "second" not in schemas
    lake.sql(f"SUBMIT TASK a; RERUN TASK INSTANCE '{instances(lake, 'a')[0].id}'")
    loop_at(lake, minutes_from_now(1)).run_until_idle()
    assert "second" in [name for (name,) in lake.sql("SHOW SCHEMAS").rows]


def test_a_backfill_runs_its_range_once_and_in_order(lake: headwater.Connection) -> None:
    lake.sql(
        "CREATE TASK a SCHEDULE (DAILY AT '02:30') AS CREATE SCHEMA a_${bizdate};"
        "CREATE TASK b SCHEDULE (DAILY AT '01:00') AFTER a AS DROP SCHEMA a_${bizdate};"
        "BACKFILL TASK a FROM '2026-01-02' TO '2026-01-04' WITH DOWNSTREAM"
    )
    lake.run_until_idle()
    assert [i.state.value for i in instances(lake, "a")] == ["SUCCEEDED"] * 3
    assert [i.state.value for i in instances(lake, "b")] == ["SUCCEEDED"] * 3
    assert [name for (name,) in lake.sql("SHOW SCHEMAS").rows] == ["public"]


def test_a_script_does_not_see_what_another_one_set(lake: headwater.Connection) -> None:
    make(lake, "a", "CREATE SCHEMA other; USE other; SET query_tag = 'x'")
    make(lake, "b", "CREATE TASK made SCHEDULE (DAILY) AS SHOW TABLES", "AFTER a")
    lake.sql("SUBMIT TASK a, b")
    loop_at(lake, minutes_from_now(1)).run_until_idle()
    described = dict(lake.sql("DESC TASK made").rows)
    assert described["schema"] == "public"


def test_a_secret_in_a_script_is_sealed_and_works(lake: headwater.Connection) -> None:
    secret = "hunter2hunter2"
    make(
        lake,
        "a",
        f"CREATE STORAGE CONNECTION c TYPE S3 ENDPOINT 'http://127.0.0.1:9' ACCESS_ID 'abc'"
        f" ACCESS_KEY '{secret}'",
    )
    lake.sql("SUBMIT TASK a")
    loop_at(lake, minutes_from_now(1)).run_until_idle()
    [instance] = instances(lake, "a")
    assert instance.error is None
    shown = [
        *lake.sql("DESC TASK a").rows,
        *lake.sql("SHOW CREATE TASK a").rows,
        *lake.sql("SHOW TASK VERSIONS OF a").rows,
        *lake.sql(f"DESC TASK INSTANCE '{instance.id}'").rows,
        *[(job.text,) for job in lake.session.lake.store.jobs.list()],
    ]
    assert secret not in str(shown)
    catalog = lake.session.lake.folder.path / "catalog.db"
    content = catalog.read_bytes() + catalog.with_name("catalog.db-wal").read_bytes()
    assert secret.encode() not in content
