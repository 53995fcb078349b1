"""Where the files of a test are: a folder of this machine, or a bucket of a real S3 server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.seaweedfs import KEYS, REGION, SeaweedServer

import headwater
from headwater.storage.addresses import parse_location
from headwater.storage.connections import StoreConnection
from headwater.storage.open_store import open_store
from headwater.storage.store import Store


@dataclass(frozen=True, slots=True)
class Place:
    """A folder for files, and the SQL that makes a volume `v` of it."""

    kind: str
    location: str
    connection_sql: str
    store: Store

    def mount(self, lake: headwater.Connection) -> None:
        """Make the connection `c` and the volume `v`."""
        lake.sql(f"CREATE STORAGE CONNECTION c {self.connection_sql}")
        lake.sql(
            f"CREATE EXTERNAL VOLUME v LOCATION '{self.location}' USING CONNECTION c"
            " DIRECTORY = (ENABLE = FALSE) RECURSIVE = TRUE"
        )

    def write(self, path: str, content: bytes) -> None:
        """Put a file there, with the store's own client."""
        self.store.write(path, content)

    def remove(self, path: str) -> None:
        """Take a file away."""
        assert not self.store.delete_many([path])

    def paths(self, folder: str = "") -> list[str]:
        """The files in a folder and below."""
        return sorted(file.path for page in self.store.list(folder) for file in page)


def local_place(folder: Path) -> Place:
    """A folder of this machine."""
    folder.mkdir(parents=True)
    location = f"file://{folder}/"
    store = open_store(parse_location(location), None)
    return Place("local", location, "TYPE FILE", store)


def s3_place(server: SeaweedServer) -> Place:
    """A folder in a new bucket."""
    location = f"s3://{server.create_bucket()}/data/"
    return Place("s3", location, s3_sql(server.connection), _store(location, server.connection))


def s3_sql(connection: StoreConnection, *, secret: str = KEYS.secret_key) -> str:
    """TYPE and keys of a connection."""
    return (
        f"TYPE S3 ACCESS_KEY = '{KEYS.access_key}' SECRET_KEY = '{secret}'"
        f" ENDPOINT = '{connection.endpoint}' REGION = '{REGION}'"
    )


def _store(location: str, connection: StoreConnection) -> Store:
    return open_store(parse_location(location), connection)


def text_literal(text: str) -> str:
    """A text as a literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return "'" + escaped.replace("\t", "\\t") + "'"
