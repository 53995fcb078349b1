"""A lake that this process has open: everything its connections share.

Connections to one lake in one process share one `OpenLake`, found through a table of this process's
open lakes: one catalog, one engine, one lease.
"""

from __future__ import annotations

import logging
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from headwater.catalog.objects import Schema, Table
from headwater.catalog.store import Store
from headwater.config import Config, load_config
from headwater.errors import HeadwaterError, UserError
from headwater.lake.changes.kept import KeptChanges
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.engine import Engine
from headwater.lake.spark_session import SparkConnection
from headwater.lake.store_folders import StorePlaces
from headwater.lake.table_folders import LocalPlaces, TableFolder, TablePlaces
from headwater.runtime.clock import now
from headwater.runtime.clusters import Clusters
from headwater.runtime.lake_folder import LakeFolder, open_folder
from headwater.runtime.lake_store import open_lake_store
from headwater.runtime.locks import ObjectLocks
from headwater.runtime.passes import Passes
from headwater.runtime.process_identity import this_process
from headwater.runtime.taken import Taken
from headwater.runtime.writer import Heartbeat, Writer

DEFAULT_SCHEMA = "public"
MOST_SECONDS_TO_END = 5.0
"""How long closing a lake waits for its work in the background."""
_log = logging.getLogger(__name__)
_BEATS_PER_LEASE = 3
_MOST_SECONDS_BETWEEN_BEATS = 2.0


