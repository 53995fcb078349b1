"""Loading files into a table, exactly once: intent, Delta commit, confirmation, purge.

The intent names the files before the commit and the commit names the job, so that whoever looks
after a crash can tell whether the files are in the table. A source file is deleted only when it is,
and only if it is still the file that was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headwater.catalog.jobs import FINAL_STATES
from headwater.catalog.load_history import COPY_SOURCE, PendingPurge
from headwater.catalog.objects import Operation
from headwater.errors import HeadwaterError
from headwater.files.connections import store_connection
from headwater.files.reading import VolumeScan
from headwater.files.unchanged import etags
from headwater.files.unreadable import source_file
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.storage.addresses import Scheme, StoreAddress
from headwater.storage.connections import StoreConnection
from headwater.storage.open_store import open_store
from headwater.storage.store import Store


def announce(
    lake: OpenLake,
    table_id: str,
    job_id: str,
    scans: Sequence[VolumeScan],
    *,
    purge: bool,
    source: str = COPY_SOURCE,
) -> None:
    """Say which files the coming commit will hold; `source` is the pipe that loads them."""
    reached = {
        source_file(scan.volume, file): scan.volume.connection_id
        for scan in scans
        for file in scan.files
    }
    lake.store.load_history.record_intent(
        table_id, job_id, reached, purge=purge, connection_ids=reached, source=source
    )
    reach("copy.announced")


def settle(lake: OpenLake, job_id: str, *, rows: Mapping[str, int] | None = None) -> bool:
    """Confirm the files of a job whose commit is there, else forget them; says which it was."""
    made = [
        version
        for _, version in lake.store.versions.by_job(job_id)
        if version.operation != Operation.UPGRADE
    ]
    if not made:
        lake.store.load_history.abandon(job_id)
        return False
    lake.store.load_history.confirm(job_id, made[-1].delta_version, rows=rows)
    reach("copy.confirmed")
    return True


def purge(lake: OpenLake, job_id: str | None = None) -> list[str]:
    """Delete the loaded files that are to be deleted; gives back what could not be deleted.

    A file is one thread's to delete. If two looked at it and then deleted it one after the other,
    the second would take what was uploaded in its place between the two.
    """
    left: list[str] = []
    known = lake.store.load_history.pending_purges(job_id)
    with lake.purging.taken(each.file.path for each in known) as ours:
        by_store: dict[str | None, list[PendingPurge]] = {}
        # Asked once more: another thread may have deleted some before they were ours.
        for pending in lake.store.load_history.pending_purges(job_id) if ours else ():
            if pending.file.path in ours:
                by_store.setdefault(pending.connection_id, []).append(pending)
        for connection_id, files in by_store.items():
            left += _purge_at(lake, connection_id, files)
    return left


def _purge_at(
    lake: OpenLake, connection_id: str | None, pending: Sequence[PendingPurge]
) -> list[str]:
    # Without a connection it is a file of the lake itself, whose store has one of its own.
    connection = None if lake.remote is None else lake.remote.connection
    if connection_id is not None:
        found = lake.store.connections.by_id(connection_id)
        try:
            connection = None if found is None else store_connection(lake, found)
        except HeadwaterError:
            connection = None
        if connection is None:
            return [each.file.path for each in pending]
    left: list[str] = []
    for folder, files in _by_folder(pending).items():
        left += _purge_folder(lake, connection, folder, files)
    return left


def _purge_folder(
    lake: OpenLake,
    connection: StoreConnection | None,
    folder: str,
    pending: Sequence[PendingPurge],
) -> list[str]:
    try:
        store = open_store(_address(folder), connection)
    except HeadwaterError:
        return [each.file.path for each in pending]
    try:
        unchanged = _unchanged(store, folder, pending)
        failed = store.delete_many([path for _, path in unchanged])
    except HeadwaterError:
        return [each.file.path for each in pending]
    finally:
        store.close()
    reach("copy.purged")
    left = {folder + path for path in failed}
    for job_id, paths in _by_job(pending, left).items():
        lake.store.load_history.mark_purged(job_id, paths)
    return sorted(left)


def _unchanged(
    store: Store, folder: str, pending: Sequence[PendingPurge]
) -> list[tuple[PendingPurge, str]]:
    """Those that are still the file that was read; one that was replaced since stays."""
    named = [(each, each.file.path.removeprefix(folder)) for each in pending]
    now = etags(store, [path for _, path in named])
    return [entry for entry in named if now.get(entry[1]) == entry[0].file.etag]


def _address(folder: str) -> StoreAddress:
    """The address of a folder that files were listed in: no reader of LOCATION has to check it."""
    scheme, _, rest = folder.partition("://")
    bucket, _, prefix = rest.partition("/")
    return StoreAddress(Scheme(scheme), bucket, prefix)


def _by_folder(pending: Iterable[PendingPurge]) -> dict[str, list[PendingPurge]]:
    """Grouped by the folder that the files are in: each can be opened as a store."""
    found: dict[str, list[PendingPurge]] = {}
    for each in pending:
        folder = each.file.path.rpartition("/")[0] + "/"
        found.setdefault(folder, []).append(each)
    return found


def _by_job(pending: Iterable[PendingPurge], left: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in pending:
        if each.file.path not in left:
            found.setdefault(each.job_id, []).append(each.file.path)
    return found


def recover_loads(lake: OpenLake) -> None:
    """After a crash: settle the loads of jobs that are over, and finish purging in the background.

    Runs after the recovery of tables and jobs, which finds the commits.
    """
    for pending in lake.store.load_history.pending():
        job = lake.store.jobs.get(pending.job_id)
        if job is None or job.state in FINAL_STATES:
            settle(lake, pending.job_id)
    if lake.store.load_history.pending_purges():
        lake.background.submit(_try_purge, lake)


def _try_purge(lake: OpenLake) -> None:
    try:
        lake.writer.ensure()
        purge(lake)
    except HeadwaterError:
        return  # another process writes the lake, or the store is away: the next start tries again
