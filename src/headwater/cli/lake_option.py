"""The `--lake` option: the folder given, else HEADWATER_LAKE, else the current folder if a lake."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater.cli.signals import undisturbed
from headwater.config import FILE_NAME
from headwater.errors import HeadwaterError, UserError

if TYPE_CHECKING:
    from headwater.client.local_service import LocalService
    from headwater.dbapi import Connection

VARIABLE = "HEADWATER_LAKE"
TOKEN_VARIABLE = "HEADWATER_TOKEN"  # noqa: S105 - the name of the variable, not a token
CA_VARIABLE = "HEADWATER_CA_FILE"

lake_option: Callable[[Any], Any] = click.option(
    "--lake",
    envvar=VARIABLE,
    metavar="DIR",
    help=f"The lake folder; default: {VARIABLE}, else the current folder.",
)


embedded_option: Callable[[Any], Any] = click.option(
    "--embedded", is_flag=True, help="Open the lake in this process, even if a service runs it."
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


@contextmanager
def reached(given: str | None, *, embedded: bool, create: bool = True) -> Iterator[Connection]:
    """A connection to the lake: through the service that runs it, if there is one, else our own.

    `given` may also be the address of a service; the token is then in HEADWATER_TOKEN.
    """
    from headwater.dbapi import connect

    ca_file = os.environ.get(CA_VARIABLE)
    if given is not None and given.startswith(("http://", "https://")):
        connection = connect(given, token=os.environ.get(TOKEN_VARIABLE), ca_file=ca_file)
    else:
        folder = lake_folder(given)
        service = None if embedded else _service_of(folder)
        if service is None:
            with opened(folder, create=create) as own:
                yield own
            return
        connection = connect(service.url, token=service.token, ca_file=ca_file)
    try:
        yield connection
    finally:
        with undisturbed():
            connection.close()


def _service_of(folder: Path) -> LocalService | None:
    """The service that runs a lake; what cannot be read for it is reported by opening the lake."""
    from headwater.client.local_service import find_service

    try:
        return find_service(folder)
    except HeadwaterError:
        return None
