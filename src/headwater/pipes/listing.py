"""LIST_PURGE: new files are those in the store that the load history does not have.

A look reads a bounded number of pages and goes on behind them next time, so that a million files
make neither one look long nor memory grow. Behind the last page it starts over, at once only if it
found something on its way: else files that are known would be listed without a pause, for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from headwater.catalog.volumes import Volume
from headwater.errors import SchemaError
from headwater.files.volumes import OpenVolume, opened
from headwater.pipes.batches import Batch, FileBatch
from headwater.pipes.choosing import Choice, is_temporary
from headwater.pipes.known_files import new_files
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.sources import Look, Pending
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_body import VolumeSource
from headwater.storage.store import FileInfo, Page

_PAGES_PER_LOOK = 100
_AT_ONCE = 16
_MEGABYTE = 1 << 20


class Listing:
    """Lists the pipe's volume."""

    def __init__(self, lake: OpenLake, pipe: OpenPipe) -> None:
        self._lake = lake
        self._pipe = pipe
        self._behind: str | None = None
        """The last path that was looked at; None to start from the first."""
        self._found = False
        """Whether a look of this round, from the first path to the last, found something."""

    @property
    def is_under_way(self) -> bool:
        """Whether the next look goes on where the last one stopped."""
        return self._behind is not None

    def look(self, number: int) -> Look:
        """The next files, as many as fit into a batch."""
        volume = opened(self._lake, volume_of(self._lake, self._pipe))
        try:
            return self._look(volume, number)
        finally:
            volume.store.close()

    def _look(self, volume: OpenVolume, number: int) -> Look:
        config = self._lake.config
        choice = Choice(config.pipe_files_per_batch, config.pipe_megabytes_per_batch * _MEGABYTE)
        started_behind = self._behind
        self._found = self._found and started_behind is not None
        reached_end = True
        pages = volume.store.list(recursive=volume.recursive, start_after=self._behind)
        for read, page in enumerate(pages, start=1):
            wanted = new_files(self._lake, self._pipe, volume, self._without_temporary(page))
            waiting = choice.take(wanted)
            self._behind = _behind(page, waiting, self._behind)
            if waiting is not None or read >= _PAGES_PER_LOOK:
                reached_end = False
                break
        batch = file_batch(self._pipe, volume, number, choice.files) if choice.files else None
        self._found = self._found or batch is not None
        # While files were found, others may have come in front of where this look began.
        more = not reached_end or (started_behind is not None and self._found)
        if reached_end:
            self._behind, self._found = None, False
        return Look(batch, more, pending_of(choice.files))

    def _without_temporary(self, page: Page) -> Page:
        if not self._pipe.properties.ignore_tmp_file:
            return page
        return [file for file in page if not is_temporary(file.path)]

    def again(self, batch: Batch) -> Batch | None:
        """The batch without files that are gone, or not what they were."""
        return still_there(self._lake, self._pipe, batch)

    def done(self, batch: Batch) -> None:
        """Nothing to forget: the statement has deleted the files."""

    def close(self) -> None:
        """Nothing is kept open."""


def volume_of(lake: OpenLake, pipe: OpenPipe) -> Volume:
    """The pipe's volume as it is now."""
    source = pipe.body.source
    assert isinstance(source, VolumeSource)
    assert source.relation.volume.name is not None
    name = source.relation.volume.name.qualified(
        workspace=pipe.pipe.workspace, schema=pipe.pipe.body_schema
    )
    found = lake.store.volumes.get(name.workspace, name.schema, name.name)
    if found is None:
        shown = f"{pipe.pipe.schema}.{pipe.pipe.name}"
        raise SchemaError("PIPE_VOLUME_GONE", pipe=shown, volume=name)
    return found


def still_there(lake: OpenLake, pipe: OpenPipe, batch: Batch) -> Batch | None:
    """A batch of files without those that are gone, or not what they were."""
    assert isinstance(batch, FileBatch)
    volume = opened(lake, volume_of(lake, pipe))
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(volume.store.head, [file.path for file in batch.files])
            pairs = list(zip(batch.files, found, strict=True))
    finally:
        volume.store.close()
    files = tuple(file for file, now in pairs if now is not None and now.etag == file.etag)
    return replace(batch, files=files) if files else None


def file_batch(
    pipe: OpenPipe, volume: OpenVolume, number: int, files: Sequence[FileInfo]
) -> FileBatch:
    """The files as a batch."""
    return FileBatch(
        pipe.pipe.id, number, tuple(files), volume.address.url, volume.connection_id, pipe.purges
    )


def pending_of(files: list[FileInfo]) -> Pending:
    """What waits, as seen by a look."""
    oldest = min((file.modified_at for file in files), default=None)
    return Pending(len(files), sum(file.size for file in files), oldest)


def _behind(page: Page, waiting: FileInfo | None, before: str | None) -> str | None:
    """Behind which path the next look goes on: the last file that need not be seen again."""
    if waiting is None:
        return page[-1].path if page else before
    place = next(i for i, file in enumerate(page) if file.path == waiting.path)
    return page[place - 1].path if place else before
