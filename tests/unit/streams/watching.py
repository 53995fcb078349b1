"""A lake whose volume v is watched, and what its streams show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import headwater
from headwater.catalog.streams import Stream
from headwater.catalog.volumes import Volume
from headwater.names import ObjectName
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.sql.create_stream import CreateVolumeStream
from headwater.statements.context import Context
from headwater.statements.create_volume_stream import create_volume_stream
from headwater.streams.volume_changes import VolumeChanges, volume_changes


@dataclass(frozen=True, slots=True)
class Watching:
    """Makes streams over volumes as a statement does, and reads and consumes them."""

    connection: headwater.Connection

    @property
    def lake(self) -> OpenLake:
        return self.connection.session.lake

    def sql(self, text: str) -> Result:
        return self.connection.sql(text)

    def create(self, name: str = "s", volume: str = "v", **options: Any) -> Result:
        """CREATE STREAM name ON VOLUME volume."""
        text = f"CREATE STREAM {name} ON VOLUME {volume}"
        state = self.connection.session.state
        context = Context(state, "job", text, [], lambda context, text: Result())
        statement = CreateVolumeStream(
            ObjectName.of(name), ObjectName.of(*volume.split(".")), **options
        )
        return create_volume_stream(context, statement)

    def stream(self, name: str = "s") -> Stream:
        found = self.lake.store.streams.get("headwater", "public", name)
        assert found is not None
        return found

    def volume(self, name: str = "v") -> Volume:
        found = self.lake.store.volumes.get("headwater", "public", name)
        assert found is not None
        return found

    def changes(self, name: str = "s") -> VolumeChanges:
        return volume_changes(self.lake, self.stream(name))

    def rows(self, name: str = "s") -> list[tuple[str, int, str, int]]:
        """What a stream shows: type, version, path and size."""
        return [(row[0], row[1], row[3], row[5]) for row in self.changes(name).rows.rows]

    def shown(self, name: str = "s") -> list[tuple[str, str]]:
        """Type and path alone."""
        return [(row[0], row[2]) for row in self.rows(name)]

    def consume(self, name: str = "s") -> list[tuple[str, int, str, int]]:
        """What a DML sees that reads the stream and commits."""
        stream, changes = self.stream(name), self.changes(name)
        self.lake.store.streams.move([stream.move(changes.to)], now())
        return [(row[0], row[1], row[3], row[5]) for row in changes.rows.rows]
