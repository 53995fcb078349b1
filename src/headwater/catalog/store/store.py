"""The store: a lake's catalog in a database, one attribute per kind of thing.

Invariant: each method is one transaction of its own, unless it is given the connection of
`Store.begin()`; then all of them happen together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from sqlalchemy import Connection

from headwater.catalog.store.addresses import read_address
from headwater.catalog.store.alerts import Alerts
from headwater.catalog.store.audit import Audit
from headwater.catalog.store.connections import Connections
from headwater.catalog.store.database import Database
from headwater.catalog.store.directory_changes import DirectoryChanges
from headwater.catalog.store.directory_files import DirectoryFiles
from headwater.catalog.store.dynamic_tables import DynamicTables
from headwater.catalog.store.functions import Functions
from headwater.catalog.store.grants import Grants
from headwater.catalog.store.instances import Instances
from headwater.catalog.store.jobs import Jobs
from headwater.catalog.store.lease import WriterLease
from headwater.catalog.store.load_history import LoadHistory
from headwater.catalog.store.migrate import Lake, prepare
from headwater.catalog.store.pipe_batches import PipeBatches
from headwater.catalog.store.pipes import Pipes
from headwater.catalog.store.refreshes import Refreshes
from headwater.catalog.store.schedules import Schedules
from headwater.catalog.store.schemas import Schemas
from headwater.catalog.store.securables import Securables
from headwater.catalog.store.settings import Settings
from headwater.catalog.store.streams import Streams
from headwater.catalog.store.tables import Tables
from headwater.catalog.store.task_instances import TaskInstances
from headwater.catalog.store.tasks import Tasks
from headwater.catalog.store.users import Tokens, Users
from headwater.catalog.store.vclusters import VirtualClusters
from headwater.catalog.store.versions import Versions
from headwater.catalog.store.volume_messages import VolumeMessages
from headwater.catalog.store.volumes import Volumes
from headwater.catalog.store.workspaces import Workspaces


class Store:
    """An open catalog. Threads may share it."""

    def __init__(self, database: Database, lake: Lake) -> None:
        self._database = database
        self._lake = lake
        self.workspaces = Workspaces(database)
        self.vclusters = VirtualClusters(database)
        self.schemas = Schemas(database)
        self.versions = Versions(database)
        self.tables = Tables(database)
        self.connections = Connections(database)
        self.volumes = Volumes(database)
        self.directory_files = DirectoryFiles(database)
        self.directory_changes = DirectoryChanges(database)
        self.volume_messages = VolumeMessages(database)
        self.load_history = LoadHistory(database)
        self.pipes = Pipes(database)
        self.pipe_batches = PipeBatches(database)
        self.streams = Streams(database)
        self.dynamic_tables = DynamicTables(database)
        self.refreshes = Refreshes(database)
        self.schedules = Schedules(database)
        self.functions = Functions(database)
        self.tasks = Tasks(database)
        self.task_instances = TaskInstances(database)
        self.alerts = Alerts(database)
        self.jobs = Jobs(database)
        self.users = Users(database)
        self.tokens = Tokens(database)
        self.grants = Grants(database)
        self.securables = Securables(database)
        self.audit = Audit(database)
        self.settings = Settings(database)
        self.instances = Instances(database)
        self.lease = WriterLease(database)

    @classmethod
    def open(cls, url: str, *, clock: Callable[[], datetime]) -> Store:
        """Opens the catalog at `url`, creating or upgrading it where that is needed.

        Args:
            url: `sqlite:///path/catalog.db` or `postgresql://user@host/database`.
            clock: gives the present time, with a time zone.
        """
        database = Database(read_address(url), clock=clock)
        try:
            return cls(database, prepare(database))
        except BaseException:
            database.close()
            raise

    @property
    def lake_id(self) -> str:
        """The lake's identity, given once when its catalog was created."""
        return self._lake.lake_id

    @property
    def created_at(self) -> datetime:
        """When the lake's catalog was created."""
        return self._lake.created_at

    def begin(self) -> AbstractContextManager[Connection]:
        """One transaction for several writes: give its connection to each of them."""
        return self._database.write()

    def close(self) -> None:
        """Gives back all connections to the database."""
        self._database.close()
