"""The folder of a table answers the same, on this machine and on a store."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from headwater.lake.delta_log.kept_files import KeptFiles
from headwater.lake.store_folders import StoreFolder, StorePlaces
from headwater.lake.table_folders import LocalFolder, TableFolder
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store
from headwater.storage.store import Store

TABLE = "tables/public/t-1"


class Place:
    def __init__(self, store: Store, folder: TableFolder) -> None:
        self.store = store
        self.folder = folder

    def write(self, *names: str) -> None:
        for name in names:
            self.store.write(f"{TABLE}/{name}", b"12345")

    def all(self) -> set[str]:
        return {file.path for page in self.store.list() for file in page}


@pytest.fixture(params=["local", "folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path) -> Iterator[Place]:
    if request.param == "s3":
        server = request.getfixturevalue("seaweedfs")
        store = open_store(
            parse_location(f"s3://{server.create_bucket()}/lake/"), server.connection
        )
    else:
        (tmp_path / "lake").mkdir()
        store = open_store(parse_location(f"file://{tmp_path}/lake/"))
    folder: TableFolder = StoreFolder(store, TABLE, location="s3a://b/x", kept=KeptFiles())
    if request.param == "local":
        folder = LocalFolder(tmp_path / "lake" / TABLE)
    yield Place(store, folder)
    store.close()


@pytest.mark.parametrize("count", [3, 40])
def test_the_first_file_that_is_not_there_is_named(place, count):
    names = [f"p=a b/part-{number}" for number in range(count)]
    place.write(*names)
    assert place.folder.first_missing(names) is None
    assert place.folder.first_missing([*names, "part-x", "part-y"]) == "part-x"
    assert place.folder.first_missing([]) is None


def test_files_of_logs_do_not_count(place):
    place.write("part-1", "p=1/part-2", "_delta_log/0.json", "_state/s/_delta_log/0.json")
    assert set(place.folder.sizes()) == {("part-1", 5), ("p=1/part-2", 5)}


def test_files_are_removed_and_others_stay(place):
    place.write("part-1", "p=a b/part-2", "part-3")
    place.folder.remove(["part-1", "p=a b/part-2", "part-9"])
    assert place.all() == {f"{TABLE}/part-3"}


def test_a_folder_goes_with_everything_in_it_and_no_other(place):
    place.write("part-1", "_delta_log/0.json", "_state/s/part-2")
    place.store.write(f"{TABLE}0/part-1", b"")
    assert place.folder.remove_all()
    assert place.all() == {f"{TABLE}0/part-1"}
    assert place.folder.remove_all()


def test_on_a_store_no_file_is_taken_for_one_of_a_failed_job(place):
    place.write("part-1")
    found = list(place.folder.written_since(time.time() - 60))
    assert found == (["part-1"] if isinstance(place.folder, LocalFolder) else [])


def test_what_is_not_below_the_store_s_folder_is_on_this_machine(tmp_path):
    store = open_store(parse_location(f"file://{tmp_path}/"))
    places = StorePlaces(store, "s3a://b/lake/")
    assert isinstance(places.folder("s3a://b/lake/tables/t"), StoreFolder)
    assert places.folder("s3a://b/lake/tables/t").log.table == "s3a://b/lake/tables/t"
    assert isinstance(places.folder("/data/t"), LocalFolder)
    assert isinstance(places.folder("file:///data/t"), LocalFolder)
