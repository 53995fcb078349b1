"""Files whose names would mislead Spark, under names that tell it the truth.

Spark tells a compression by the end of a name, leaves out names that start with `_` or `.`, and
cannot open a name with a colon. Such files get another name in the lake's scratch folder: a link
where the file is on this machine, else a copy.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import UserError
from headwater.files.volumes import OpenVolume
from headwater.storage.addresses import Scheme
from headwater.storage.store import FileInfo

# What Hadoop takes each for; it knows no zstd without libraries of the machine.
_ENDINGS = {"gzip": (".gz", ".gzip"), "zlib": (".deflate",), "zstd": ()}
_COMPRESSED = (".gz", ".gzip", ".deflate", ".bz2", ".lz4", ".snappy", ".zst", ".zstd")


@dataclass(slots=True)
class Staging:
    """The files that one statement reads under other names."""

    folder: Path
    _made: dict[str, str] = field(default_factory=dict)
    """From the staged path, as Spark names it, to the file's own path."""

    def needs(self, file: FileInfo, compression: str | None) -> bool:
        """Whether Spark would not find the file, or take it for something else."""
        name = file.path.rpartition("/")[2]
        if name.startswith(("_", ".")) or ":" in name:
            return True
        return not _tells(name, compression)

    def stage(self, volume: OpenVolume, file: FileInfo, compression: str | None) -> str:
        """The path under which Spark reads the file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        target = self.folder / f"file{len(self._made) + 1}{_ending(file.path, compression)}"
        if volume.address.scheme is Scheme.FILE and compression != "zstd":
            target.symlink_to("/" + volume.address.prefix + file.path)
        else:
            volume.store.get(file.path, target)
        if compression == "zstd":
            _decompress(target, file, volume.title)
        path = f"file:{target}"
        self._made[path] = file.path
        return path

    def clear(self) -> None:
        """Remove what was made."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _tells(name: str, compression: str | None) -> bool:
    """Whether the name says what the compression is."""
    if compression is None:
        return not name.lower().endswith((".zst", ".zstd"))
    return name.lower().endswith(_ENDINGS[compression] or ("\0",))


def _ending(path: str, compression: str | None) -> str:
    if compression == "gzip":
        return ".gz"
    if compression == "zlib":
        return ".deflate"
    name = path.rpartition("/")[2].lower()
    known = [ending for ending in _COMPRESSED if name.endswith(ending)]
    return known[0] if known and compression is None else ""


def _decompress(target: Path, file: FileInfo, title: str) -> None:
    import pyarrow

    plain = target.with_name(target.name + ".plain")
    try:
        with pyarrow.input_stream(target, compression="zstd") as source, plain.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
    except (OSError, pyarrow.ArrowException) as error:
        raise UserError(
            "FILE_UNREADABLE", file=file.path, volume=title, reason=f"it is not zstd: {error}"
        ) from None
    plain.replace(target)
