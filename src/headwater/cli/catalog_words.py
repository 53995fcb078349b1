"""The names a completion can offer, read from the catalog and kept until the next statement.

They come from the store and not from SHOW statements: each of those would be a job, and there would
be one in the history of jobs for every word typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError
from headwater.sql.catalog_words import Names

if TYPE_CHECKING:
    from headwater.dbapi import Connection


def words_of(connection: Connection) -> StoredWords | NoWords:
    """What the shell can offer on a connection."""
    return StoredWords(connection) if connection.embedded else NoWords()


class NoWords:
    """The catalog is in a service: only the words of the language are known here."""

    def refresh(self) -> None:
        """Nothing was read."""

    def schemas(self) -> Names:
        """None."""
        return ()

    def tables(self, schema: str | None) -> Names:
        """None."""
        return ()

    def columns(self, schema: str | None, table: str) -> Names:
        """None."""
        return ()

    def streams(self, schema: str | None) -> Names:
        """None."""
        return ()

    def volumes(self, schema: str | None) -> Names:
        """None."""
        return ()

    def connections(self) -> Names:
        """None."""
        return ()


class StoredWords:
    """The words of the lake that a connection is open on; never starts Spark."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._schemas: Names | None = None
        self._tables: dict[str, dict[str, Names]] = {}
        self._streams: dict[str, Names] = {}
        self._volumes: dict[str, Names] = {}
        self._connections: Names | None = None

    def refresh(self) -> None:
        """Forget what was read: a statement may have changed it."""
        self._schemas = self._connections = None
        self._tables.clear()
        self._streams.clear()
        self._volumes.clear()

    def schemas(self) -> Names:
        """All schemas."""
        if self._schemas is None:
            self._schemas = self._read_schemas()
        return self._schemas

    def tables(self, schema: str | None) -> Names:
        """The tables and views of a schema."""
        return tuple(self._columns_by_table(schema))

    def columns(self, schema: str | None, table: str) -> Names:
        """The columns of a table or view."""
        return self._columns_by_table(schema).get(table.lower(), ())

    def streams(self, schema: str | None) -> Names:
        """The streams of a schema."""
        name = (schema or self._connection.schema).lower()
        if name not in self._streams:
            self._streams[name] = self._read_streams(name)
        return self._streams[name]

    def volumes(self, schema: str | None) -> Names:
        """The volumes of a schema."""
        name = (schema or self._connection.schema).lower()
        if name not in self._volumes:
            self._volumes[name] = self._read_volumes(name)
        return self._volumes[name]

    def connections(self) -> Names:
        """All connections."""
        if self._connections is None:
            self._connections = self._read_connections()
        return self._connections

    def _columns_by_table(self, schema: str | None) -> dict[str, Names]:
        name = (schema or self._connection.schema).lower()
        if name not in self._tables:
            self._tables[name] = self._read_tables(name)
        return self._tables[name]

    # A catalog that cannot be reached has no words, and the prompt goes on.
    def _read_schemas(self) -> Names:
        state = self._connection.session.state
        try:
            schemas = state.lake.store.schemas.list(state.workspace)
        except HeadwaterError:
            return ()
        return tuple(schema.name for schema in schemas)

    def _read_tables(self, schema: str) -> dict[str, Names]:
        state = self._connection.session.state
        try:
            tables = state.lake.store.tables.list(state.workspace, schema)
        except HeadwaterError:
            return {}
        return {table.name: tuple(c.name for c in table.shape.columns) for table in tables}

    def _read_streams(self, schema: str) -> Names:
        state = self._connection.session.state
        try:
            streams = state.lake.store.streams.list(state.workspace, schema)
        except HeadwaterError:
            return ()
        return tuple(stream.name for stream in streams)

    def _read_volumes(self, schema: str) -> Names:
        state = self._connection.session.state
        try:
            volumes = state.lake.store.volumes.list(state.workspace, schema)
        except HeadwaterError:
            return ()
        return tuple(volume.name for volume in volumes)

    def _read_connections(self) -> Names:
        state = self._connection.session.state
        try:
            connections = state.lake.store.connections.list(state.workspace)
        except HeadwaterError:
            return ()
        return tuple(connection.name for connection in connections)
