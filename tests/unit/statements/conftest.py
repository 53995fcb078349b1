"""A lake with a table, a volume and nothing running: statements that need no Spark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import table_of

import headwater


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    """Table t, volume v over a folder of this machine; at the end Spark has not started."""
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    (tmp_path / "in").mkdir()
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        table_of(connection.session.lake)
        connection.sql(
            "CREATE STORAGE CONNECTION c TYPE FILE;"
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{tmp_path}/in/' USING CONNECTION c"
        )
        yield connection
        assert not connection.session.lake.engine.started
