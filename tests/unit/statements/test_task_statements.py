"""Tasks beside what they work on: dynamic tables, clusters, instances; no Spark."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.unit.statements.test_dynamic_table_statements import dynamic_table

import headwater
from headwater.alerts.facts import facts_of
from headwater.catalog.tasks import InstanceState
from headwater.errors import HeadwaterError
from headwater.files.rotate_key import rotate_key
from headwater.run_tasks import TaskRunner
from headwater.runtime.clock import now
from headwater.tasks.attempt import Attempt
from headwater.tasks.loop import TaskLoop


def error_of(lake: headwater.Connection, text: str) -> str:
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(text)
    return caught.value.condition


def instance_of(lake: headwater.Connection, name: str) -> str:
    return str(lake.sql(f"SHOW TASK INSTANCES OF {name}").rows[0][0])


def state_of(lake: headwater.Connection, id: str) -> str | None:
    return dict(lake.sql(f"DESC TASK INSTANCE '{id}'").rows)["state"]


def test_whoever_comes_after_a_task_follows_its_new_name(lake: headwater.Connection) -> None:
    """In drafts and in what runs; alerts on it, too, and its instances stay."""
    lake.sql(
        "CREATE TASK a SCHEDULE (EVERY 1 MINUTE) AS SHOW TABLES;"
        "CREATE TASK b SCHEDULE (EVERY 1 MINUTE) AFTER a AS SHOW TABLES;"
        "SUBMIT TASK a, b; ALTER TASK b SET COMMENT 'a draft';"
        "CREATE ALERT x ON FAILURE OF TASK a NOTIFY 'json://127.0.0.1:9/';"
        "EXECUTE TASK a"
    )
    instance = instance_of(lake, "a")
    lake.sql("ALTER TASK a RENAME TO other.c")
    store = lake.session.lake.store
    (task,) = [task for task in store.tasks.list() if task.name.name == "b"]
    assert task.deployed is not None
    for definition in (task.draft, task.deployed):
        assert [str(name) for name in definition.after] == ["other.c"]
    (alert,) = store.alerts.list()
    assert alert.target is not None
    assert (alert.target.schema, alert.target.name) == ("other", "c")
    assert instance_of(lake, "other.c") == instance
    assert error_of(lake, "DESC TASK a") == "TASK_NOT_FOUND"
    lake.sql("ALTER TASK other.c RENAME TO a")
    assert instance_of(lake, "a") == instance


def test_a_task_for_a_dynamic_table_is_a_kind_of_its_own(lake: headwater.Connection) -> None:
    made = dynamic_table(lake)
    table = lake.session.lake.store.tables.get_by_id(made.id)
    assert table is not None
    lake.sql(f"CREATE TASK r SCHEDULE (EVERY 1 MINUTE) FOR DYNAMIC TABLE {table.name}")
    described = dict(lake.sql("DESC TASK r").rows)
    assert described["kind"] == "DYNAMIC_TABLE"
    assert described["self_dependent"] == "true"
    after = "CREATE TASK a SCHEDULE (DAILY) AFTER r AS SHOW TABLES"
    assert error_of(lake, after) == "TASK_NO_NODE"
    plain = "CREATE TASK b SCHEDULE (DAILY) FOR DYNAMIC TABLE t"
    assert error_of(lake, plain) == "TASK_NOT_DYNAMIC"
    assert error_of(lake, "ALTER TASK r SET PARAMETERS ('x' = '1')") == "TASK_KIND_CLAUSE"
    lake.sql("SUBMIT TASK r")
    said = list[str]()

    def run(attempt: Attempt) -> None:
        said.append(TaskRunner(lake.session.lake)._refresh(attempt.definition))

    at = now() + timedelta(minutes=5)
    assert TaskLoop(lake.session.lake, run, clock=lambda: at).run_until_idle() == 1
    assert said == [f"REFRESH DYNAMIC TABLE headwater.public.{table.name}"]
    [(sql,)] = lake.sql("SHOW CREATE TASK r").rows
    assert f"FOR DYNAMIC TABLE public.{table.name}" in sql


def test_the_lag_of_a_dynamic_table_is_the_age_of_its_rows(lake: headwater.Connection) -> None:
    made = dynamic_table(lake)
    own = lake.session.lake
    table = own.store.tables.get_by_id(made.id)
    assert table is not None
    lake.sql(
        f"CREATE ALERT a ON LAG OF DYNAMIC TABLE {table.name} > 1 MINUTE"
        " NOTIFY 'json://127.0.0.1:1'"
    )
    at = now()
    own.store.schedules.set_baseline(made.id, at - timedelta(minutes=3))
    [lag] = facts_of(own, own.store.alerts.list(), [], at).lags.values()
    assert lag is not None
    assert abs(lag - timedelta(minutes=3)) < timedelta(seconds=1)


def test_instances_change_by_hand_only_where_that_means_something(
    lake: headwater.Connection,
) -> None:
    lake.sql("CREATE TASK t SCHEDULE (DAILY) AS SHOW TABLES; EXECUTE TASK t")
    id = instance_of(lake, "t")
    alter = f"ALTER TASK INSTANCE '{id}'"
    assert error_of(lake, f"{alter} RESUME") == "TASK_INSTANCE_STATE"
    assert error_of(lake, f"RERUN TASK INSTANCE '{id}'") == "TASK_INSTANCE_STATE"
    lake.sql(f"{alter} PAUSE")
    lake.run_until_idle()
    assert state_of(lake, id) == "PAUSED"
    lake.sql(f"{alter} RESUME")
    lake.run_until_idle()
    assert state_of(lake, id) == "SUCCEEDED"
    assert error_of(lake, f"{alter} TERMINATE") == "TASK_INSTANCE_STATE"
    lake.sql(f"{alter} SET FAILURE")
    assert state_of(lake, id) == "FAILED"
    lake.sql(f"{alter} SET SUCCESS; RERUN TASK INSTANCE '{id}'")
    lake.run_until_idle()
    assert dict(lake.sql(f"DESC TASK INSTANCE '{id}'").rows)["attempt"] == "2"


@pytest.mark.parametrize(
    ("policy", "state", "allowed"),
    [
        ("RETRY NEVER", "FAILED", False),
        ("RETRY 0 TIMES ON FAILURE", "FAILED", True),
        ("RETRY 0 TIMES ON FAILURE", "SUCCEEDED", False),
        ("", "SUCCEEDED", True),
    ],
)
def test_the_policy_of_a_task_bounds_reruns(
    lake: headwater.Connection, policy: str, state: str, allowed: bool
) -> None:
    lake.sql(f"CREATE TASK t SCHEDULE (DAILY) {policy} AS SHOW TABLES; EXECUTE TASK t")
    id = instance_of(lake, "t")
    how = "SUCCESS" if state == InstanceState.SUCCEEDED else "FAILURE"
    lake.sql(f"ALTER TASK INSTANCE '{id}' SET {how}")
    if allowed:
        lake.sql(f"RERUN TASK INSTANCE '{id}'")
    else:
        assert error_of(lake, f"RERUN TASK INSTANCE '{id}'") == "TASK_RERUN_REFUSED"


def test_a_cluster_that_a_task_names_stays(lake: headwater.Connection) -> None:
    lake.sql("CREATE VCLUSTER work; CREATE TASK t SCHEDULE (DAILY) VCLUSTER work AS SHOW TABLES")
    assert error_of(lake, "DROP VCLUSTER work") == "VCLUSTER_IN_USE"


def test_a_new_key_opens_scripts_and_addresses(lake: headwater.Connection) -> None:
    lake.sql(
        "CREATE TASK t SCHEDULE (DAILY) AS CREATE STORAGE CONNECTION k TYPE S3 ACCESS_ID 'abc'"
        " ACCESS_KEY 'hunter2hunter2' ENDPOINT 'http://127.0.0.1:9'; SUBMIT TASK t;"
        "CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY 'json://127.0.0.1:1/x'"
    )
    done = rotate_key(lake.session.lake)
    assert (done.tasks, done.alerts) == (1, 1)
    lake.sql("EXECUTE TASK t")
    lake.run_until_idle()
    assert state_of(lake, instance_of(lake, "t")) == "SUCCEEDED"
