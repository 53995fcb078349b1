"""A lake with a table, a volume and nothing running: statements that need no Spark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import table_of

import headwater


@pytest.fixture(scope="session")
def furnished_lake(new_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Table t and volume v: copied by each test, because making them takes most of its time."""
    place = tmp_path_factory.mktemp("furnished")
    folder = shutil.copytree(new_lake, place / "lake")
    (place / "in").mkdir()
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        table_of(connection.session.lake)
        connection.sql(
            "CREATE STORAGE CONNECTION c TYPE FILE;"
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{place}/in/' USING CONNECTION c"
        )
        with connection.session.lake.store.begin() as catalog:
            catalog.exec_driver_sql("DELETE FROM jobs")
    return folder


@pytest.fixture
def lake(furnished_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    """Table t, volume v over a folder of this machine; at the end Spark has not started."""
    folder = shutil.copytree(furnished_lake, tmp_path / "lake")
    (tmp_path / "in").mkdir()
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        with connection.session.lake.store.begin() as catalog:
            here = (f"file://{tmp_path}/in/",)
            catalog.exec_driver_sql("UPDATE volumes SET url = ?", here)
        yield connection
        assert not connection.session.lake.engine.started
