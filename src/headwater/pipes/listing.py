"""LIST_PURGE: new files are those in the store that the load history does not have.

A look reads a bounded number of pages and goes on behind them next time, so that a million files
make neither one look long nor memory grow. Behind the last page it starts over, at once only if it
found something on its way: else files that are known would be listed without a pause, for ever.
What need not be looked at again so soon `pipes/rounds.py` knows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from headwater.catalog.volumes import Volume
from headwater.errors import SchemaError
from headwater.files.volumes import OpenVolume, opened
from headwater.pipes.batches import Batch, FileBatch
from headwater.pipes.choosing import MEGABYTE, Choice, is_temporary
from headwater.pipes.known_files import judged_files, skipped_paths
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.rounds import Rounds
from headwater.pipes.sources import Look, Pending
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_body import VolumeSource
from headwater.storage.store import FileInfo, Page

_PAGES_PER_LOOK = 100
_AT_ONCE = 16


class Listing:
    """Lists the pipe's volume."""

    def __init__(
        self,
        lake: OpenLake,
        pipe: OpenPipe,
        *,
        since: Callable[[], datetime | None] = lambda: None,
    ) -> None:
        """With `since`, files from before that moment are left alone."""
        self._lake = lake
        self._pipe = pipe
        self._since = since
        self._behind: str | None = None
        """The last path that was looked at; None to start from the first."""
        self._found = False
        """Whether a look of this round, from the first path to the last, found something."""
        self._rounds = Rounds()

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
        choice = Choice(config.pipe_files_per_batch, config.pipe_megabytes_per_batch * MEGABYTE)
        started_behind, began, since = self._behind, time.monotonic(), self._since()
        self._found = self._found and started_behind is not None
        reached_end, read = True, 0
        start = self._rounds.behind(began) if started_behind is None else started_behind
        pages = volume.store.list(recursive=volume.recursive, start_after=start)
        for page in pages:
            read += 1
            waiting = choice.take(self._new(volume, self._without_others(page, since)))
            self._behind = _behind(page, waiting, self._behind)
            if waiting is not None or read >= _PAGES_PER_LOOK:
                reached_end = False
                break
        ended = time.monotonic()
        self._rounds.looked(pages=read, seconds=ended - began, last=self._behind)
        batch = file_batch(self._pipe, volume, number, choice.files) if choice.files else None
        self._found = self._found or batch is not None
        # While files were found, others may have come in front of where this look began.
        more = not reached_end or (started_behind is not None and self._found)
        if reached_end:
            self._behind, self._found = None, False
            self._rounds.ended(ended)
        return Look(batch, more, pending_of(choice.files))

    def _new(self, volume: OpenVolume, page: Page) -> list[FileInfo]:
        if self._rounds.is_known(page, time.monotonic()):
            return []
        judged = judged_files(self._lake, self._pipe, volume, page)
        if judged.settled:
            self._rounds.note_known(page)
        return judged.new

    def _without_others(self, page: Page, since: datetime | None) -> Page:
        """The page without files that are too old, or still being written."""
        if since is not None:
            page = [file for file in page if file.modified_at >= since]
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
    """A batch of files without those that are gone, not what they were, or skipped meanwhile."""
    assert isinstance(batch, FileBatch)
    volume = opened(lake, volume_of(lake, pipe))
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(volume.store.head, [file.path for file in batch.files])
            pairs = list(zip(batch.files, found, strict=True))
    finally:
        volume.store.close()
    skipped = skipped_paths(lake, pipe, volume, batch.files)
    files = [
        file
        for file, now in pairs
        if now is not None and now.etag == file.etag and file.path not in skipped
    ]
    if len(files) == len(batch.files):
        return batch
    return batch.of_files(files) if files else None


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
