"""Fixtures of tests that need a JVM: one Spark per test process, a new lake per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.spark.places import Place, local_place, s3_place

import headwater
from headwater.config import load_config
from headwater.lake.engine import Engine


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine without a lake, for tests that go to Spark directly."""
    folder = tmp_path_factory.mktemp("engine")
    return Engine(load_config(folder), scratch=folder / "scratch", log_file=folder / "spark.log")


@pytest.fixture
def spark(engine: Engine) -> Any:
    """A plain SparkSession with Delta."""
    return engine.new_session()


@pytest.fixture
def lake_path(tmp_path: Path) -> Path:
    """Where the test's lake is."""
    return tmp_path / "lake"


@pytest.fixture
def lake(lake_path: Path) -> Iterator[headwater.Connection]:
    """A connection to a new lake."""
    with headwater.connect(lake_path) as connection:
        yield connection


@pytest.fixture(scope="module", params=["local", "s3"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Where the files are: each test of the module runs on both kinds of store."""
    if request.param == "local":
        return local_place(tmp_path_factory.mktemp("place") / "files")
    return s3_place(request.getfixturevalue("seaweedfs"))
