"""Directory tables beyond what SQL shows: errors, lakes that move, memory."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.files.conftest import opened_volume

import headwater
from headwater.errors import UserError
from headwater.files.directory import directory_rows, refresh
from headwater.storage.store import FileInfo, Page


def test_a_volume_without_a_directory_says_how_to_get_one(lake: headwater.Connection) -> None:
    lake.sql("CREATE VOLUME v")
    with pytest.raises(UserError, match=r"VOLUME_HAS_NO_DIRECTORY.*volume public.v") as caught:
        directory_rows(lake.session.lake, opened_volume(lake))
    assert "DIRECTORY = (ENABLE = TRUE)" in str(caught.value.hint)


def test_the_volume_of_a_user_has_no_directory(lake: headwater.Connection) -> None:
    with pytest.raises(UserError, match="VOLUME_HAS_NO_DIRECTORY: user volume") as caught:
        directory_rows(lake.session.lake, opened_volume(lake, ""))
    assert caught.value.hint == "LIST USER VOLUME shows its files"


def test_a_named_volume_moves_with_its_lake(new_lake: Path, tmp_path: Path) -> None:
    shutil.copytree(new_lake, tmp_path / "before")
    (tmp_path / "a.csv").write_bytes(b"1")
    with headwater.connect(tmp_path / "before") as lake:
        lake.sql("CREATE VOLUME v DIRECTORY = (ENABLE = TRUE)")
        lake.sql(f"PUT '{tmp_path}/a.csv' TO VOLUME v; ALTER VOLUME v REFRESH")
    (tmp_path / "before").rename(tmp_path / "after")
    with headwater.connect(tmp_path / "after") as lake:
        url = f"file://{tmp_path}/after/volumes/named/public/v/"
        rows = directory_rows(lake.session.lake, opened_volume(lake)).rows
        assert [row[:2] for row in rows] == [("a.csv", url + "a.csv")]
        assert dict(lake.sql("DESC VOLUME v").rows)["url"] == url
        assert lake.sql("ALTER VOLUME v REFRESH").message.endswith("0 added, 0 changed, 0 removed")


class _Endless:
    """A store that lists many files without holding them."""

    def list(self, folder: str = "", *, recursive: bool = True) -> Iterator[Page]:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        for page in range(30):
            yield [FileInfo(f"{page:03}/{n:04}.csv", n, at, f"{page}-{n}") for n in range(1000)]

    def close(self) -> None:
        pass


@pytest.mark.large
def test_a_refresh_needs_memory_for_a_page_not_for_all_files(lake: headwater.Connection) -> None:
    lake.sql("CREATE VOLUME v DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE")
    volume = replace(opened_volume(lake), store=_Endless())  # type: ignore[arg-type]
    tracemalloc.start()
    change = refresh(lake.session.lake, volume)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert change.added == 30_000
    assert peak < 6_000_000, peak
