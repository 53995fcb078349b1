"""PUT and GET through a service: the files are of this machine, the volume is the service's.

They pass through an exchange of the service, which is removed when the statement is over. The
statement itself runs there, with the names of the files in the exchange.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headwater.client.transport import Transport
from headwater.errors import HeadwaterError, UserError
from headwater.result import Result, Row
from headwater.sql.parse import parse
from headwater.sql.tokens import tokenize
from headwater.sql.volume_files import Get, Put

_API = "/api/v1/exchanges"
_HERE = "."

Run = Callable[[str, str], Result]
"""Runs a statement of the session with an exchange."""


def moves_files(text: str) -> bool:
    """Whether a statement is PUT or GET."""
    try:
        return tokenize(text)[0].upper in ("PUT", "GET")
    except (UserError, IndexError):
        return False


def transfer(transport: Transport, run: Run, text: str) -> Result:
    """Carry a PUT or GET out."""
    exchange = transport.post(_API)
    id = exchange["id"]
    try:
        try:
            statement = parse(text)
        except HeadwaterError:
            # The service says what is wrong with it, in the same words as ever.
            return run(text, id)
        if isinstance(statement, Put):
            return _put(transport, run, statement, exchange)
        assert isinstance(statement, Get)
        return _get(transport, run, statement, id)
    finally:
        transport.delete(f"{_API}/{id}")


def _put(transport: Transport, run: Run, statement: Put, exchange: dict[str, Any]) -> Result:
    from headwater.files.local_sources import LocalSource, local_sources

    sources: dict[str, LocalSource] = {}
    for source in local_sources(statement.sources):
        name = source.path.name
        if name in sources:
            first, second = sources[name].path, source.path
            raise UserError("FILES_OF_ONE_NAME", first=first, second=second, target=name)
        sources[name] = source
    if statement.file is not None and len(sources) > 1:
        raise UserError("FILE_NAMED_FOR_SEVERAL", count=len(sources))
    if sum(source.size for source in sources.values()) > exchange["most_bytes"]:
        raise UserError("EXCHANGE_TOO_LARGE", most=exchange["most_bytes"])
    for name, source in sources.items():
        transport.send_file(f"{_API}/{exchange['id']}/files/{quote(name, safe='')}", source.path)
    done = run(replace(statement, sources=tuple(sources)).to_sql(), exchange["id"])
    rows = [(str(sources[row[0]].path), *row[1:]) for row in done.rows]
    return _with_rows(done, rows)


def _get(transport: Transport, run: Run, statement: Get, id: str) -> Result:
    from headwater.files.local_targets import LocalFolder

    folder = LocalFolder.of(statement.target)
    done = run(replace(statement, target=_HERE, overwrite=True).to_sql(), id)
    rows = []
    for source, relative, size, _, status in done.rows:
        target = folder.place(relative)
        if not statement.overwrite and os.path.lexists(target):
            status = "SKIPPED"
        else:
            folder.make_folders(target)
            _fetch(transport, f"{_API}/{id}/files/{quote(relative)}", target)
        rows.append((source, str(target), size, target.stat().st_size, status))
    return _with_rows(done, rows)


def _fetch(transport: Transport, page: str, target: Path) -> None:
    """A file is there whole, or not at all."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".headwater-")
    except OSError as error:
        raise UserError("LOCAL_FILE_UNWRITABLE", path=target, reason=error.strerror) from None
    try:
        with os.fdopen(handle, "wb") as file:
            transport.fetch_file(page, file)
        _publish(Path(name), target)
    except BaseException:
        os.unlink(name)
        raise


def _publish(made: Path, target: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    made.chmod(0o666 & ~mask)
    try:
        os.replace(made, target)
    except OSError as error:
        raise UserError("LOCAL_FILE_UNWRITABLE", path=target, reason=error.strerror) from None


def _with_rows(result: Result, rows: list[Row]) -> Result:
    return replace(result, source=rows)
