"""The line on a terminal while a statement runs."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

import headwater
from headwater.cli import progress
from headwater.cli.progress import progress_line
from headwater.cli.statement_thread import StatementThread
from headwater.storage.local_files import LocalFiles


class Terminal(io.StringIO):
    """What is printed where a person looks."""

    def isatty(self) -> bool:
        return True


Open = Callable[[], Terminal]
Copy = Callable[..., None]


@pytest.fixture
def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Makes one of the standard error, which the line uses without waiting for a second.

    By the test itself, because pytest sets the standard error between fixtures and test.
    """
    return lambda: _terminal(monkeypatch)


def _terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.05)
    monkeypatch.setattr(progress, "_EVERY_SECONDS", 0.02)
    return made


def shown(terminal: Terminal, tasks: tuple[int, int] | None) -> str:
    """What a statement leaves on the terminal that ends when its progress was asked for twice."""
    done, asked = threading.Event(), []

    def counted() -> tuple[int, int]:
        asked.append(done)
        if len(asked) == 2:
            done.set()
        if tasks is None:
            raise RuntimeError("the engine is gone")
        return tasks

    wait = progress_line(counted, wanted=True)
    assert wait is not None
    wait(done)
    return terminal.getvalue()


def test_it_says_how_many_tasks_are_done_and_for_how_long_it_runs(open_terminal: Open) -> None:
    assert re.search(r"3/8 tasks  \d+ s", shown(open_terminal(), tasks=(3, 8)))


def test_before_the_tasks_are_known_it_says_the_time_alone(open_terminal: Open) -> None:
    text = shown(open_terminal(), tasks=(0, 0))
    assert re.search(r" \d+ s", text)
    assert "tasks" not in text


def test_what_cannot_be_counted_fails_no_statement(open_terminal: Open) -> None:
    assert re.search(r" \d+ s", shown(open_terminal(), tasks=None))


def test_a_statement_that_is_soon_done_shows_no_line(open_terminal: Open) -> None:
    terminal = open_terminal()
    wait = progress_line(lambda: (1, 2), wanted=True)
    assert wait is not None
    done = threading.Event()
    done.set()
    wait(done)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("way", ["PUT", "GET"])
def test_the_files_of_put_and_get_are_counted(
    lake: Path, tmp_path: Path, open_terminal: Open, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    terminal = open_terminal()
    local, back = tmp_path / "local", tmp_path / "back"
    for folder in (local, back):
        folder.mkdir()
    for number in range(3):
        (local / f"{number}.csv").write_text("1\n")
    statements = {
        "PUT": f"PUT '{local}/*' TO USER VOLUME PARALLEL = 1",
        "GET": f"GET USER VOLUME TO '{back}' PARALLEL = 1",
    }
    with headwater.connect(lake, user="tester") as connection:
        if way == "GET":
            connection.sql(statements["PUT"])
        copy_once_seen(monkeypatch, terminal)
        wait = progress_line(connection.progress, wanted=True)
        thread = StatementThread(connection, wait=wait)
        (done,) = thread.run(statements[way])
    assert len(done.result.rows) == 3
    assert [f"{n}/3 tasks" in terminal.getvalue() for n in range(3)] == [True] * 3


def copy_once_seen(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    """Let each copy wait until the line says how many were done before it."""
    begun = count()
    for name in ("put", "get"):
        copy = getattr(LocalFiles, name)

        def patient(self: LocalFiles, *paths: object, copy: Copy = copy) -> None:
            said = f"{next(begun)}/3 tasks"
            deadline = time.monotonic() + 20
            while said not in terminal.getvalue() and time.monotonic() < deadline:
                time.sleep(0.01)
            copy(self, *paths)

        monkeypatch.setattr(LocalFiles, name, patient)
