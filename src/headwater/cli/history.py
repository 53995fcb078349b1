"""The shell's history file: readable by its owner only, and without any credential."""

from __future__ import annotations

import os
from pathlib import Path

import click
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from headwater.sql.masking import mask


def history_file() -> Path:
    """`$XDG_STATE_HOME/headwater/history`."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "headwater" / "history"


def open_history() -> History:
    """The history of earlier shells; kept in memory only where no file can be."""
    path = history_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
        finally:
            os.close(descriptor)
    except OSError as error:
        click.echo(f"history is not kept: {path}: {error.strerror}", err=True)
        return InMemoryHistory()
    return MaskedHistory(str(path))


class MaskedHistory(FileHistory):
    """Keeps statements as typed for this shell, and masked for the next one."""

    def store_string(self, string: str) -> None:
        """Write one entry to the file."""
        super().store_string(mask(string))
