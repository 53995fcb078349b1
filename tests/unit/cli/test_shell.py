"""The interactive shell, typed into through a pipe that stands for the terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from pygments.token import Keyword, Name, String

import headwater
from headwater.catalog.objects import Table, TableColumn, TableKind, TableShape, TableState
from headwater.cli.catalog_words import StoredWords
from headwater.cli.completion import SqlCompleter
from headwater.cli.highlight import HeadwaterLexer
from headwater.cli.history import history_file, open_history
from headwater.cli.shell_commands import HELP
from headwater.cli.shell_loop import Shell, may_run
from headwater.errors import UserError
from headwater.result import Result

CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"


@pytest.fixture
def type_in(lake, capsys):
    """Types into a shell until it has ended; gives back what it printed."""

    def typed(*keys: str, history=None):
        with create_pipe_input() as source, headwater.connect(lake) as connection:
            for piece in keys:
                source.send_text(piece)
            shell = Shell(
                connection, history or InMemoryHistory(), source=source, terminal=DummyOutput()
            )
            shell.run()
        return capsys.readouterr()

    return typed


def test_a_statement_runs_at_its_semicolon(type_in):
    shown = type_in("SHOW SCHEMAS;\r", CTRL_D)
    assert "| public      |" in shown.out
    assert "1 row in 0." in shown.err


def test_a_statement_may_take_several_lines(type_in):
    shown = type_in("SHOW\r", "SCHEMAS\r", "LIKE 'pub%'\r", ";\r", CTRL_D)
    assert "| public      |" in shown.out


def test_several_statements_may_stand_on_a_line(type_in):
    shown = type_in("CREATE SCHEMA a; SHOW SCHEMAS LIKE 'a';\r", CTRL_D)
    assert shown.out.startswith("schema a created\n+--")


def test_an_error_does_not_end_the_shell(type_in):
    shown = type_in("SELEC 1;\r", "SHOW SCHEMAS;\r", CTRL_D)
    assert "line 1: SELEC 1\n        ^^^^^" in shown.err
    assert "| public " in shown.out


def test_control_c_clears_the_line(type_in):
    shown = type_in("SHOW SCHE", CTRL_C, "SHOW SCHEMAS;\r", CTRL_D)
    assert shown.out.count("| public ") == 1
    assert "SYNTAX" not in shown.err


def test_control_c_cancels_the_running_statement_only(lake, monkeypatch, capsys):
    running, cancelled = threading.Event(), threading.Event()

    def statements(script):
        if "WAIT" in script:
            running.set()
            assert cancelled.wait(10)
            raise UserError("JOB_CANCELLED", job_id="42")
        yield Result(message=script)

    def press() -> None:
        assert running.wait(10)
        time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with create_pipe_input() as source, headwater.connect(lake) as connection:
        monkeypatch.setattr(connection, "statements", statements)
        monkeypatch.setattr(connection, "cancel", cancelled.set)
        source.send_text("WAIT;\r" + "GO ON;\r" + CTRL_D)
        threading.Thread(target=press, daemon=True).start()
        Shell(connection, InMemoryHistory(), source=source, terminal=DummyOutput()).run()
    shown = capsys.readouterr()
    assert "JOB_CANCELLED: job 42 was cancelled" in shown.err
    assert "GO ON;" in shown.out


@pytest.mark.parametrize("word", ["\\q", "exit", "quit", "EXIT;", "quit ;"])
def test_there_are_words_to_leave(type_in, word):
    shown = type_in(f"{word}\r", "SHOW SCHEMAS;\r")
    assert shown.out == ""


@pytest.mark.parametrize("word", ["\\?", "help", "HELP;"])
def test_there_is_help(type_in, word):
    assert HELP in type_in(f"{word}\r", CTRL_D).out


def test_short_commands_are_statements(type_in):
    shown = type_in("\\dn\r", "\\dt\r", "\\d\r", "\\dt public\r", "\\d nothing\r", CTRL_D)
    assert shown.out.count("| schema_name |\n") == 1
    assert shown.out.count("| schema_name | table_name |") == 3
    assert "line 1: DESC nothing\n             ^^^^^^^" in shown.err


def test_the_format_can_be_changed(type_in):
    shown = type_in("\\format json\r", "SHOW SCHEMAS;\r", "\\format xml\r", CTRL_D)
    assert '[{"schema_name": "public"}]' in shown.out
    assert "\\format takes one of table, json, csv" in shown.err


def test_timing_can_be_switched_off(type_in):
    shown = type_in("\\timing\r", "SHOW SCHEMAS;\r", CTRL_D)
    assert "timing is off" in shown.out
    assert "row in" not in shown.err


def test_a_command_that_does_not_exist_is_an_error(type_in):
    assert "there is no command \\x" in type_in("\\x\r", CTRL_D).err


def test_a_file_can_be_run(type_in, tmp_path):
    file = tmp_path / "some script.sql"
    file.write_text("CREATE SCHEMA a;\nSHOW SCHEMAS", encoding="utf-8")
    assert "| a " in type_in(f"\\i {file}\r", CTRL_D).out
    assert "SCRIPT_NOT_FOUND" in type_in("\\i none.sql\r", CTRL_D).err


def test_use_changes_the_prompt_and_what_names_mean(type_in):
    shown = type_in("CREATE SCHEMA a;\r", "USE a;\r", "DROP SCHEMA a;\r", CTRL_D)
    assert "SCHEMA_IN_USE" in shown.err


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT ';", False),
        ("SELECT 1 -- ;", False),
        ("SELECT 1 /* ;", False),
        ("\\d orders", True),
        ("exit", True),
        ("exit this", False),
    ],
)
def test_enter_runs_what_is_complete(text, runs):
    assert may_run(text) is runs


def test_history_is_private_and_holds_no_credential(type_in):
    secret = "CREATE THING c ACCESS_KEY = 'geheim123';\r"
    type_in(secret, "SHOW SCHEMAS;\r", CTRL_D, history=open_history())
    file = history_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    text = file.read_text(encoding="utf-8")
    assert "SHOW SCHEMAS" in text
    assert "CREATE THING c" in text
    assert "geheim123" not in text


def test_history_of_an_earlier_shell_can_be_called_back(type_in):
    type_in("SHOW SCHEMAS;\r", CTRL_D, history=open_history())
    assert "| public " in type_in(UP, "\r", CTRL_D, history=open_history()).out


def test_a_history_file_open_to_others_is_closed(type_in):
    file = history_file()
    file.parent.mkdir(parents=True)
    file.touch(mode=0o644)
    open_history()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_shell_works_without_a_place_for_history(monkeypatch, tmp_path, type_in):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "taken"))
    shown = type_in("SHOW SCHEMAS;\r", CTRL_D, history=open_history())
    assert "history is not kept" in shown.err
    assert "| public " in shown.out


def a_view(name: str, *columns: str) -> Table:
    at = datetime(2026, 11, 15, tzinfo=UTC)
    return Table(
        id=name,
        workspace="headwater",
        schema="public",
        name=name,
        kind=TableKind.VIEW,
        state=TableState.ACTIVE,
        creator="ada",
        created_at=at,
        modified_at=at,
        shape=TableShape(columns=tuple(TableColumn(column, "string") for column in columns)),
        view_text="SELECT 1",
        view_schema="public",
    )


def test_completion_knows_the_catalog_without_a_job_and_sees_changes(lake):
    with headwater.connect(lake) as connection:
        words = StoredWords(connection)
        completer = SqlCompleter(words)

        def completions(text: str) -> list[str]:
            event = CompleteEvent(completion_requested=True)
            return [c.text for c in completer.get_completions(Document(text), event)]

        assert completions("SELECT * FROM rec") == []
        connection.session.lake.store.tables.insert_active(a_view("recent", "id", "amount"))
        words.refresh()
        assert completions("SELECT * FROM rec") == ["recent"]
        assert completions("SELECT recent.am") == ["amount"]
        assert completions("USE ") == ["public"]
        assert completions("\\d rec") == []
        jobs = connection.sql("SHOW JOBS").rows
        assert len(jobs) == 1


def test_completion_replaces_what_was_typed():
    class Nothing:
        def schemas(self):
            return ()

        def tables(self, _schema):
            return ()

        def columns(self, _schema, _table):
            return ()

    event = CompleteEvent(text_inserted=True)
    found = list(SqlCompleter(Nothing()).get_completions(Document("sho"), event))
    assert {c.start_position for c in found} == {-3}
    assert list(SqlCompleter(Nothing()).get_completions(Document("SELECT "), event)) == []


def test_colours_know_our_keywords_and_quotes():
    tokens = [
        (kind, text)
        for kind, text in HeadwaterLexer().get_tokens("UNDROP TABLE `a b`; SELECT 'it\\'s' FROM t")
        if text.strip()
    ]
    assert (Keyword, "UNDROP") in tokens
    assert (Name, "`a b`") in tokens
    assert (String.Single, "'it\\'s'") in tokens
    assert (Name, "t") in tokens


def test_without_a_terminal_the_shell_runs_standard_input(run, lake):
    done = run("shell", "--lake", lake, input="CREATE SCHEMA a; SHOW SCHEMAS;")
    assert done.exit_code == 0
    assert done.stdout.startswith("schema a created\n+--")
    assert run("shell", "--lake", lake, input="SELEC 1").exit_code == 1


def test_a_terminated_shell_gives_the_lake_and_the_terminal_back(lake):
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "headwater.cli.main", "shell", "--lake", str(lake)]
    # Nobody answers at the other end; otherwise the prompt would wait for that.
    environment = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1"}
    process = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    )
    os.close(terminal)
    printed = bytearray()

    def drain() -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(controller, 4096):
                printed.extend(piece)

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    try:
        wait_for(lambda: b"public>" in printed)
        os.write(controller, b"CREATE SCHEMA a;\r")
        wait_for(lambda: b"schema a created" in printed)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.wait()
        reader.join(timeout=5)
        os.close(controller)
    assert b"Traceback" not in printed
    # bracketed paste is switched off again, as at every end of a prompt
    assert printed.rindex(b"\x1b[?2004l") > printed.rindex(b"\x1b[?2004h")
    with headwater.connect(lake) as connection:
        lease = connection.session.lake.store.lease.get()
        assert lease is not None
        assert lease.holder is None


def wait_for(condition, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_the_state_folder_is_the_users(monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert history_file() == Path("/home/ada/.local/state/headwater/history")
