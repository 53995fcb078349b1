"""Lakes without Spark, and each test of a volume on a local folder and on a real S3 server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.seaweedfs import KEYS, REGION, SeaweedServer

import headwater
from headwater.files.volumes import OpenVolume, Whose, open_volume
from headwater.names import ObjectName
from headwater.sql.volume_refs import VolumeKind, VolumeRef


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        yield connection
        assert not connection.session.lake.engine.started


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to make volumes: a connection's definition and an empty folder."""

    connection: str
    location: str


@pytest.fixture(params=["file", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty folder of each kind of store."""
    if request.param == "file":
        folder = tmp_path / "the volume"
        folder.mkdir()
        return Place("TYPE FILE", f"file://{folder}/")
    server: SeaweedServer = request.getfixturevalue("seaweedfs")
    return s3_place(server)


def s3_place(
    server: SeaweedServer, *, secret: str = KEYS.secret_key, bucket: str | None = None
) -> Place:
    """A folder of a new bucket, or of one that there may be."""
    connection = (
        f"TYPE S3 ACCESS_KEY = '{KEYS.access_key}' SECRET_KEY = '{secret}'"
        f" ENDPOINT = '{server.endpoint}' REGION = '{REGION}'"
    )
    return Place(connection, f"s3://{bucket or server.create_bucket()}/the volume/")


@pytest.fixture
def volume(lake: headwater.Connection, place: Place) -> headwater.Connection:
    """A lake with a volume v on the folder."""
    lake.sql(f"CREATE STORAGE CONNECTION c {place.connection}")
    lake.sql(
        f"CREATE EXTERNAL VOLUME v LOCATION '{place.location}' USING CONNECTION c"
        " DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
    )
    return lake


def opened_volume(lake: headwater.Connection, name: str = "v") -> OpenVolume:
    """A named or external volume of schema public; the user's own for an empty name."""
    whose = Whose("headwater", "public", "tester")
    ref = VolumeRef(VolumeKind.NAMED, ObjectName(name)) if name else VolumeRef(VolumeKind.USER)
    return open_volume(lake.session.lake, ref, whose)
