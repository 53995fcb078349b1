"""Copying many files, several at a time.

Law: each file is copied whole or not at all, the first failure ends the work, and its error names
the file that failed and those that were done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum

from headwater.errors import HeadwaterError, UserError
from headwater.runtime.open_lake import OpenLake

DEFAULT_PARALLEL = 8
_LOOK_EVERY_SECONDS = 0.5
_NAMED = 10


class TransferStatus(StrEnum):
    """How it ended for one file."""

    SUCCEED = "SUCCEED"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file to copy; `copy` does it and says what became of it."""

    source: str
    target: str
    source_size: int
    copy: Callable[[], tuple[int, TransferStatus]]


@dataclass(frozen=True, slots=True)
class Transferred:
    """One file that was copied, or left as it was."""

    source: str
    target: str
    source_size: int
    target_size: int
    status: TransferStatus


def transfer_all(
    lake: OpenLake, job_id: str, transfers: Sequence[Transfer], *, parallel: int | None
) -> list[Transferred]:
    """Copy the files; their outcomes in the order of `transfers`."""
    if not transfers:
        return []
    workers = min(parallel or DEFAULT_PARALLEL, len(transfers))
    pool = ThreadPoolExecutor(workers, thread_name_prefix="headwater-transfer")
    stop = threading.Event()
    lake.transfers[job_id] = (0, len(transfers))
    work = {pool.submit(_copy, each, stop): i for i, each in enumerate(transfers)}
    run = _Run(transfers, work)
    try:
        _follow(lake, job_id, run)
    finally:
        # What has begun is finished: a file is whole or not there.
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        lake.transfers.pop(job_id, None)
    return run.outcomes()


def _copy(transfer: Transfer, stop: threading.Event) -> Transferred | None:
    """None if another file failed before this one began."""
    if stop.is_set():
        return None
    try:
        size, status = transfer.copy()
    except BaseException:
        stop.set()
        raise
    return Transferred(transfer.source, transfer.target, transfer.source_size, size, status)


def _follow(lake: OpenLake, job_id: str, run: _Run) -> None:
    """Until all are done, one has failed or the job is cancelled; shows how far it is."""
    waiting = set(run.work)
    looked = time.monotonic()
    while waiting:
        lake.transfers[job_id] = (len(run.work) - len(waiting), len(run.work))
        ended, waiting = wait(waiting, _LOOK_EVERY_SECONDS, return_when=FIRST_COMPLETED)
        if any(future.exception() is not None for future in ended):
            return
        if time.monotonic() - looked >= _LOOK_EVERY_SECONDS:
            looked = time.monotonic()
            if job_id in lake.store.jobs.cancel_requested(lake.instance.id):
                raise UserError("JOB_CANCELLED", job_id=job_id)


@dataclass(frozen=True, slots=True)
class _Run:
    """The copies under way, each with the place of its file."""

    transfers: Sequence[Transfer]
    work: dict[Future[Transferred | None], int]

    def outcomes(self) -> list[Transferred]:
        """What became of all files; raises the error of the first that failed."""
        ended = [future for future in self.work if not future.cancelled()]
        results = [future.result() for future in ended if future.exception() is None]
        done = [result for result in results if result is not None]
        for future in ended:
            error = future.exception()
            if isinstance(error, HeadwaterError):
                raise self._stopped(error, self.transfers[self.work[future]], done)
            if error is not None:
                raise error
        return done

    def _stopped(
        self, error: HeadwaterError, failed: Transfer, done: Sequence[Transferred]
    ) -> HeadwaterError:
        """The error as it came, with the file it is about and what was done before."""
        error.message = f"'{failed.source}' was not copied to '{failed.target}': {error.message}"
        if len(self.transfers) > 1:
            report = f"{len(done)} of {len(self.transfers)} files were copied"
            if done:
                report += ": " + _names(done)
            error.hint = f"{error.hint}; {report}" if error.hint else report
        return error


def _names(done: Sequence[Transferred]) -> str:
    named = ", ".join(f"'{each.source}'" for each in done[:_NAMED])
    more = len(done) - _NAMED
    return f"{named} and {more} more" if more > 0 else named
