"""What a volume's store holds at this moment, without the unfinished files of our own."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.files.volumes import OpenVolume
from headwater.storage.replacing import TEMPORARY_PREFIX
from headwater.storage.store import FileInfo, Page


def listed_pages(volume: OpenVolume, folder: str = "", *, recursive: bool) -> Iterator[Page]:
    """The files below `folder`, page by page: however many there are, one page is in memory."""
    for page in volume.store.list(folder, recursive=recursive):
        yield [file for file in page if not is_unfinished(file.path)]


def listed_files(
    volume: OpenVolume, folder: str | None = None, *, recursive: bool = False
) -> Iterator[FileInfo]:
    """The files of `folder` and those below it; without a folder, what the volume itself shows.

    That is every file where the volume or the caller is recursive, else those directly in it.
    """
    everything = recursive or folder is not None or volume.recursive
    for page in listed_pages(volume, folder or "", recursive=everything):
        yield from page


def is_unfinished(path: str) -> bool:
    """Whether it is a file of ours that is still being written."""
    return f"/{TEMPORARY_PREFIX}" in f"/{path}"
