"""One process writes a lake; others may read it, and take over when it is gone."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.processes import python, read_line

import headwater
from headwater.errors import UserError

HOLD = """
import sys, headwater
connection = headwater.connect(sys.argv[1])
connection.sql("CREATE SCHEMA held")
print("holding", flush=True)
sys.stdin.read()
connection.close()
"""


def test_a_second_writer_is_refused_and_told_who_holds_the_lake(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with python(HOLD, str(lake)) as holder:
        assert read_line(holder) == "holding"
        with headwater.connect(lake) as connection:
            with pytest.raises(UserError, match="LAKE_LOCKED") as caught:
                connection.sql("CREATE SCHEMA mine")
            assert str(holder.pid) in str(caught.value)
            assert [row[0] for row in connection.sql("SHOW SCHEMAS")] == ["held", "public"]


def test_a_writer_that_closes_leaves_the_lake_to_the_next(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with python(HOLD, str(lake)) as holder:
        read_line(holder)
        holder.communicate()
        with headwater.connect(lake) as connection:
            connection.sql("CREATE SCHEMA mine")


def test_a_killed_writer_is_taken_over_at_once(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with python(HOLD, str(lake)) as holder:
        read_line(holder)
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        with headwater.connect(lake) as connection:
            connection.sql("CREATE SCHEMA mine")
            assert connection.session.lake.writer.fencing == 2


def test_a_frozen_writer_loses_the_lake_and_cannot_write_when_it_wakes(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    code = HOLD.replace("sys.argv[1])", "sys.argv[1], lease_seconds=3)").replace(
        "sys.stdin.read()",
        "sys.stdin.readline()\n"
        "try:\n"
        "    connection.sql('CREATE SCHEMA late')\n"
        "    print('wrote', flush=True)\n"
        "except headwater.Error as error:\n"
        "    print(error.condition, flush=True)",
    )
    with python(code, str(lake)) as holder:
        read_line(holder)
        os.kill(holder.pid, signal.SIGSTOP)
        with headwater.connect(lake, lease_seconds=3) as connection:
            _until_granted(connection)
            os.kill(holder.pid, signal.SIGCONT)
            assert holder.stdin is not None
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert read_line(holder) == "LAKE_LOCKED"


def _until_granted(connection: headwater.Connection) -> None:
    """Ask until the frozen holder's lease has run out; pytest's time limit ends a hopeless wait."""
    while True:
        try:
            connection.sql("CREATE SCHEMA IF NOT EXISTS mine")
            return
        except UserError as error:
            if error.condition != "LAKE_LOCKED":
                raise
