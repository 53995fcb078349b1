"""SIGKILL of a process that runs a task: the next one knows, and nothing is lost or run beside."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from tests.processes import python

import headwater

PROCESS = """
import sys, headwater
with headwater.connect(sys.argv[1], user="tester") as lake:
    lake.run_until_idle()
"""


@pytest.mark.parametrize("place", ["task.begun", "task.ended"])
@pytest.mark.parametrize("retries", [0, 1])
def test_a_killed_instance_has_failed_or_is_retried(
    new_lake: Path, tmp_path: Path, place: str, retries: int
) -> None:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester") as lake:
        lake.sql(
            f"CREATE TASK t SCHEDULE (DAILY) RETRY {retries} TIMES EVERY 0 SECONDS"
            " AS CREATE SCHEMA IF NOT EXISTS made; EXECUTE TASK t"
        )
    with python(PROCESS, str(folder), HEADWATER_FAILPOINT=place) as process:
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
    with headwater.connect(folder, user="tester") as lake:
        [running] = lake.sql("SHOW TASK INSTANCES").rows
        assert running[4] == "RUNNING"
        lake.run_until_idle()
        [ended] = lake.sql("SHOW TASK INSTANCES").rows
        assert lake.sql("SHOW JOBS WHERE status = 'RUNNING'").rowcount <= 1
    if retries:
        assert (ended[4], ended[8]) == ("SUCCEEDED", 2)
    else:
        assert (ended[4], ended[8]) == ("FAILED", 1)
        assert ended[11] == "the process that ran it ended before it was done"
