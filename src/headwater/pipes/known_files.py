"""Files of a volume held against the load history of the pipe's target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.catalog.load_history import LoadStatus
from headwater.errors import UserError
from headwater.files.unreadable import source_file
from headwater.files.volumes import OpenVolume
from headwater.pipes.choosing import Rules, Verdict, sort_out
from headwater.pipes.open_pipe import OpenPipe
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.storage.store import FileInfo

_TELLING = tuple(LoadStatus)


def rules_of(opened: OpenPipe) -> Rules:
    """What the pipe says about files it has seen before."""
    return Rules(opened.properties.on_replaced, opened.pipe.modified_at, opened.aborts)


@dataclass(frozen=True, slots=True)
class Judged:
    """Files held against the load history."""

    new: list[FileInfo]
    """Those to be loaded."""
    settled: bool
    """Whether all are known, and only a change of theirs can make one of them new."""


def judged_files(
    lake: OpenLake, opened: OpenPipe, volume: OpenVolume, files: Sequence[FileInfo]
) -> Judged:
    """Which of the files are to be loaded; files that were replaced are recorded as such."""
    urls = {volume.url_of(file.path): file.path for file in files}
    since = now() - lake.load_history_retention
    known = lake.store.load_history.known(opened.target.id, list(urls), since, statuses=_TELLING)
    by_path = {urls[url]: entries for url, entries in known.items()}
    sorted_out = sort_out(files, by_path, rules_of(opened))
    if sorted_out[Verdict.FORBIDDEN]:
        path = volume.url_of(sorted_out[Verdict.FORBIDDEN][0].path)
        raise UserError("PIPE_FILE_REPLACED", file=path)
    if sorted_out[Verdict.REPLACED]:
        _record_skipped(lake, opened, volume, sorted_out[Verdict.REPLACED])
    loading = any(e.status is LoadStatus.LOADING for entries in known.values() for e in entries)
    settled = len(sorted_out[Verdict.KNOWN]) == len(files) and not loading
    return Judged(sorted_out[Verdict.NEW], settled)


def new_files(
    lake: OpenLake, opened: OpenPipe, volume: OpenVolume, files: Sequence[FileInfo]
) -> list[FileInfo]:
    """Those of the files that are to be loaded."""
    return judged_files(lake, opened, volume, files).new


def skipped_paths(
    lake: OpenLake, opened: OpenPipe, volume: OpenVolume, files: Sequence[FileInfo]
) -> set[str]:
    """Those of the files that a user wants left alone."""
    urls = {volume.url_of(file.path): file.path for file in files}
    since = now() - lake.load_history_retention
    known = lake.store.load_history.known(
        opened.target.id, list(urls), since, statuses=(LoadStatus.SKIPPED,)
    )
    return {urls[url] for url, entries in known.items() if any(e.is_skip_order for e in entries)}


def _record_skipped(
    lake: OpenLake, opened: OpenPipe, volume: OpenVolume, files: Sequence[FileInfo]
) -> None:
    reason = (
        "the file was replaced after it had been loaded, and ON_REPLACED = SKIP:"
        " rename it, or load it with COPY INTO"
    )
    skipped = {source_file(volume, file): reason for file in files}
    pipe = opened.pipe
    added = lake.store.load_history.record_skipped(
        opened.target.id, pipe.id, skipped, source=str(pipe.qualified)
    )
    if added:
        lake.store.pipes.add_counts(pipe.id, skipped_files=added)
