"""Files whose names would mislead Spark, under names that tell it the truth.

Spark tells a compression by the end of a name, leaves out names that start with `_` or `.`, and
cannot open a name with a colon. Such files get another name in the lake's scratch folder: a link
where the file is on this machine, else a copy. Where the lake is in an object store the copy goes
there, because the workers of a cluster do not see this machine's folders.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.files.unreadable import UnreadableFile
from headwater.files.volumes import OpenVolume
from headwater.runtime.lake_store import LakeStore
from headwater.storage.addresses import Scheme
from headwater.storage.store import FileInfo

# What Hadoop takes each for; it knows no zstd without libraries of the machine.
_ENDINGS = {"gzip": (".gz", ".gzip"), "zlib": (".deflate",), "zstd": ()}
_COMPRESSED = (".gz", ".gzip", ".deflate", ".bz2", ".lz4", ".snappy", ".zst", ".zstd")


# Endings that say a compression to people and to the documents, but not to Hadoop.
_TOLD = {".zlib": "zlib", ".zst": "zstd", ".zstd": "zstd"}


def told_by(path: str) -> str | None:
    """The compression that the end of a name says, where Spark does not see it by itself."""
    return next((codec for end, codec in _TOLD.items() if path.lower().endswith(end)), None)


@dataclass(slots=True)
class Staging:
    """The files that one statement reads under other names."""

    folder: Path
    remote: LakeStore | None = None
    """The lake's store, where its workers can read what is staged."""
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
        if self._links(volume, compression):
            target.symlink_to("/" + volume.address.prefix + file.path)
        else:
            volume.store.get(file.path, target)
        if compression == "zstd":
            _decompress(target, file, volume)
        path = f"file:{target}" if self.remote is None else self._sent(target, self.remote)
        self._made[path] = file.path
        return path

    def clear(self) -> None:
        """Remove what was made."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.remote is not None and self._made:
            url = self.remote.url
            # What the statement did is done, whatever becomes of its copies.
            with suppress(HeadwaterError):
                self.remote.store.delete_many(path.removeprefix(url) for path in self._made)

    def _links(self, volume: OpenVolume, compression: str | None) -> bool:
        """Whether a link will do."""
        here = volume.address.scheme is Scheme.FILE and self.remote is None
        return here and compression != "zstd"

    def _sent(self, target: Path, remote: LakeStore) -> str:
        path = f"staging/{self.folder.name}/{target.name}"
        remote.store.put(target, path)
        target.unlink()
        return remote.url + path


def _tells(name: str, compression: str | None) -> bool:
    """Whether the name says what the compression is."""
    if compression is None:
        return True
    return name.lower().endswith(_ENDINGS[compression] or ("\0",))


def _ending(path: str, compression: str | None) -> str:
    if compression == "gzip":
        return ".gz"
    if compression == "zlib":
        return ".deflate"
    name = path.rpartition("/")[2].lower()
    known = [ending for ending in _COMPRESSED if name.endswith(ending)]
    return known[0] if known and compression is None else ""


def _decompress(target: Path, file: FileInfo, volume: OpenVolume) -> None:
    import pyarrow

    plain = target.with_name(target.name + ".plain")
    try:
        with pyarrow.input_stream(target, compression="zstd") as source, plain.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
    except (OSError, pyarrow.ArrowException) as error:
        raise UnreadableFile(volume, file, f"it is not zstd: {error}") from None
    plain.replace(target)
