"""What one run of a pipe's statement is to read, fixed before it runs; as JSON for the intent.

Law: a batch keeps its number and its content until it is committed. Delta takes a number once, so
doing a batch again after a crash adds nothing that is there already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater.catalog.load_history import SourceFile
from headwater.kafka.offsets import OffsetRange
from headwater.lake.delta_log.stamp import BatchMark
from headwater.storage.store import FileInfo


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files of the pipe's volume, which is at `folder`."""

    pipe_id: str
    number: int
    files: tuple[FileInfo, ...]
    folder: str = ""
    connection_id: str | None = None
    purge: bool = False
    jobs: tuple[str, ...] = ()
    """The jobs that began it before: one of them may have committed when it seemed dead."""

    @property
    def mark(self) -> BatchMark:
        """What its commit says."""
        return BatchMark(self.pipe_id, self.number)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def payload(self, job_id: str) -> dict[str, Any]:
        """For the intent, begun by this job."""
        files = [
            {"path": f.path, "size": f.size, "at": f.modified_at.isoformat(), "etag": f.etag}
            for f in self.files
        ]
        return {
            "files": files,
            "folder": self.folder,
            "connection": self.connection_id,
            "purge": self.purge,
            "jobs": [*self.jobs, job_id],
        }

    @property
    def sources(self) -> list[SourceFile]:
        """The files as the load history has them."""
        return [SourceFile(self.folder + f.path, f.size, f.modified_at, f.etag) for f in self.files]


@dataclass(frozen=True, slots=True)
class KafkaBatch:
    """Messages from offsets to offsets; `offsets` are the next ones to read, of all partitions."""

    pipe_id: str
    number: int
    ranges: tuple[OffsetRange, ...]
    offsets: Mapping[str, Mapping[str, int]]
    jobs: tuple[str, ...] = ()

    @property
    def mark(self) -> BatchMark:
        """What its commit says."""
        return BatchMark(self.pipe_id, self.number, self.offsets)

    def payload(self, job_id: str) -> dict[str, Any]:
        """For the intent, begun by this job."""
        ranges = [[r.topic, r.partition, r.start, r.end] for r in self.ranges]
        return {"ranges": ranges, "offsets": self.offsets, "jobs": [*self.jobs, job_id]}


Batch = FileBatch | KafkaBatch


def batch_of(pipe_id: str, number: int, payload: Mapping[str, Any]) -> Batch:
    """The batch of an intent, to be done again."""
    jobs = tuple(payload["jobs"])
    if "files" in payload:
        files = tuple(
            FileInfo(f["path"], f["size"], datetime.fromisoformat(f["at"]), f["etag"])
            for f in payload["files"]
        )
        folder, connection_id = payload["folder"], payload["connection"]
        return FileBatch(pipe_id, number, files, folder, connection_id, payload["purge"], jobs)
    ranges = tuple(OffsetRange(*values) for values in payload["ranges"])
    return KafkaBatch(pipe_id, number, ranges, payload["offsets"], jobs)
