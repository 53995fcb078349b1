"""`headwater run` as a process of its own, stopped, killed, and started twice on one lake."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.processes import PATIENCE, java_children, lives, wait_for

import headwater

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("short_spark"),
]

COMMAND = [sys.executable, "-m", "headwater.cli.main", "run"]
# Nothing is found by polling: what is loaded was asked for, or found by the first look.
SETTINGS = """
[lake]
lease_seconds = 3

[pipes]
poll_seconds = 3600

[spark.conf]
"""
CSV = "(id INT, name STRING) USING CSV PURGE = TRUE"


@dataclass(frozen=True, slots=True)
class Watched:
    """A lake that another process works on; nothing here starts Spark or writes tables."""

    path: Path
    files: Path
    lake: headwater.Connection

    def drop_file(self, pipe: str, name: str) -> None:
        """Put a file of one row into the folder of a pipe, as a whole."""
        hidden = self.files / pipe / f".{name}"
        hidden.write_text("1,lamp\n")
        hidden.rename(self.files / pipe / name)

    def told(self, pipe: str) -> dict[str, Any]:
        """What DESC PIPE says."""
        return dict(self.lake.sql(f"DESC PIPE EXTENDED {pipe}").rows)

    def wait_for_rows(self, pipe: str, count: int) -> None:
        """Until a pipe has loaded so many rows, and not one more."""
        wait_for(lambda: int(self.told(pipe)["rows_loaded"]) >= count, f"{count} rows by {pipe}")
        assert int(self.told(pipe)["rows_loaded"]) == count

    @property
    def holder(self) -> str | None:
        """Who holds the lake."""
        lease = self.lake.session.lake.store.lease.get()
        return None if lease is None else lease.holder


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    """Pipes `p` and `q`, each with a folder."""
    path, files = tmp_path / "lake", tmp_path / "files"
    with headwater.connect(path) as lake:
        lake.sql("CREATE STORAGE CONNECTION c TYPE FILE; CREATE TABLE t (id INT, name STRING)")
        for name in ("p", "q"):
            (files / name).mkdir(parents=True)
            lake.sql(
                f"CREATE EXTERNAL VOLUME {name} LOCATION 'file://{files}/{name}/'"
                f" USING CONNECTION c; CREATE PIPE {name} VIRTUAL_CLUSTER = 'default'"
                f" INGEST_MODE = 'LIST_PURGE' AS COPY INTO t FROM VOLUME {name} {CSV}"
            )
    (path / "headwater.toml").write_text(SETTINGS)
    with headwater.connect(path) as lake:
        yield Watched(path, files, lake)


@contextmanager
def running(watched: Watched, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`headwater run` on the lake; killed at the end if it still runs."""
    command = [*COMMAND, "--lake", str(watched.path), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def stop(process: subprocess.Popen[str]) -> str:
    """SIGTERM; the process ends well and leaves no JVM. Gives back what it said."""
    jvms = java_children(process.pid)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "Traceback" not in said
    for jvm in jvms:
        wait_for(lambda jvm=jvm: not lives(jvm), f"the JVM {jvm} to end")  # type: ignore[misc]
    return said


def test_until_idle_loads_what_is_there_and_ends(watched: Watched) -> None:
    watched.drop_file("p", "a.csv")
    watched.drop_file("q", "b.csv")
    (watched.files / "q" / "c.csv").write_text("x,broken\n")
    with running(watched, "--until-idle") as process:
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    watched.wait_for_rows("p", 1)
    assert sorted(path.name for path in watched.files.rglob("*.csv")) == ["b.csv", "c.csv"]
    assert "pipe public.p, batch 1: 1 row loaded" in said
    assert "pipe public.q is INVALID: FILE_UNREADABLE" in said
    assert "c.csv" in said
    assert watched.holder is None


def test_it_loads_what_comes_until_it_is_stopped(watched: Watched) -> None:
    with running(watched) as process:
        watched.drop_file("p", "a.csv")
        watched.lake.sql("ALTER PIPE p REFRESH")
        watched.wait_for_rows("p", 1)
        assert process.poll() is None
        # Another process asks for a look, and it is taken at once.
        watched.drop_file("p", "b.csv")
        watched.lake.sql("ALTER PIPE p REFRESH")
        watched.wait_for_rows("p", 2)
        # A pipe that another process pauses is left alone while its neighbour works.
        watched.lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")
        for number in range(2):
            watched.drop_file("p", f"{number}.csv")
            watched.drop_file("q", f"{number}.csv")
            watched.lake.sql("ALTER PIPE q REFRESH")
            watched.wait_for_rows("q", number + 1)
        assert watched.told("p")["rows_loaded"] == "2"
        watched.lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
        watched.wait_for_rows("p", 4)
        said = stop(process)
    assert "pipe public.p, batch 1: 1 row loaded" in said
    assert watched.holder is None
    assert watched.lake.sql("SELECT count(*) AS n FROM t").to_dicts() == [{"n": 6}]
    assert list(watched.files.rglob("*.csv")) == []


def test_of_two_one_works_and_the_other_takes_over(watched: Watched) -> None:
    with running(watched) as first:
        watched.drop_file("p", "a.csv")
        watched.lake.sql("ALTER PIPE p REFRESH")
        watched.wait_for_rows("p", 1)
        holder = watched.holder
        with running(watched) as second:
            assert second.stderr is not None
            assert second.stderr.readline().startswith("waiting: ")
            watched.drop_file("p", "b.csv")
            watched.lake.sql("ALTER PIPE p REFRESH")
            watched.wait_for_rows("p", 2)
            assert watched.holder == holder
            assert java_children(second.pid) == []
            (jvm,) = java_children(first.pid)
            first.kill()
            wait_for(lambda: not lives(jvm), "the JVM of the first to end")
            watched.drop_file("p", "c.csv")
            watched.lake.sql("ALTER PIPE p REFRESH")
            watched.wait_for_rows("p", 3)
            assert watched.holder not in (None, holder)
            said = stop(second)
            assert "pipe public.p, batch 3: 1 row loaded" in said
    assert watched.lake.sql("SELECT count(*) AS n FROM t").to_dicts() == [{"n": 3}]
