"""Lakes without Spark for streams over volumes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.streams.fake_bucket import FakeBucket, stand_in
from tests.unit.streams.watching import Watching

import headwater


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        yield connection
        assert not connection.session.lake.engine.started


@pytest.fixture
def local(lake: headwater.Connection, tmp_path: Path) -> Watching:
    """Volume v over a folder of this machine."""
    folder = tmp_path / "in"
    folder.mkdir()
    lake.sql(
        "CREATE STORAGE CONNECTION c TYPE FILE;"
        f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION c"
        " DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
    )
    return Watching(lake)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> FakeBucket:
    """In the place of S3 and SQS."""
    return stand_in(monkeypatch)
