"""Tables in a folder of an object store, and any others on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from headwater.lake.delta_log.files import LOG_FOLDER, LogFiles
from headwater.lake.delta_log.kept_files import KeptFiles
from headwater.lake.delta_log.store_files import StoreLogFiles
from headwater.lake.table_folders import LocalFolder, TableFolder
from headwater.storage.store import Store

_AT_ONCE = 8
# A page of a listing holds a thousand files and costs as much as a few questions.
_MOST_ASKED_FOR = 32


class StoreFolder:
    """The table at `path` below the folder of a store; see `TableFolder`."""

    def __init__(self, store: Store, path: str, *, location: str, kept: KeptFiles) -> None:
        self._store = store
        self._path = path
        self._location = location
        self._kept = kept

    @property
    def log(self) -> LogFiles:
        return StoreLogFiles(self._store, self._path, location=self._location, kept=self._kept)

    def first_missing(self, paths: Sequence[str]) -> str | None:
        # A path from the root is a file of another table, on this machine.
        own = [path for path in dict.fromkeys(paths) if not path.startswith("/")]
        there = self._among(own) if len(own) <= _MOST_ASKED_FOR else set(self._paths())
        return next((path for path in own if path not in there), None)

    def sizes(self) -> Iterator[tuple[str, int]]:
        skipped = len(self._path) + 1
        for page in self._store.list(self._path):
            for file in page:
                path = file.path[skipped:]
                if f"/{LOG_FOLDER}/" not in f"/{path}":
                    yield path, file.size

    def written_since(self, since: float) -> Iterator[str]:
        """None: the times are those of the store's clock. VACUUM finds what nobody names."""
        return iter(())

    def remove(self, paths: Iterable[str]) -> None:
        self._store.delete_many(f"{self._path}/{path}" for path in paths)

    def remove_all(self) -> bool:
        pages = list(self._store.list(self._path))
        return not self._store.delete_many(file.path for page in pages for file in page)

    def _among(self, paths: Sequence[str]) -> set[str]:
        """Those of a few files that are there."""
        if not paths:
            return set()
        with ThreadPoolExecutor(min(_AT_ONCE, len(paths))) as pool:
            found = pool.map(self._store.head, [f"{self._path}/{path}" for path in paths])
            return {path for path, info in zip(paths, found, strict=True) if info is not None}

    def _paths(self) -> Iterator[str]:
        return (path for path, _ in self.sizes())


class StorePlaces:
    """Tables below `url`, which ends with a slash, are in a store; all others on this machine."""

    def __init__(self, store: Store, url: str) -> None:
        self._store = store
        self._url = url
        self._kept = KeptFiles()

    def folder(self, location: str) -> TableFolder:
        if not location.startswith(self._url):
            return LocalFolder(location)
        path = location.removeprefix(self._url).rstrip("/")
        return StoreFolder(self._store, path, location=location, kept=self._kept)
