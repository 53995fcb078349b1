"""A lake whose catalog is gone is no new lake: a new catalog would not know what is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import headwater
from headwater.errors import UserError


@pytest.fixture
def folder(new_lake: Path, tmp_path: Path) -> Path:
    """A lake with the files of a table and without its catalog."""
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    for file in folder.glob("catalog.db*"):
        file.unlink()
    log = folder / "tables" / "public" / "t-1" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text("{}")
    return folder


def contents(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("emptied", [False, True], ids=["removed", "emptied"])
def test_it_is_refused_and_left_alone(folder: Path, emptied: bool) -> None:
    if emptied:
        (folder / "catalog.db").touch()
    before = contents(folder)
    with pytest.raises(UserError) as caught:
        headwater.connect(folder)
    assert caught.value.condition == "CATALOG_MISSING"
    assert "tables" in str(caught.value)
    assert contents(folder) == before


def test_files_of_volumes_count_too(folder: Path) -> None:
    shutil.rmtree(folder / "tables")
    (folder / "volumes" / "named" / "public" / "v").mkdir(parents=True)
    (folder / "volumes" / "named" / "public" / "v" / "a.csv").write_text("1")
    with pytest.raises(UserError, match=r"CATALOG_MISSING.*volumes"):
        headwater.connect(folder)


def test_empty_folders_are_no_reason(folder: Path) -> None:
    shutil.rmtree(folder / "tables" / "public")
    with headwater.connect(folder) as lake:
        assert lake.sql("SHOW TABLES").rows == []


def test_a_catalog_elsewhere_is_not_missed(folder: Path, tmp_path: Path) -> None:
    with headwater.connect(folder, metadata_url=f"sqlite:///{tmp_path / 'other.db'}") as lake:
        assert lake.sql("SHOW TABLES").rows == []
