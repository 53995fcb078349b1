"""A pipe over more files than one look reads: it comes to the end of them, and rests there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from headwater.catalog.objects import Table, TableKind, TableState
from headwater.catalog.pipes import Pipe, PipeKind, PipeStatus
from headwater.pipes import listing
from headwater.pipes.batches import FileBatch
from headwater.pipes.events import Events
from headwater.pipes.listing import Listing
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.sources import Look, Source
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_body import pipe_body
from headwater.sql.pipe_properties import properties_of
from headwater.storage import local_files

BODY = "COPY INTO t FROM VOLUME v USING CSV PURGE = TRUE"
PROPERTIES = (("VIRTUAL_CLUSTER", "DEFAULT"), ("INGEST_MODE", "LIST_PURGE"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the files are."""
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.fixture
def lake(
    new_lake: Path, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenLake]:
    """Where a look reads two files at a time."""
    monkeypatch.setattr(local_files, "_PAGE", 1)
    monkeypatch.setattr(listing, "_PAGES_PER_LOOK", 2)
    copy = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(copy, pipe_heal_minutes=60) as connection:
        connection.sql("CREATE STORAGE CONNECTION c TYPE FILE")
        connection.sql(f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION c")
        yield connection.session.lake


@pytest.fixture
def source(lake: OpenLake) -> Listing:
    """Lists the folder."""
    return Listing(lake, _pipe(lake.config.workspace))


def _pipe(workspace: str) -> OpenPipe:
    at = now()
    table = Table("t1", workspace, "public", "t", TableKind.TABLE, TableState.ACTIVE, "me", at, at)
    pipe = Pipe(
        id="p1",
        workspace=workspace,
        schema="public",
        name="p",
        kind=PipeKind.VOLUME,
        status=PipeStatus.RUNNING,
        body=BODY,
        body_schema="public",
        creator="me",
        created_at=at,
        modified_at=at,
        input_name="volume:v",
        output_name="t",
        target_id=table.id,
        properties=PROPERTIES,
    )
    return OpenPipe(pipe, BODY, pipe_body(BODY), properties_of(PROPERTIES), table)


def load(source: Source, folder: Path) -> Look:
    """One look; what it finds is deleted as if it were loaded."""
    look = source.look(1)
    for name in names(look):
        (folder / name).unlink()
    return look


def names(look: Look) -> list[str]:
    """The files that a look found."""
    assert look.batch is None or isinstance(look.batch, FileBatch)
    return [file.path for file in look.batch.files] if look.batch is not None else []


def load_all(source: Listing, folder: Path) -> list[str]:
    """What is found until a look says that there is no more to see."""
    found: list[str] = []
    for _ in range(20):
        look = load(source, folder)
        found += names(look)
        if not look.more:
            return found
    raise AssertionError(f"it never rests; it found {found}")


def test_files_that_are_not_wanted_are_passed_once(source: Listing, folder: Path) -> None:
    for number in range(5):
        (folder / f".hidden{number}").touch()
    assert load_all(source, folder) == []


def test_what_came_in_front_while_others_were_found_is_found_too(
    source: Listing, folder: Path
) -> None:
    for name in ("c", "d", "e"):
        (folder / name).touch()
    assert names(load(source, folder)) == ["c", "d"]
    (folder / "a").touch()
    assert load_all(source, folder) == ["e", "a"]


def test_a_listing_that_heals_goes_on_until_its_end(lake: OpenLake, folder: Path) -> None:
    source = Events(lake, _pipe(lake.config.workspace), wait_seconds=0)
    for name in ("a", "b", "c"):
        (folder / name).touch()
    assert names(load(source, folder)) == ["a", "b"]
    assert names(load(source, folder)) == ["c"]
