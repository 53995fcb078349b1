"""One process writes a lake; others may read it, and take over when it is gone."""

from __future__ import annotations

import os
import shutil
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from tests.processes import python, read_line

import headwater
from headwater.errors import UserError
from headwater.runtime import open_lake
from headwater.runtime.clock import now

HOLD = """
import sys, headwater
connection = headwater.connect(sys.argv[1])
connection.sql("CREATE SCHEMA held")
print("holding", flush=True)
sys.stdin.read()
connection.close()
"""


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_lake, tmp_path / "lake")


def test_a_second_writer_is_told_who_holds_the_lake_and_gets_it_when_the_first_closes(
    lake: Path,
) -> None:
    with python(HOLD, str(lake)) as holder:
        assert read_line(holder) == "holding"
        with headwater.connect(lake) as connection:
            with pytest.raises(UserError, match="LAKE_LOCKED") as caught:
                connection.sql("CREATE SCHEMA mine")
            assert str(holder.pid) in str(caught.value)
            assert [row[0] for row in connection.sql("SHOW SCHEMAS")] == ["held", "public"]
            holder.communicate()
            connection.sql("CREATE SCHEMA mine")


def test_a_killed_writer_is_taken_over_at_once(lake: Path) -> None:
    with python(HOLD, str(lake)) as holder:
        read_line(holder)
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        with headwater.connect(lake) as connection:
            connection.sql("CREATE SCHEMA mine")
            assert connection.session.lake.writer.fencing == 2


def test_a_frozen_writer_loses_the_lake_and_cannot_write_when_it_wakes(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = HOLD.replace(
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
        with headwater.connect(lake) as connection, pytest.raises(UserError, match="LAKE_LOCKED"):
            connection.sql("CREATE SCHEMA mine")
        # For us the holder's lease has run out, without the wait.
        monkeypatch.setattr(open_lake, "now", lambda: now() + timedelta(seconds=31))
        with headwater.connect(lake) as connection:
            connection.sql("CREATE SCHEMA mine")
            os.kill(holder.pid, signal.SIGCONT)
            assert holder.stdin is not None
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert read_line(holder) == "LAKE_LOCKED"
