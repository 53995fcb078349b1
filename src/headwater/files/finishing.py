"""From the files Spark wrote to the files that were asked for: their names, and last touches."""

from __future__ import annotations

import codecs
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headwater.files.volumes import OpenVolume
from headwater.runtime.failpoints import reach
from headwater.storage.addresses import Scheme

OFF = "\0"
"""The quote of CSV without quotes: Spark puts it around values where it would put quotes."""

_STAGING = "_temporary_"
_AT_ONCE = 8
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Touches:
    """What a file needs that Spark cannot write; `unquoted` takes every OFF out of it."""

    bom: bool = False
    unquoted: bool = False
    compression: str | None = None


def staging_folder(subdirectory: str, job_id: str) -> str:
    """Where Spark writes the files of a job, beside those that were asked for."""
    return f"{subdirectory}{_STAGING}{job_id}/"


def require_reachable(volume: OpenVolume, folder: str) -> None:
    """Refuse a folder that cannot be looked at, before a query runs for it.

    The store may have no such bucket or not let us in; and on a local disk Spark would follow a
    link that leads out of the volume.
    """
    next(iter(volume.store.list(folder, recursive=False)), None)


def written_parts(volume: OpenVolume, folder: str) -> list[str]:
    """The files that Spark wrote into a folder, in the order of the rows."""
    reach("copy_out.written")
    found = (file.path for page in volume.store.list(folder) for file in page)
    return sorted(path for path in found if path.rpartition("/")[2].startswith("part-"))


def move_into_place(
    volume: OpenVolume,
    parts: Sequence[str],
    targets: Sequence[str],
    touches: Touches | None = None,
) -> None:
    """Give the parts their names; those that Spark cannot write as wanted go through here."""

    def place(part: str, target: str) -> None:
        if touches is None:
            volume.store.move(part, target)
        else:
            _rewrite(volume, part, target, touches)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(place, parts, targets))
    reach("copy_out.moved")


def empty_folder(volume: OpenVolume, folder: str) -> None:
    """Delete all files below a folder, but what exports write there now, this one or others."""
    for page in volume.store.list(folder):
        volume.store.delete_many(
            file.path for file in page if not _is_staged(file.path.removeprefix(folder))
        )


def _is_staged(path: str) -> bool:
    return any(folder.startswith(_STAGING) for folder in path.split("/")[:-1])


def remove_staging(volume: OpenVolume, folder: str) -> None:
    """Delete what Spark left: its marks, and parts that were not moved."""
    for page in volume.store.list(folder):
        volume.store.delete_many(file.path for file in page)
    if volume.address.scheme is Scheme.FILE:
        shutil.rmtree(Path("/" + volume.address.prefix) / folder, ignore_errors=True)


def _rewrite(volume: OpenVolume, part: str, target: str, touches: Touches) -> None:
    with tempfile.TemporaryDirectory(prefix="headwater-") as scratch:
        plain, ready = Path(scratch) / "plain", Path(scratch) / "ready"
        volume.store.get(part, plain)
        with plain.open("rb") as source, _packed(ready, touches.compression) as sink:
            if touches.bom:
                sink.write(codecs.BOM_UTF8)
            while chunk := source.read(_CHUNK):
                sink.write(chunk.replace(OFF.encode(), b"") if touches.unquoted else chunk)
        volume.store.put(ready, target)


@contextmanager
def _packed(path: Path, compression: str | None) -> Iterator[_Sink]:
    if compression is None:
        with path.open("wb") as sink:
            yield sink
    elif compression == "zlib":
        import zlib

        packer = zlib.compressobj()
        with path.open("wb") as sink:
            yield _Packing(sink, packer.compress)
            sink.write(packer.flush())
    else:
        import pyarrow

        with pyarrow.CompressedOutputStream(str(path), compression) as packed:
            yield packed


class _Sink(Protocol):
    def write(self, data: bytes, /) -> object: ...


@dataclass(frozen=True, slots=True)
class _Packing:
    sink: _Sink
    pack: Callable[[bytes], bytes]

    def write(self, data: bytes, /) -> None:
        self.sink.write(self.pack(data))
