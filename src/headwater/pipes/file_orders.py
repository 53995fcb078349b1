"""What a user wants of one file of a pipe: to leave it alone, or to try it again.

An order is a row of the load history. It holds for the file as it is: one that replaces it is new.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.catalog.load_history import LoadedFile, LoadStatus, skip_order
from headwater.catalog.objects import Table
from headwater.catalog.pipes import Pipe, PipeKind, PipeStatus
from headwater.errors import UserError
from headwater.files.unreadable import source_file
from headwater.files.volumes import OpenVolume, opened
from headwater.pipes.listing import volume_of
from headwater.pipes.open_pipe import OpenPipe, open_pipe
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.storage.addresses import checked_path
from headwater.storage.failures import file_not_found
from headwater.storage.store import FileInfo


def skip_file(lake: OpenLake, pipe: Pipe, path: str, *, user: str) -> str:
    """Leave a file alone that the pipe has not loaded; its address."""
    ready, volume = _opened(lake, pipe)
    try:
        file = _found(volume, path)
    finally:
        volume.store.close()
    source = source_file(volume, file)
    history = _history(lake, ready, source.path)
    taken = (LoadStatus.LOADING, LoadStatus.LOADED)
    if any(entry.status in taken and entry.file.etag == source.etag for entry in history):
        table = _shown(ready.target)
        raise UserError("PIPE_FILE_LOADED", file=source.path, pipe=_shown(pipe), table=table)
    reason = f"skipped by {user}; ALTER PIPE .. RETRY FILE loads it"
    added = lake.store.load_history.record_skipped(
        ready.target.id, skip_order(pipe.id), {source: reason}, source=str(pipe.qualified)
    )
    if added:
        lake.store.pipes.add_counts(pipe.id, skipped_files=added)
    _look_anew(lake, pipe)
    return source.path


def retry_file(lake: OpenLake, pipe: Pipe, path: str) -> str:
    """Try a file again that was skipped by a user, or could not be read; its address."""
    ready, volume = _opened(lake, pipe)
    volume.store.close()
    url = volume.url_of(_relative(volume, path))
    forgotten = lake.store.load_history.forget(
        ready.target.id, url, job_ids=[skip_order(pipe.id)], statuses=[LoadStatus.LOAD_FAILED]
    )
    if not forgotten:
        table = _shown(ready.target)
        raise UserError("PIPE_FILE_NOT_LEFT_OUT", file=url, pipe=_shown(pipe), table=table)
    _look_anew(lake, pipe)
    return url


def _opened(lake: OpenLake, pipe: Pipe) -> tuple[OpenPipe, OpenVolume]:
    if pipe.kind is not PipeKind.VOLUME:
        raise UserError("PIPE_READS_NO_FILES", pipe=_shown(pipe))
    ready = open_pipe(lake, pipe)
    return ready, opened(lake, volume_of(lake, ready))


def _found(volume: OpenVolume, path: str) -> FileInfo:
    relative = _relative(volume, path)
    file = volume.store.head(relative)
    if file is None:
        raise file_not_found(relative, volume.address.url)
    return file


def _relative(volume: OpenVolume, path: str) -> str:
    """The path below the volume's folder; LOAD_HISTORY shows whole addresses."""
    return checked_path(path.removeprefix(volume.address.url))


def _history(lake: OpenLake, ready: OpenPipe, url: str) -> Sequence[LoadedFile]:
    since = now() - lake.load_history_retention
    known = lake.store.load_history.known(ready.target.id, [url], since, statuses=tuple(LoadStatus))
    return known.get(url, [])


def _look_anew(lake: OpenLake, pipe: Pipe) -> None:
    """A pipe that runs is to see the order at once, and not to trust what it remembers."""
    if pipe.status is PipeStatus.RUNNING:
        lake.store.pipes.request_refresh(pipe.id, now())


def _shown(named: Pipe | Table) -> str:
    return f"{named.schema}.{named.name}"
