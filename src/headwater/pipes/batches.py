"""What one run of a pipe's statement is to read, fixed before it runs; as JSON for the intent.

Law: a batch keeps its number until it is committed, and its content as far as it is still there.
Delta takes a number once, so doing a batch again after a crash adds nothing that is there already.
What each job tried is kept: of two tries with different files, the one that Delta took says which
are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from headwater.catalog.load_history import SourceFile
from headwater.kafka.offsets import OffsetRange
from headwater.lake.delta_log.stamp import BatchMark
from headwater.storage.store import FileInfo


@dataclass(frozen=True, slots=True)
class Try:
    """The files that an earlier job was to load."""

    job_id: str
    files: tuple[FileInfo, ...]


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
    earlier: tuple[Try, ...] = ()
    """Those of them that were to load other files than these."""

    def of_files(self, files: Sequence[FileInfo]) -> FileBatch:
        """The batch with other files; what was tried before is not forgotten."""
        known = {each.job_id for each in self.earlier}
        tried = tuple(Try(job, self.files) for job in self.jobs if job not in known)
        return replace(self, files=tuple(files), earlier=self.earlier + tried)

    def tried_by(self, job_id: str) -> FileBatch:
        """The batch with the files that a job was to load."""
        for each in self.earlier:
            if each.job_id == job_id:
                return replace(self, files=each.files)
        return self

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
        return {
            "files": _texts(self.files),
            "folder": self.folder,
            "connection": self.connection_id,
            "purge": self.purge,
            "jobs": [*self.jobs, job_id],
            "earlier": [{"job": t.job_id, "files": _texts(t.files)} for t in self.earlier],
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
        files = _files(payload["files"])
        folder, connection_id = payload["folder"], payload["connection"]
        # Intents of older releases do not have it.
        earlier = tuple(Try(t["job"], _files(t["files"])) for t in payload.get("earlier", ()))
        purge = payload["purge"]
        return FileBatch(pipe_id, number, files, folder, connection_id, purge, jobs, earlier)
    ranges = tuple(OffsetRange(*values) for values in payload["ranges"])
    return KafkaBatch(pipe_id, number, ranges, payload["offsets"], jobs)


def _texts(files: Sequence[FileInfo]) -> list[dict[str, Any]]:
    return [
        {"path": f.path, "size": f.size, "at": f.modified_at.isoformat(), "etag": f.etag}
        for f in files
    ]


def _files(texts: Sequence[Mapping[str, Any]]) -> tuple[FileInfo, ...]:
    return tuple(
        FileInfo(f["path"], f["size"], datetime.fromisoformat(f["at"]), f["etag"]) for f in texts
    )
