"""Python scripts of tasks that a service runs reach the lake, as their owners, until they end."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

import headwater
from headwater.access.grants import Identity
from headwater.catalog.tasks import InstanceState, TaskInstance
from headwater.run_tasks import TaskRunner
from headwater.runtime.passes import Passes
from headwater.service.server import Server
from headwater.sql.roles import Role
from headwater.statements.owner_rights import owner_identity
from headwater.tasks.loop import TaskLoop

SCRIPT = """
import os, pathlib, headwater
address, token = os.environ["HEADWATER_LAKE"], os.environ["HEADWATER_TOKEN"]
pathlib.Path({kept!r}).write_text(token)
with headwater.connect(address, token=token) as lake:
    lake.sql("CREATE SCHEMA made_by_a_script")
    print("seen", lake.sql("SHOW SCHEMAS LIKE 'made%'").rows, "with", token)
"""


def run(server: Server, sql: str) -> TaskInstance:
    """The instance of a task that was executed, when it has ended."""
    lake = server.service.lake
    with headwater.connect(server.url, token=_local(server)) as client:
        client.sql(sql)
    TaskLoop(lake, TaskRunner(lake).run).run_until_idle()
    [listed] = lake.store.task_instances.list()
    found = lake.store.task_instances.get(listed.id)
    assert found is not None
    return found


def _local(server: Server) -> str:
    return (server.service.lake.folder.path / "service.token").read_text()


def test_a_script_works_on_the_lake_with_its_owners_rights_until_it_ends(
    server: Server, tmp_path: Path
) -> None:
    kept = tmp_path / "pass"
    script = SCRIPT.format(kept=str(kept))
    ended = run(
        server,
        f"CREATE TASK p SCHEDULE (DAILY) LANGUAGE PYTHON AS $${script}$$; EXECUTE TASK p",
    )
    assert ended.state is InstanceState.SUCCEEDED, ended.log
    assert "seen [('made_by_a_script',)] with ****" in ended.log
    token, lake = kept.read_text(), server.service.lake
    assert token not in ended.log
    [made] = [job for job in lake.store.jobs.list() if job.text == "CREATE SCHEMA made_by_a_script"]
    assert made.creator == lake.store.tasks.list()[0].owner
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.get(f"{server.url}/api/v1/jobs", headers=headers, trust_env=False)
    assert answer.status_code == 401, "a pass is good for as long as its script runs"


def test_a_pass_proves_what_its_owner_is_now(server: Server) -> None:
    passes, store = server.service.lake.passes, server.service.lake.store
    with headwater.connect(server.url, token=_local(server)) as lake:
        lake.sql("CREATE USER ann PASSWORD 'correct horse' ROLE developer")
        with passes.given(lambda: owner_identity(store, "ann", "task p")) as own:
            as_ann = headwater.connect(server.url, token=own)
            as_ann.sql("CREATE SCHEMA hers")
            lake.sql("ALTER USER ann SET ROLE viewer")
            with (
                headwater.connect(server.url, token=own) as later,
                pytest.raises(headwater.Error, match="ACCESS_DENIED"),
            ):
                later.sql("CREATE SCHEMA another")
            lake.sql("ALTER USER ann SET DISABLED = TRUE")
            with pytest.raises(headwater.Error, match="UNAUTHENTICATED"):
                as_ann.sql("SHOW SCHEMAS")


def test_what_is_no_pass_proves_nothing() -> None:
    passes, ada = Passes(), Identity("ada", Role.ADMIN)
    with passes.given(lambda: ada) as first, passes.given(lambda: ada) as second:
        assert first != second
        assert passes.whose(first) == passes.whose(second) == ada
        assert passes.whose(first[:-1]) is None
        assert passes.whose("") is None
        assert passes.whose("\ud800") is None
    assert passes.whose(first) is None
