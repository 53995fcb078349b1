"""Whether files are still what they were when they were listed.

Law: what is loaded is what was listed. A file is listed, read and committed at three moments, and
may be replaced or deleted between them; its etag, asked for after it was read and before the
commit, says whether it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from headwater.errors import TransientError
from headwater.files.reading import VolumeScan
from headwater.files.volumes import OpenVolume
from headwater.storage.store import Store

_AT_ONCE = 16
_FEW = 100
_WORTH_A_PAGE = 50
"""So many single questions take as long as a page of a listing."""
_GONE, _REPLACED = "deleted", "replaced"


class FilesChanged(TransientError):
    """FILES_CHANGED: a file was replaced or deleted while it was read; nothing was loaded."""

    def __init__(self, volume: OpenVolume, path: str, how: str) -> None:
        super().__init__("FILES_CHANGED", file=path, volume=volume.title, how=how)


def require_unchanged(scans: Iterable[VolumeScan]) -> None:
    """Refuse to go on with files of which one is not what was listed."""
    for scan in scans:
        now = etags(scan.volume.store, [file.path for file in scan.files])
        for file in scan.files:
            if now.get(file.path) != file.etag:
                how = _REPLACED if file.path in now else _GONE
                raise FilesChanged(scan.volume, file.path, how)


def etags(store: Store, paths: Sequence[str]) -> dict[str, str]:
    """Of those that are there: asked for one by one, or listed where many are in one folder."""
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        folder, slash, _ = path.rpartition("/")
        by_folder.setdefault(folder + slash, []).append(path)
    found: dict[str, str] = {}
    for folder, inside in by_folder.items():
        if len(inside) > _FEW:
            found |= _listed(store, folder, inside)
    single = [path for path in paths if path not in found]
    if single:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            heads = pool.map(store.head, single)
            found |= {file.path: file.etag for file in heads if file is not None}
    return found


def _listed(store: Store, folder: str, inside: Sequence[str]) -> dict[str, str]:
    """What a listing shows of files of one folder, without going over all that it holds.

    A few new files may be among a million old ones: what is not seen soon is left to be asked for.
    """
    wanted = set(inside)
    first, last = min(inside, key=str.encode), max(inside, key=str.encode)
    found: dict[str, str] = {}
    pages = store.list(folder, recursive=False, start_after=first)
    for page in islice(pages, len(inside) // _WORTH_A_PAGE + 1):
        found |= {file.path: file.etag for file in page if file.path in wanted}
        if page and page[-1].path.encode() >= last.encode():
            break
    return found
