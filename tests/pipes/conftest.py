"""Fixtures of tests of pipes: a lake per module and kind of store, a pipe per test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.pipes.intake import Intake, intake_at
from tests.spark.places import Place, local_place, s3_place

import headwater

BATCHES: dict[str, Any] = {
    "pipe_files_per_batch": 3,
    "pipe_megabytes_per_batch": 1,
    "pipe_failures": 2,
}


@pytest.fixture(scope="module", params=["local", "s3"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Where the files are: each test of the module runs on both kinds of store."""
    if request.param == "local":
        return local_place(tmp_path_factory.mktemp("place") / "files")
    return s3_place(request.getfixturevalue("seaweedfs"))


@pytest.fixture(scope="module")
def shared_lake(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[headwater.Connection]:
    """A lake with a connection `c` to the place; batches are small and patience is short."""
    folder = tmp_path_factory.mktemp("pipes") / "lake"
    with headwater.connect(folder, **BATCHES) as connection:
        connection.sql(f"CREATE STORAGE CONNECTION c {place.connection_sql}")
        yield connection


@pytest.fixture
def intake(shared_lake: headwater.Connection, place: Place) -> Iterator[Intake]:
    """A folder, a table and room for a pipe."""
    with intake_at(shared_lake, place, recursive=False) as made:
        yield made


@pytest.fixture
def deep_intake(shared_lake: headwater.Connection, place: Place) -> Iterator[Intake]:
    """The same with a volume that takes folders in the folder too."""
    with intake_at(shared_lake, place, recursive=True) as made:
        yield made
