"""The outermost layer: exit codes, what is shown of errors, what is loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from headwater.cli import main as main_module
from headwater.cli import sql as sql_module
from headwater.cli.signals import Interrupt, stop_signals, undisturbed
from headwater.errors import UserError

HEAVY = {"pyspark", "py4j", "pyarrow", "pandas", "numpy", "rich", "prompt_toolkit", "alembic"}

SHOW_LOADED = """
import json, sys
from headwater.cli.main import main
sys.argv = ["headwater", *sys.argv[1:]]
try:
    main()
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def process(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headwater.cli.main", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_statements_about_metadata_load_nothing_heavy_and_an_error_ends_the_process_with_1(lake):
    script = "SHOW TABLES; SHOW SCHEMAS; CREATE SCHEMA a; DESC SCHEMA a; SELEC 1"
    command = [sys.executable, "-c", SHOW_LOADED, "sql", "--lake", str(lake), "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert loaded & HEAVY == set()
    assert "headwater" in loaded
    assert "schema a created" in done.stdout + done.stderr
    assert "UNKNOWN_STATEMENT" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


def test_help_names_every_command_and_loads_nothing_heavy():
    command = [sys.executable, "-c", SHOW_LOADED, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    for name in main_module.COMMANDS:
        assert f"\n  {name} " in done.stdout
    assert set(json.loads(done.stdout.splitlines()[-1])) & (HEAVY | {"sqlalchemy"}) == set()


def test_the_version_is_printed(run):
    assert run("--version").stdout.startswith("headwater ")


def test_the_process_ends_with_the_code_of_the_command():
    assert process("--version").returncode == 0
    assert process("sql", "--nonsense").returncode == 2


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def reached(_lake: str, *, embedded: bool) -> None:
        raise error

    monkeypatch.setattr(sql_module, "reached", reached)


def test_anything_unexpected_is_called_a_bug(run, lake, monkeypatch):
    failing(monkeypatch, ZeroDivisionError("oops"))
    done = run("sql", "--lake", lake, "-e", "SET")
    assert done.exit_code == 70
    assert done.stderr.splitlines() == [
        "BUG: this is a bug in Headwater: ZeroDivisionError('oops')",
        "hint: run it again with --debug and report what it prints",
    ]


@pytest.mark.parametrize("place", ["before", "behind", "environment"])
def test_debug_shows_the_trace_wherever_it_stands(run, lake, monkeypatch, place):
    failing(monkeypatch, ZeroDivisionError("oops"))
    arguments = ["sql", "--lake", lake, "-e", "SET"]
    if place == "environment":
        monkeypatch.setenv("HEADWATER_DEBUG", "1")
    else:
        arguments.insert(0 if place == "before" else 1, "--debug")
    done = run(*arguments)
    assert done.exit_code == 70
    assert "Traceback (most recent call last)" in done.stderr


def test_the_detail_of_an_error_is_for_debugging_only(run, lake, monkeypatch):
    failing(monkeypatch, UserError("TABLE_NOT_FOUND", table="t", detail="at org.apache.spark.X"))
    quiet = run("sql", "--lake", lake, "-e", "SET")
    assert quiet.stderr == "TABLE_NOT_FOUND: there is no table or view 't'\n"
    assert "org.apache.spark" in run("--debug", "sql", "--lake", lake, "-e", "SET").stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (Interrupt(signal.SIGTERM, outcome="job 1 was cancelled"), 143, "job 1 was cancelled\n"),
        (click.UsageError("no"), 2, None),
    ],
)
def test_how_it_ended_is_the_exit_code(run, lake, monkeypatch, error, code, said):
    failing(monkeypatch, error)
    done = run("sql", "--lake", lake, "-e", "SET")
    assert done.exit_code == code
    assert said is None or done.stderr == said


def test_a_reader_that_goes_away_is_no_error_to_talk_about(lake):
    command = [sys.executable, "-m", "headwater.cli.main", "sql", "--lake", str(lake)]
    command += ["-e", "SHOW SCHEMAS; " * 5]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(write)
    assert done.stderr == ""
    assert done.returncode == 128 + signal.SIGPIPE


def test_a_full_disk_is_an_error_of_the_output(lake):
    command = [sys.executable, "-m", "headwater.cli.main", "sql", "--lake", str(lake)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command, "-e", "SHOW SCHEMAS"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.stderr.startswith("OUTPUT_NOT_WRITABLE: ")
    assert len(done.stderr.splitlines()) == 1
    assert done.returncode == 1


def test_a_terminating_signal_is_an_exception_inside():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupt) as caught, stop_signals():
        signal.raise_signal(signal.SIGTERM)
    assert caught.value.number == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


def test_giving_the_lake_back_is_not_disturbed():
    with stop_signals(), undisturbed():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.raise_signal(number)
