"""What a handler gets besides its statement: the session it runs in and the job it runs as."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from headwater.access.grants import Identity
from headwater.catalog.objects import Table
from headwater.catalog.store import Store
from headwater.errors import Span
from headwater.lake.spark_session import SparkConnection
from headwater.names import ObjectName, QualifiedName
from headwater.pipes.batches import Batch
from headwater.refresh.hints import allows_backfill
from headwater.refresh.pins import WavePins
from headwater.refresh.understanding import Understandings
from headwater.result import Result
from headwater.runtime.open_lake import OpenLake
from headwater.sql.edits import EditedText
from headwater.sql.roles import Role
from headwater.sql.settings import TIME_ZONE_KEY
from headwater.sql.tokens import Token
from headwater.streams.reads import StreamReads
from headwater.tables.commits import Author
from headwater.tables.find import (
    BACKFILLS,
    find_base_table,
    find_table,
    find_writable_table,
    require_no_view,
)
from headwater.tables.registration import register_database
from headwater.time_zones import zone_of


@dataclass(slots=True)
class SessionState:
    """What SET, USE and temporary views change: the private part of one connection."""

    lake: OpenLake
    user: str
    workspace: str
    schema: str
    vcluster: str = "DEFAULT"
    settings: dict[str, str] = field(default_factory=dict)
    temporary_views: set[str] = field(default_factory=set)
    functions: dict[QualifiedName, tuple[str, str]] = field(default_factory=dict)
    """The lake's functions that Spark knows here: the name it has for each, and the id."""
    understandings: Understandings = field(default_factory=Understandings)
    """What Spark has said here of the queries of dynamic tables."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held while Spark runs a statement of this session, whose settings are the session's own."""
    only_at: int | None = None
    """The Delta version of the table to write on which the statement was decided, for upkeep."""
    role: Role = Role.ADMIN
    """What the user may do; who opened the lake's folder may do everything."""
    exchange: Path | None = None
    """The one folder of the machine that PUT and GET may reach; None if they may reach all."""
    local_files: bool = True
    """Whether PUT and GET may reach files of this machine without an exchange."""
    unparsed: EditedText | None = None
    """The query under way, as the parser of a Spark that has to be started for it would get it."""
    _spark: SparkConnection | None = None
    _spark_schema: str | None = None
    _view_number: int = 0

    @property
    def identity(self) -> Identity:
        """Who runs the statements of this session."""
        return Identity(self.user, self.role)

    def become(self, identity: Identity) -> None:
        """Let somebody else run the statements from now on."""
        self.user, self.role = identity.user, identity.role

    def spark(self) -> SparkConnection:
        """The Spark session, started on first use and kept in the current schema."""
        if self._spark is None:
            if self.unparsed is not None:
                self.lake.engine.require_parsed(self.unparsed)
            spark = self.lake.new_spark()
            for key, value in self.settings.items():
                if key.startswith("spark."):
                    spark.set(key, value)
            # Not before all are set: a value that Spark refuses is refused until it is mended.
            self._spark = spark
        if self._spark_schema != self.schema:
            database = register_database(self.lake, self.workspace, self.schema)
            self._spark.use_database(database)
            self._spark_schema = self.schema
        return self._spark

    @property
    def spark_started(self) -> bool:
        """Whether this session has used Spark."""
        return self._spark is not None

    def next_view_name(self) -> str:
        """A name for a temporary view of ours that no user would choose."""
        self._view_number += 1
        return f"__headwater_{self._view_number}"

    @property
    def time_zone(self) -> str:
        """The session's time zone."""
        return self.settings.get(TIME_ZONE_KEY) or self.lake.config.time_zone

    def local(self, moment: datetime | None) -> datetime | None:
        """A moment as the session shows it: naive, in its time zone, to the millisecond."""
        return None if moment is None else self.shown(moment)

    def shown(self, moment: datetime) -> datetime:
        """Like `local`, for a moment that is known."""
        there = moment.astimezone(zone_of(self.time_zone))
        return there.replace(tzinfo=None, microsecond=there.microsecond // 1000 * 1000)


@dataclass(frozen=True, slots=True)
class Context:
    """One statement under way.

    `workspace` and `schema` are set while the query of a view is resolved: its names mean what they
    meant where the view was made.
    """

    session: SessionState
    job_id: str
    text: str
    tokens: list[Token]
    run: Callable[[Context, str], Result]
    """Runs a metadata statement inside this one, such as `(SHOW TABLES)` used as a relation."""
    workspace: str | None = None
    schema: str | None = None
    batch: Batch | None = None
    """What to read, when a pipe runs the statement."""
    wave: WavePins | None = None
    """What to read, when the schedule refreshes a dynamic table."""
    known_utf8: frozenset[str] = frozenset()
    """The addresses of files that hold U+FFFD, and nothing that is not UTF-8."""
    reads: StreamReads = field(default_factory=StreamReads)
    """The streams it reads; found while its text is made ready for Spark."""

    @property
    def lake(self) -> OpenLake:
        """The lake."""
        return self.session.lake

    @property
    def store(self) -> Store:
        """The lake's catalog."""
        return self.session.lake.store

    @property
    def author(self) -> Author:
        """Who commits, and which streams that consumes: ask when the text is ready for Spark."""
        mark = self.batch.mark if self.batch is not None else None
        moves, only_at = self.reads.moves, self.session.only_at
        return Author(self.job_id, self.session.user, mark, moves, only_at=only_at)

    def qualify(self, name: ObjectName) -> QualifiedName:
        """A name with its missing parts taken from the session."""
        return name.qualified(
            workspace=self.workspace or self.session.workspace,
            schema=self.schema or self.session.schema,
        )

    @property
    def in_view(self) -> bool:
        """Whether a view's query is being resolved."""
        return self.schema is not None

    def span_of(self, name: ObjectName, *, last: bool = False) -> Span | None:
        """Where a name stands first, or last, in the text; None when it cannot be told."""
        parts = [part for part in (name.workspace, name.schema, name.name) if part is not None]
        steps = 2 * len(parts) - 1
        found = None
        for place, token in enumerate(self.tokens):
            words = [t.value.lower() for t in self.tokens[place : place + steps]]
            if token.is_name and words[::2] == parts and set(words[1::2]) <= {"."}:
                found = Span(token.start, self.tokens[place + steps - 1].end)
                if not last:
                    break
        return found

    def table(self, name: ObjectName) -> Table:
        """The table or view of that name."""
        return find_table(self.store, self.qualify(name), span=self.span_of(name))

    def base_table(self, name: ObjectName, *, statement: str) -> Table:
        """The table of that name, dynamic or not; a view is refused."""
        span = self.span_of(name)
        return find_base_table(self.store, self.qualify(name), statement=statement, span=span)

    def writable_table(self, name: ObjectName, *, statement: str) -> Table:
        """The table of that name; a view is refused, and a dynamic one unless it is backfilled."""
        qualified, span = self.qualify(name), self.span_of(name)
        if statement in BACKFILLS and allows_backfill(self.session.settings):
            table = find_base_table(self.store, qualified, statement=statement, span=span)
            require_no_view(table, qualified, statement=statement, span=span)
            return table
        return find_writable_table(self.store, qualified, statement=statement, span=span)
