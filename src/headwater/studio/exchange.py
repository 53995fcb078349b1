"""Files between a browser and a volume: they pass through a folder of their own on this machine.

Law: whatever happens, that folder is removed when the statement, or the answer, is over.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from headwater.errors import HeadwaterError
from headwater.names import quote_literal
from headwater.result import Result
from headwater.service.answers import answer
from headwater.studio.desk import Desk
from headwater.studio.volume_names import volume_of

_ARRIVED = "file"


@contextmanager
def exchange_folder() -> Iterator[Path]:
    """A folder for one file, which only this user of the machine can read."""
    folder = Path(tempfile.mkdtemp(prefix="headwater-exchange-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arrived(folder: Path) -> Path:
    """Where a file of a browser is put; its own name is used in the volume only."""
    return folder / _ARRIVED


async def put(desk: Desk, folder: Path, volume: str, path: str, *, overwrite: bool) -> Result:
    """Copy what has arrived into a volume, which is given as it stands in SQL."""
    source, target = quote_literal(str(arrived(folder))), quote_literal(path)
    replace = str(overwrite).upper()
    statement = f"PUT {source} TO {volume} FILE {target} OVERWRITE = {replace}"
    return await desk.act(statement, exchange=folder)


async def download(desk: Desk, request: Request) -> Response:
    """The file of a volume that a request names, to be kept by the browser, never shown by it."""
    volume, path = volume_of(request.query_params), request.query_params.get("path", "")
    folder = Path(tempfile.mkdtemp(prefix="headwater-exchange-"))
    statement = f"GET {volume.sql} FILE {quote_literal(path)}"
    try:
        await desk.act(f"{statement} TO {quote_literal(str(folder))}", exchange=folder)
        (found,) = await run_in_threadpool(lambda: list(folder.iterdir()))
    except HeadwaterError as error:
        shutil.rmtree(folder, ignore_errors=True)
        return answer(error)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return _Sent(found)


class _Sent(FileResponse):
    """A file that is gone when it was sent, or could not be."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, media_type="application/octet-stream", filename=path.name)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            shutil.rmtree(Path(self.path).parent, ignore_errors=True)
