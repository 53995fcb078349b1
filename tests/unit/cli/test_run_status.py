"""What `headwater run` says, on a terminal and elsewhere, and how it ends; without Spark."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.catalog.samples import START, a_pipe
from tests.unit.pipes.fake_spark import table_of

import headwater
from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.pipes import PipeStatus
from headwater.catalog.schedules import ScheduledTable
from headwater.cli.run_status import RunStatus
from headwater.names import QualifiedName
from headwater.pipes.batches import FileBatch
from headwater.pipes.loop import Told
from headwater.schedule.loop import Told as ScheduleTold
from headwater.schedule.waves import Held


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen(stream: io.StringIO) -> list[str]:
    """The lines a user sees: what a terminal makes of the text."""
    lines = stream.getvalue().split("\n")
    return [line.rpartition("\r\x1b[K")[2] for line in lines]


def load(status: RunStatus, number: int = 1) -> None:
    opened = SimpleNamespace(pipe=a_pipe())
    status.loaded(opened, FileBatch("p", number, ()), "5 rows loaded")  # type: ignore[arg-type]


def test_each_batch_is_a_line_with_its_time() -> None:
    stream = io.StringIO()
    load(RunStatus(stream))
    expected = r"\d\d:\d\d:\d\d  pipe public\.intake, batch 1: 5 rows loaded\n"
    assert re.fullmatch(expected, stream.getvalue())


def test_on_a_terminal_the_last_line_says_what_is_going_on() -> None:
    stream = Terminal()
    status = RunStatus(stream)
    status.show(Told(pipes=2, busy=1))
    assert screen(stream) == ["2 pipes running, 1 at work, batches loaded: 0"]
    load(status)
    lines = screen(stream)
    assert lines[0].endswith("batch 1: 5 rows loaded")
    status.show(Told(pipes=1))
    assert screen(stream)[1:] == ["1 pipe running, 0 at work, batches loaded: 1"]
    status.close()
    assert screen(stream)[1:] == [""]


def test_the_last_line_is_written_when_it_changes() -> None:
    stream = Terminal()
    status = RunStatus(stream)
    status.show(Told(pipes=1))
    once = stream.getvalue()
    status.show(Told(pipes=1))
    assert stream.getvalue() == once


def test_in_a_file_there_is_no_last_line() -> None:
    stream = io.StringIO()
    status = RunStatus(stream)
    status.show(Told(pipes=2))
    status.close()
    assert stream.getvalue() == ""


def test_who_holds_the_lake_is_said_once_until_it_changes() -> None:
    stream = io.StringIO()
    status = RunStatus(stream)
    for who in ("ann holds it", "ann holds it", "bob holds it"):
        status.show(Told(waiting_for=who))
    status.show(Told(pipes=1))
    status.show(Told(waiting_for="bob holds it"))
    said = ["waiting: ann holds it", "waiting: bob holds it", "waiting: bob holds it", ""]
    assert stream.getvalue().split("\n") == said


def test_quiet_says_nothing() -> None:
    stream = Terminal()
    status = RunStatus(stream, quiet=True)
    status.show(Told(pipes=2))
    status.show(Told(waiting_for="ann"))
    load(status)
    status.close()
    assert stream.getvalue() == ""


def test_invalid_pipes_are_named_with_their_reason() -> None:
    stream = io.StringIO()
    broken = replace(a_pipe(), status=PipeStatus.INVALID, invalid_reason="its table is gone")
    RunStatus(stream).say_invalid([a_pipe("well"), broken])
    assert stream.getvalue() == "pipe public.intake is INVALID: its table is gone\n"


def test_pipes_that_fail_are_named_when_they_do_and_at_the_end() -> None:
    stream = io.StringIO()
    failing = replace(a_pipe(), failures=2, last_error="STORE_BUSY: not now")
    status = RunStatus(stream)
    status.pipe_failed(replace(failing, failures=1))
    status.say_invalid([failing, replace(failing, status=PipeStatus.PAUSED)])
    first, last = stream.getvalue().splitlines()
    assert first[10:] == "pipe public.intake failed 1 time in a row: STORE_BUSY: not now"
    assert last == "pipe public.intake failed 2 times in a row: STORE_BUSY: not now"
    status.pipe_failed(failing)
    status.say_invalid([failing])
    assert len(stream.getvalue().splitlines()) == 3, "it was said twice"
    quiet = RunStatus(io.StringIO(), quiet=True)
    quiet.pipe_failed(failing)
    quiet.say_invalid([failing])
    assert quiet.stream.getvalue() == f"{last}\n"  # type: ignore[attr-defined]


@pytest.fixture
def piped(lake: Path, tmp_path: Path) -> Path:
    """A lake with a pipe whose table is dropped later by the test, or that has nothing to do."""
    (tmp_path / "in").mkdir()
    with headwater.connect(lake) as connection:
        table_of(connection.session.lake)
        connection.sql(
            "CREATE STORAGE CONNECTION c TYPE FILE;"
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{tmp_path}/in/' USING CONNECTION c;"
            "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS COPY INTO t"
            " FROM VOLUME v (line STRING) USING CSV PURGE = TRUE"
        )
    return lake


def test_run_until_idle_ends_when_there_is_nothing_to_load(run, piped: Path) -> None:
    done = run("run", "--lake", piped, "--until-idle")
    assert (done.exit_code, done.output) == (0, "")


def test_run_until_idle_names_a_pipe_that_cannot_go_on(run, piped: Path) -> None:
    with headwater.connect(piped) as connection:
        lake = connection.session.lake
        table = lake.store.tables.get("headwater", "public", "t")
        lake.store.tables.drop(table, table.created_at)
    done = run("run", "--lake", piped, "--until-idle")
    assert done.stderr.count("pipe public.p is INVALID: PIPE_TARGET_GONE: ") == 1


def test_run_until_idle_does_not_wait_for_another_process(run, piped: Path) -> None:
    from headwater.config import load_config
    from headwater.runtime.lake_folder import LakeFolder
    from headwater.runtime.open_lake import OpenLake

    other = OpenLake(LakeFolder(piped), load_config(piped))
    other.writer.ensure()
    try:
        done = run("run", "--lake", piped, "--until-idle")
    finally:
        other.close()
    assert done.exit_code == 1
    assert done.stderr.startswith("LAKE_LOCKED")


def test_a_folder_that_is_no_lake_is_left_alone(run, tmp_path: Path) -> None:
    done = run("run", "--lake", tmp_path / "nothing", "--until-idle")
    assert done.stderr.startswith("LAKE_NOT_FOUND")
    assert not (tmp_path / "nothing").exists()


def a_scheduled_table(**changes: object) -> ScheduledTable:
    made = ScheduledTable("d", QualifiedName("headwater", "public", "d"), schedule=Schedule())
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_last_line_tells_of_refreshes_when_tables_have_schedules() -> None:
    stream = Terminal()
    status = RunStatus(stream)
    status.show(Told(pipes=1))
    held = Held(a_scheduled_table(), START, "its last refresh is not over")
    status.show_schedule(ScheduleTold(tables=3, busy=2, held=(held,)))
    assert screen(stream)[-1] == (
        "1 pipe running, 0 at work, batches loaded: 0;"
        " 3 tables scheduled, 2 at work, 1 waiting, refreshes: 0"
    )
    status.refreshed(a_scheduled_table(), "dynamic table public.d refreshed: NO_DATA")
    status.show_schedule(ScheduleTold(tables=1))
    assert re.search(
        r"\d\d:\d\d:\d\d  dynamic table public.d refreshed: NO_DATA\n", stream.getvalue()
    )
    assert screen(stream)[-1].endswith("; 1 table scheduled, 0 at work, refreshes: 1")


def test_what_was_not_refreshed_is_a_line_with_the_reason() -> None:
    stream = io.StringIO()
    RunStatus(stream).failed(a_scheduled_table(), "X: no")
    assert stream.getvalue().endswith("  dynamic table public.d not refreshed: X: no\n")


def test_at_the_end_tables_are_named_that_fail_or_are_suspended() -> None:
    stream = io.StringIO()
    suspended = a_scheduled_table(failures=5, suspended=True, suspended_reason="5 failed")
    by_the_user = a_scheduled_table(suspended=True)
    tables = [a_scheduled_table(), a_scheduled_table(failures=2), suspended, by_the_user]
    RunStatus(stream, quiet=True).say_failing(tables)
    assert stream.getvalue() == (
        "dynamic table public.d failed 2 times in a row\n"
        "dynamic table public.d is suspended: 5 failed\n"
    )
