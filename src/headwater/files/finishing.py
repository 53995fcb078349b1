"""From the files Spark wrote to the files that were asked for: their names, and last touches."""

from __future__ import annotations

import codecs
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from headwater.files.volumes import OpenVolume
from headwater.runtime.failpoints import reach
from headwater.storage.addresses import Scheme

_AT_ONCE = 8
_CHUNK = 1 << 20


def written_parts(volume: OpenVolume, folder: str) -> list[str]:
    """The files that Spark wrote into a folder, in the order of the rows."""
    found = (file.path for page in volume.store.list(folder) for file in page)
    return sorted(path for path in found if path.rpartition("/")[2].startswith("part-"))


def move_into_place(
    volume: OpenVolume,
    parts: Sequence[str],
    targets: Sequence[str],
    *,
    bom: bool = False,
    zstd: bool = False,
) -> None:
    """Give the parts their names; those that Spark cannot write as wanted go through here."""

    def place(part: str, target: str) -> None:
        if bom or zstd:
            _rewrite(volume, part, target, bom=bom, zstd=zstd)
        else:
            volume.store.move(part, target)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(place, parts, targets))
    reach("copy_out.moved")


def empty_folder(volume: OpenVolume, folder: str, *, but: str) -> None:
    """Delete all files below a folder, but those below another one."""
    for page in volume.store.list(folder):
        volume.store.delete_many(file.path for file in page if not file.path.startswith(but))


def remove_staging(volume: OpenVolume, folder: str) -> None:
    """Delete what Spark left: its marks, and parts that were not moved."""
    for page in volume.store.list(folder):
        volume.store.delete_many(file.path for file in page)
    if volume.address.scheme is Scheme.FILE:
        shutil.rmtree(Path("/" + volume.address.prefix) / folder, ignore_errors=True)


def _rewrite(volume: OpenVolume, part: str, target: str, *, bom: bool, zstd: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="headwater-") as scratch:
        plain, ready = Path(scratch) / "plain", Path(scratch) / "ready"
        volume.store.get(part, plain)
        with plain.open("rb") as source, ready.open("wb") as sink:
            start = codecs.BOM_UTF8 if bom else b""
            _compress(source, sink, start) if zstd else _copy(source, sink, start)
        volume.store.put(ready, target)


def _copy(source: IO[bytes], sink: IO[bytes], start: bytes) -> None:
    sink.write(start)
    shutil.copyfileobj(source, sink, _CHUNK)


def _compress(source: IO[bytes], sink: IO[bytes], start: bytes) -> None:
    import pyarrow

    with pyarrow.CompressedOutputStream(pyarrow.PythonFile(sink, "w"), "zstd") as packed:
        packed.write(start)
        while chunk := source.read(_CHUNK):
            packed.write(chunk)