class OpenLake:
    """Shared by the connections of this process; `close` when the last one is gone."""

    def __init__(self, folder: LakeFolder, config: Config) -> None:
        self.folder = folder
        self.config = config
        self.remote = open_lake_store(config)
        """The object store that holds tables and volumes; None if the lake folder does."""
        if config.metadata_url is None:
            folder.require_catalog()
        self.store = Store.open(config.metadata_url or folder.catalog_url, clock=now)
        self.places: TablePlaces = (
            LocalPlaces()
            if self.remote is None
            else StorePlaces(self.remote.store, self.remote.url)
        )
        self.engine = Engine(config, scratch=folder.scratch, log_file=folder.spark_log)
        self.instance = this_process(config.user)
        self.writer = Writer(self.store, self.instance, lease_seconds=config.lease_seconds)
        self.clusters = Clusters(self.store, self.instance.id, clock=now)
        self.locks = ObjectLocks()
        self.registered: dict[str, str] = {}
        """Names known to this lake's Spark catalog, with the id of what they stand for."""
        self.kept_changes = KeptChanges()
        self.passes = Passes()
        self.transfers: dict[str, tuple[int, int]] = {}
        """Files copied, and all there are, by the job that copies them."""
        self.turn = threading.Lock()
        """Held by the run until idle that is at work: one at a time."""
        self.purging = Taken()
        """The loaded files that are being deleted."""
        # Measuring a finished job must not make its user wait.
        self.background = ThreadPoolExecutor(1, thread_name_prefix="headwater-background")
        every = min(config.lease_seconds / _BEATS_PER_LEASE, _MOST_SECONDS_BETWEEN_BEATS)
        self._heartbeat = Heartbeat(self._beat, every=every)
        self._prepare()

    def _prepare(self) -> None:
        self.store.instances.register(self.instance)
        workspace = self.config.workspace
        if self.store.workspaces.get(workspace) is None:
            self.store.workspaces.ensure(workspace)
        self.store.vclusters.ensure_built_in(workspace)
        if not self.store.schemas.list(workspace):
            self._create_default_schema(workspace)
        self._heartbeat.start()

    def _create_default_schema(self, workspace: str) -> None:
        at = now()
        schema = Schema(
            id=uuid.uuid4().hex,
            workspace=workspace,
            name=DEFAULT_SCHEMA,
            creator=self.config.user,
            created_at=at,
            modified_at=at,
        )
        try:
            self.store.schemas.create(schema)
        except UserError as error:
            # Another process opened the same fresh lake a moment ago.
            if error.condition != "SCHEMA_ALREADY_EXISTS":
                raise

    def _beat(self) -> None:
        # First of all: whatever happens to the rest, the lake stays held.
        try:
            self.store.instances.heartbeat(self.instance.id)
            self.writer.heartbeat()
        finally:
            # Who is over time is known here, also while the catalog is away.
            for job_id in self.clusters.overdue():
                self.engine.cancel_job(job_id)
        for job_id in self.store.jobs.cancel_requested(self.instance.id):
            self.cancel_job(job_id)

    def cancel_job(self, job_id: str) -> None:
        """Stop a job of this process, whether it runs or waits; from any thread."""
        self.clusters.cancel(job_id)
        self.engine.cancel_job(job_id)

    def new_spark(self) -> SparkConnection:
        """A private Spark session; the first one starts Spark."""
        session = self.engine.new_session()
        if self.remote is not None:
            access = self.remote.access
            self.engine.reach(access.url, access.settings, access.jar_set)
        return SparkConnection(session, self.places)

    @cached_property
    def registrar(self) -> SparkConnection:
        """The session that tells Spark's catalog about tables, whoever mentions them."""
        return self.new_spark()

    def location(self, table: Table) -> str:
        """Where a table's files are; those of managed tables move with the lake's folder."""
        if not table.managed:
            return table.location
        if self.remote is not None:
            return self.remote.url + table.location
        return str(self.folder.path / table.location)

    def table_folder(self, table: Table) -> TableFolder:
        """The log and the files of a table."""
        return self.places.folder(self.location(table))

    def log_files(self, table: Table) -> LogFiles:
        """The log of a table."""
        return self.table_folder(table).log

    def remove_folder(self, table: Table) -> bool:
        """Remove the files of a table for good; whether all of them are gone."""
        return self.remove_folder_at(self.location(table))

    def remove_folder_at(self, location: str) -> bool:
        """The same, for any folder of the lake."""
        try:
            return self.places.folder(location).remove_all()
        except HeadwaterError as error:
            _log.warning("cannot remove %s: %s", location, error)
            return False

    @property
    def job_retention(self) -> timedelta:
        """How long finished jobs are kept."""
        return timedelta(days=self.config.job_retention_days)

    @property
    def audit_retention(self) -> timedelta:
        """How long it is remembered who did what."""
        return timedelta(days=self.config.audit_retention_days)

    @property
    def load_history_retention(self) -> timedelta:
        """How long it is remembered which files were loaded."""
        return timedelta(days=self.config.load_history_retention_days)

    def flush_background(self) -> None:
        """Wait until what runs in the background at this moment is done."""
        self.background.submit(lambda: None).result(timeout=30)

    def _end_background(self) -> None:
        """Let what waits in the background be done, but not for long: after load it is much.

        Nothing depends on it: a job stays without its profile, and what is to be deleted is found
        again at the next start.
        """
        try:
            self.background.submit(lambda: None).result(timeout=MOST_SECONDS_TO_END)
        except TimeoutError:
            _log.warning("what was to be done in the background is left undone")
        self.background.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Give everything back but Spark, which the process keeps for the next lake."""
        self._end_background()
        self._heartbeat.stop()
        self.kept_changes.clear()
        self.engine.close()
        self.writer.release()
        self.store.instances.remove(self.instance.id)
        self.store.close()
        if self.remote is not None:
            self.remote.store.close()


_lock = threading.Lock()
_open: dict[Path, tuple[OpenLake, int]] = {}


def acquire_lake(
    path: str | Path, *, create: bool = True, **arguments: Any
) -> tuple[OpenLake, Config]:
    """The open lake at `path`, shared with the other connections of this process.

    With it come the settings of this one connection, whose user and time zone are its own.
    """
    folder = open_folder(path, create=create)
    config = load_config(folder.path, **arguments)
    with _lock:
        found = _open.get(folder.path)
        if found is None:
            lake = OpenLake(folder, config)
            _open[folder.path] = (lake, 1)
            return lake, config
        lake, users = found
        _require_same(lake.config, config)
        _open[folder.path] = (lake, users + 1)
        return lake, config


def share_lake(lake: OpenLake) -> OpenLake:
    """One more user of a lake that is open; like `acquire_lake`, to be undone by `release_lake`."""
    with _lock:
        _, users = _open[lake.folder.path]
        _open[lake.folder.path] = (lake, users + 1)
    return lake


def release_lake(lake: OpenLake) -> None:
    """Undo one `acquire_lake`; the last one closes the lake."""
    with _lock:
        _, users = _open[lake.folder.path]
        if users > 1:
            _open[lake.folder.path] = (lake, users - 1)
            return
        del _open[lake.folder.path]
    lake.close()


def _require_same(current: Config, wanted: Config) -> None:
    """The user and the time zone are a connection's own; everything else is the lake's."""
    aligned = replace(wanted, user=current.user, time_zone=current.time_zone)
    if aligned != current:
        names = [n for n in Config.__slots__ if getattr(aligned, n) != getattr(current, n)]
        raise UserError("LAKE_OPEN_DIFFERENTLY", names=", ".join(names))
