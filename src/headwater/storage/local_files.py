"""A folder of this machine as a store.

Invariant: nothing outside the folder is read or written. Every folder on the way to a file is
opened by its name in the one before and never through a symbolic link, so that not even a link made
at the wrong moment leads out. Links are no files of a store: listings leave them out, and naming
one is an error.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from headwater.errors import NotSupported, TransientError, UserError
from headwater.storage.addresses import StoreAddress, checked_folder, checked_path
from headwater.storage.failures import file_not_found
from headwater.storage.replacing import TEMPORARY_PREFIX, replacing, temporary_name
from headwater.storage.store import FileInfo, FoundFile, Page

_PAGE = 1000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without waiting, or a named pipe would hold us until somebody writes to it.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR})
_KINDS = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder"}


class LocalFiles:
    """See `Store`."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._root = Path("/" + address.prefix)

    def list(
        self, folder: str = "", *, recursive: bool = True, start_after: str | None = None
    ) -> Iterator[Page]:
        """In the order of object stores: by the bytes of the whole path."""
        after = start_after.encode() if start_after is not None else None
        return self._pages(checked_folder(folder), recursive=recursive, after=after)

    def _pages(self, folder: str, *, recursive: bool, after: bytes | None) -> Iterator[Page]:
        page: Page = []
        for file in self._walk(folder, recursive=recursive, after=after):
            page.append(file)
            if len(page) == _PAGE:
                yield page
                page = []
        yield page

    def _walk(self, folder: str, *, recursive: bool, after: bytes | None) -> Iterator[FileInfo]:
        # Names are read, and the folder closed, before anything is handed out: a reader may take
        # its time, and a tree may be deeper than files may be open.
        for name, seen in self._entries(folder):
            path = folder + name
            if stat.S_ISREG(seen.st_mode):
                if after is None or path.encode() > after:
                    yield _file_info(path, seen)
            elif recursive and (after is None or _may_hold_more(path, after)):
                yield from self._walk(path + "/", recursive=True, after=after)

    def _entries(self, folder: str) -> Sequence[tuple[str, os.stat_result]]:
        """The files and folders in `folder`, sorted; no links, no unfinished files."""
        found: list[tuple[str, os.stat_result]] = []
        try:
            with self._opened(folder) as descriptor, os.scandir(descriptor) as entries:
                for entry in entries:
                    if entry.is_symlink() or entry.name.startswith(TEMPORARY_PREFIX):
                        continue
                    # Between reading its name and looking at it, a file may go.
                    with suppress(FileNotFoundError):
                        seen = entry.stat(follow_symlinks=False)
                        if stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode):
                            found.append((self._text(entry.name, folder), seen))
        except OSError as error:
            if folder and self._absent(error, folder):
                return []
            raise self._failed(error, folder) from None
        return sorted(found, key=_order)

    def head(self, path: str) -> FileInfo | None:
        """Looks without opening."""
        try:
            with self._folder_of(path) as (descriptor, name):
                seen = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except OSError as error:
            if self._absent(error, path):
                self._require_root()
                return None
            raise self._failed(error, path) from None
        if stat.S_ISDIR(seen.st_mode):
            return None
        self._require_regular(seen, path)
        return _file_info(path, seen)

    def read(self, path: str) -> bytes:
        """The whole file in memory."""
        with self._reading(path) as file:
            return file.read()

    def find(self, path: str) -> FoundFile | None:
        """Opened once, so that both belong together."""
        try:
            with self._reading(path) as file:
                content = file.read()
                return FoundFile(_file_info(path, os.fstat(file.fileno())), content)
        except UserError as error:
            if error.condition != "FILE_NOT_FOUND":
                raise
            return None

    def get(self, path: str, local_path: Path) -> None:
        """A copy."""
        with self._reading(path) as file, replacing(local_path) as copy:
            shutil.copyfileobj(file, copy)

    def write(self, path: str, content: bytes) -> None:
        """Makes the folders on the way."""
        with self._writing(path) as file:
            file.write(content)

    def put(self, local_path: Path, path: str) -> None:
        """Makes the folders on the way."""
        try:
            source = local_path.open("rb")
        except OSError as error:
            raise UserError(
                "LOCAL_FILE_UNREADABLE", path=local_path, reason=error.strerror
            ) from None
        with source, self._writing(path) as file:
            shutil.copyfileobj(source, file)

    def delete_many(self, paths: Iterable[str]) -> dict[str, str]:
        """One by one; folders that become empty stay."""
        failed: dict[str, str] = {}
        for path in dict.fromkeys(paths):
            try:
                with self._folder_of(path) as (descriptor, name):
                    os.unlink(name, dir_fd=descriptor)
            except OSError as error:
                if not self._absent(error, path):
                    failed[path] = _reason(error)
        return failed

    def presign(self, path: str, *, seconds: int = 3600) -> str:
        """There is no server that could hand a local file out."""
        raise NotSupported("PRESIGN_LOCAL", path=checked_path(path))

    def close(self) -> None:
        """There is nothing to close."""

    @contextmanager
    def _opened(self, folder: str) -> Iterator[int]:
        """The descriptor of a folder, reached without following any link below the root."""
        descriptor = os.open(self._root, _FOLDER)
        try:
            for segment in folder.split("/")[:-1]:
                inner = os.open(segment, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[int, str]]:
        folder, slash, name = checked_path(path).rpartition("/")
        with self._opened(folder + slash) as descriptor:
            yield descriptor, name

    @contextmanager
    def _reading(self, path: str) -> Iterator[BinaryIO]:
        try:
            with self._folder_of(path) as (descriptor, name):
                opened = os.open(name, _READ, dir_fd=descriptor)
        except OSError as error:
            if self._absent(error, path):
                self._require_root()
                raise file_not_found(path, self._address.url) from None
            raise self._failed(error, path) from None
        try:
            self._require_regular(os.fstat(opened), path)
            with os.fdopen(opened, "rb", closefd=False) as file:
                yield file
        finally:
            os.close(opened)

    def move(self, path: str, target: str) -> None:
        """Renamed, so that the file is under one of its names at every moment."""
        try:
            self._make_folders(target)
            with self._folder_of(path) as (source, name), self._folder_of(target) as (there, new):
                self._require_regular(os.stat(name, dir_fd=source, follow_symlinks=False), path)
                os.replace(name, new, src_dir_fd=source, dst_dir_fd=there)
        except OSError as error:
            if self._absent(error, path):
                raise file_not_found(path, self._address.url) from None
            raise self._failed(error, path) from None

    @contextmanager
    def _writing(self, path: str) -> Iterator[BinaryIO]:
        temporary = temporary_name()
        try:
            self._make_folders(path)
            with self._folder_of(path) as (descriptor, name):
                opened = os.open(temporary, _CREATE, 0o666, dir_fd=descriptor)
                try:
                    with os.fdopen(opened, "wb") as file:
                        yield file
                        file.flush()
                        os.fsync(opened)
                    os.replace(temporary, name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
                except BaseException:
                    with suppress(OSError):
                        os.unlink(temporary, dir_fd=descriptor)
                    raise
        except OSError as error:
            raise self._failed(error, path) from None

    def _make_folders(self, path: str) -> None:
        self._root.mkdir(parents=True, exist_ok=True)
        folder = ""
        for segment in checked_path(path).split("/")[:-1]:
            with self._opened(folder) as descriptor, suppress(FileExistsError):
                os.mkdir(segment, dir_fd=descriptor)
            folder += segment + "/"

    def _require_root(self) -> None:
        if not self._root.is_dir():
            raise UserError("FOLDER_NOT_FOUND", folder=self._root)

    def _require_regular(self, seen: os.stat_result, path: str) -> None:
        kind = stat.S_IFMT(seen.st_mode)
        if kind != stat.S_IFREG:
            what = _KINDS.get(kind, "a device or a pipe")
            raise UserError("NOT_A_FILE", path=path, store=self._address.url, what=what)

    def _text(self, name: str, folder: str) -> str:
        try:
            name.encode()
        except UnicodeEncodeError:
            shown = folder + os.fsencode(name).decode(errors="replace")
            raise UserError("FILE_NAME_NOT_TEXT", path=shown, store=self._address.url) from None
        return name

    def _failed(self, error: OSError, path: str) -> UserError | TransientError:
        where = self._address.url
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and self._link_on(path)):
            return UserError("NOT_A_FILE", path=path, store=where, what="a symbolic link")
        if error.errno in _NOTHING_THERE and not self._root.is_dir():
            return UserError("FOLDER_NOT_FOUND", folder=self._root)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return UserError("STORAGE_DENIED", store=where, reason=_reason(error))
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE):
            return TransientError("STORE_BUSY", store=where, reason=_reason(error))
        return UserError("STORE_REFUSED", store=where, reason=f"{path}: {_reason(error)}")

    def _absent(self, error: OSError, path: str) -> bool:
        # O_NOFOLLOW says of a link where a folder should be that it is no folder.
        return error.errno in _NOTHING_THERE and not self._link_on(path)

    def _link_on(self, path: str) -> bool:
        segments = path.rstrip("/").split("/")
        return any(
            (self._root / "/".join(segments[:end])).is_symlink()
            for end in range(1, len(segments) + 1)
        )


def _file_info(path: str, seen: os.stat_result) -> FileInfo:
    modified = datetime.fromtimestamp(seen.st_mtime_ns // 1_000_000_000, UTC)
    etag = f"{seen.st_size:x}-{seen.st_mtime_ns:x}-{seen.st_ino:x}"
    return FileInfo(path, seen.st_size, modified, etag)


def _order(entry: tuple[str, os.stat_result]) -> bytes:
    name, seen = entry
    return (name + "/" if stat.S_ISDIR(seen.st_mode) else name).encode()


def _may_hold_more(folder: str, after: bytes) -> bool:
    """Whether a file below `folder` can come behind `after`."""
    start = folder.encode() + b"/"
    return start > after or after.startswith(start)


def _reason(error: OSError) -> str:
    return error.strerror or "unknown"
