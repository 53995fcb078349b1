"""The `--lake` option: the folder given, else HEADWATER_LAKE, else the current folder if a lake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater.cli.signals import undisturbed
from headwater.config import FILE_NAME
from headwater.errors import UserError

if TYPE_CHECKING:
    from headwater.dbapi import Connection

VARIABLE = "HEADWATER_LAKE"

lake_option: Callable[[Any], Any] = click.option(
    "--lake",
    envvar=VARIABLE,
    metavar="DIR",
    help=f"The lake folder; default: {VARIABLE}, else the current folder.",
)


def lake_folder(given: str | None) -> Path:
    """The lake to use; an error that says how to name one if there is none."""
    folder = lake_folder_if_any(given)
    if folder is None:
        raise UserError("LAKE_NOT_GIVEN", folder=Path.cwd())
    return folder


def lake_folder_if_any(given: str | None) -> Path | None:
    """The lake to use, or None when none was named and the current folder is none."""
    if given:
        return Path(given)
    here = Path.cwd()
    return here if (here / FILE_NAME).exists() else None


@contextmanager
def opened(folder: Path, **config: Any) -> Iterator[Connection]:
    """A connection to the lake, given back whatever happens; `config` as for connect()."""
    from headwater.dbapi import connect

    connection = connect(folder, **config)
    try:
        yield connection
    finally:
        with undisturbed():
            connection.close()
