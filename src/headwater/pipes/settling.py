"""Before and after the commit of a batch: the intent, and what a pipe has done once it is durable.

Law: the number of a pipe moves exactly with the commit that bears it. Whoever finds an intent, the
loop or the recovery after a crash, looks for a commit of one of its jobs; with one the batch is
done, without one it is done again with the same number, without files that are gone by then. Delta
takes only one of all tries, and the files of that one are the loaded ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from headwater.catalog.jobs import FINAL_STATES, Job
from headwater.catalog.load_history import LoadStatus
from headwater.catalog.objects import Operation, Table, TableState, TableVersion
from headwater.catalog.pipes import BatchState, Pipe, PipeBatch
from headwater.errors import HeadwaterError, TransientError
from headwater.files.loads import purge, settle
from headwater.pipes.batches import Batch, FileBatch, batch_of
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.tables.versions import batch_mark, catch_up, newest_batch

ENDED_ELSEWHERE = "another process ended the batch meanwhile"
_LONG_AGO = datetime.fromtimestamp(0, UTC)


def begin_batch(lake: OpenLake, batch: Batch, job_id: str) -> None:
    """Record what the coming commit will hold, in the place of an earlier try."""
    intent = PipeBatch(
        batch.pipe_id,
        batch.number,
        BatchState.INTENT,
        begun_at=now(),
        payload=batch.payload(job_id),
        job_id=job_id,
    )
    with lake.store.begin() as transaction:
        batches = lake.store.pipe_batches
        batches.fail(batch.pipe_id, batch.number, "begun again", connection=transaction)
        batches.begin(intent, connection=transaction)
    reach("pipe.intent")


def require_under_way(lake: OpenLake, batch: Batch, job_id: str) -> None:
    """Refuse to go on with a batch that another process took over while this one slept."""
    intent = lake.store.pipe_batches.intent(batch.pipe_id)
    if intent is None or intent.job_id != job_id:
        raise TransientError("LEASE_LOST", reason=ENDED_ELSEWHERE)


def settle_batch(lake: OpenLake, pipe: Pipe, batch: Batch, target: Table) -> Batch:
    """After the statement of a batch has run: move the pipe with its commit.

    Gives back what is in the table by that number: the batch, or what an earlier try was to load.
    If Delta had a batch of that number already, from a catalog that was put back to an earlier
    state, the pipe is moved to Delta's number, and tries again. A process that slept and lost the
    lake is told so: its successor settles the batch.
    """
    lake.writer.ensure()
    intent = lake.store.pipe_batches.intent(pipe.id)
    if intent is None:
        raise TransientError("LEASE_LOST", reason=ENDED_ELSEWHERE)
    jobs = [*intent.payload["jobs"]]
    found = _committed(lake, target, jobs)
    if found is not None:
        job_id, version = found
        batch = _as_tried(batch, job_id)
        _adopt(lake, pipe, batch, target, job_id)
        _finish(lake, pipe, batch, target, version, jobs)
        return batch
    if isinstance(batch, FileBatch) and _failed_files(lake, target, batch, jobs) == len(
        batch.files
    ):
        # No file could be read, so that there was nothing to commit.
        _finish(lake, pipe, batch, target, None, jobs)
        return batch
    newest = newest_batch(lake, target, pipe.id)
    lake.store.pipe_batches.fail(pipe.id, batch.number, "Delta has a batch of this number")
    if newest is not None and newest.number >= batch.number:
        lake.store.pipes.record_success(pipe.id, now(), batch=newest.number, offsets=newest.offsets)
    raise TransientError("PIPE_BATCH_TAKEN", pipe=f"{pipe.schema}.{pipe.name}", number=batch.number)


def recover_batches(lake: OpenLake) -> None:
    """After a crash: finish the batches whose commit is there; the loop does the others again.

    Runs after the recovery of tables, jobs and loads, which finds the commits.
    """
    for intent in lake.store.pipe_batches.all_intents():
        pipe = lake.store.pipes.by_id(intent.pipe_id)
        job = lake.store.jobs.get(intent.job_id) if intent.job_id else None
        if pipe is None or (job is not None and job.state not in FINAL_STATES):
            continue
        try:
            finish_if_committed(lake, pipe, intent)
        except HeadwaterError:
            # The table's files are gone, or the store is away: the loop says so at its next try.
            continue


def finish_if_committed(lake: OpenLake, pipe: Pipe, intent: PipeBatch) -> bool:
    """End a batch whose commit is there; says whether it was."""
    job = lake.store.jobs.get(intent.job_id) if intent.job_id else None
    target = lake.store.tables.get_by_id(_target_id(pipe, job))
    if target is None or target.state is not TableState.ACTIVE:
        return False
    found = _committed(lake, target, intent.payload["jobs"])
    if found is None:
        return False
    batch = _as_tried(batch_of(pipe.id, intent.number, intent.payload), found[0])
    _adopt(lake, pipe, batch, target, found[0])
    _finish(lake, pipe, batch, target, found[1], intent.payload["jobs"])
    return True


def _target_id(pipe: Pipe, job: Job | None) -> str:
    """Where a job wrote: the table that the pipe was made for may have been made anew since."""
    written = job.output_tables[0].table_id if job is not None and job.output_tables else None
    return written or pipe.target_id


def _committed(
    lake: OpenLake, target: Table, jobs: Iterable[str]
) -> tuple[str, TableVersion] | None:
    catch_up(lake, target)
    for job_id in jobs:
        for table_id, version in lake.store.versions.by_job(job_id):
            if table_id == target.id and version.operation != Operation.UPGRADE:
                return job_id, version
    return None


def _as_tried(batch: Batch, job_id: str) -> Batch:
    """The batch with what the job read whose commit is there."""
    return batch.tried_by(job_id) if isinstance(batch, FileBatch) else batch


def _adopt(lake: OpenLake, pipe: Pipe, batch: Batch, target: Table, job_id: str) -> None:
    """The files of a committed job are loaded, and those to delete go.

    The load history may have forgotten them: the job seemed dead before its commit came.
    """
    if not isinstance(batch, FileBatch):
        return
    entries = lake.store.load_history.of_job(job_id)
    if any(entry.status is LoadStatus.LOADING for entry in entries):
        settle(lake, job_id)
    known = {entry.file.path for entry in entries}
    forgotten = [file for file in batch.sources if file.path not in known]
    if not forgotten:
        return
    lake.store.load_history.record_intent(
        target.id,
        job_id,
        forgotten,
        purge=batch.purge,
        connection_id=batch.connection_id,
        source=str(pipe.qualified),
    )
    settle(lake, job_id)
    purge(lake, job_id)


def _failed_files(lake: OpenLake, target: Table, batch: FileBatch, jobs: Sequence[str]) -> int:
    """How many files of the batch could not be read."""
    paths = [source.path for source in batch.sources]
    failed = lake.store.load_history.known(
        target.id, paths, _LONG_AGO, statuses=(LoadStatus.LOAD_FAILED,)
    )
    return sum(any(row.job_id in jobs for row in rows) for rows in failed.values())


def _finish(
    lake: OpenLake,
    pipe: Pipe,
    batch: Batch,
    target: Table,
    version: TableVersion | None,
    jobs: Sequence[str],
) -> None:
    """The pipe has come so far; what it says about offsets is what the commit says."""
    mark = batch_mark(lake, target, version) if version is not None else None
    rows = (version.rows_inserted or 0) + (version.rows_updated or 0) if version else 0
    files = batch.files if isinstance(batch, FileBatch) else ()
    failed = _failed_files(lake, target, batch, jobs) if isinstance(batch, FileBatch) else 0
    store = lake.store
    with store.begin() as transaction:
        if not store.pipe_batches.finish(pipe.id, batch.number, rows=rows, connection=transaction):
            return
        store.pipes.record_success(
            pipe.id,
            now(),
            batch=batch.number,
            offsets=mark.offsets if mark is not None else None,
            connection=transaction,
        )
        store.pipes.add_counts(
            pipe.id,
            rows=rows,
            files=len(files) - failed,
            failed_files=failed,
            bytes=sum(file.size for file in files),
            connection=transaction,
        )
    reach("pipe.settled")
