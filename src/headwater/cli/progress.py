"""A line on the terminal while a statement runs: Spark tasks done of those known, and the time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from headwater.cli.statement_thread import Wait

Tasks = Callable[[], tuple[int, int]]

_QUIET_SECONDS = 1.0
_EVERY_SECONDS = 0.25


def progress_line(tasks: Tasks, *, wanted: bool) -> Wait | None:
    """How to wait for a statement: with a line after a second; None where nobody would see it."""
    if not wanted or not sys.stderr.isatty():
        return None
    return lambda done: _wait(done, tasks)


def _wait(done: threading.Event, tasks: Tasks) -> None:
    started = time.monotonic()
    if done.wait(_QUIET_SECONDS):
        return
    # Loaded now, because most statements are done by now.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    line = Progress(
        *columns,
        console=console,
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with line:
        shown = line.add_task("", total=None)
        while not done.wait(_EVERY_SECONDS):
            finished, known = _counted(tasks)
            text = f"{_tasks_text(finished, known)}{time.monotonic() - started:.0f} s"
            line.update(shown, completed=finished, total=known or None, description=text)
            line.refresh()


def _counted(tasks: Tasks) -> tuple[int, int]:
    try:
        return tasks()
    except Exception:
        # A display must not fail the statement it shows.
        return 0, 0


def _tasks_text(finished: int, known: int) -> str:
    return f"{finished}/{known} tasks  " if known else ""
