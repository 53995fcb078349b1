"""A log answers the same, wherever it lies; on a store, one version costs one request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from headwater.lake.delta_log.files import LocalLogFiles, LogFiles
from headwater.lake.delta_log.kept_files import KeptFiles
from headwater.lake.delta_log.snapshot import read_snapshot
from headwater.lake.delta_log.store_files import StoreLogFiles
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store
from headwater.storage.store import Store

TABLE = "tables/public/a b-1"


class Counting:
    """A store that counts what it is asked."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.asked[name] += 1
        return getattr(self.store, name)


class Place:
    """A place for the log of a test, which is made on this machine and then brought there."""

    def __init__(self, log, store: Store | None) -> None:
        self.log = log
        self.store = None if store is None else Counting(store)
        self.kept = KeptFiles()

    def bring(self) -> LogFiles:
        if self.store is None:
            return LocalLogFiles(self.log.folder)
        for path in self.log.folder.rglob("*"):
            if path.is_file():
                name = path.relative_to(self.log.folder).as_posix()
                self.store.store.write(f"{TABLE}/{name}", path.read_bytes())
        location = f"s3a://bucket/{TABLE}"
        return StoreLogFiles(self.store, TABLE, location=location, kept=self.kept)

    def requests(self) -> dict[str, int]:
        assert self.store is not None
        found = dict(self.store.asked)
        self.store.asked.clear()
        return found


@pytest.fixture(params=["local", "folder", "s3"])
def place(request: pytest.FixtureRequest, log, tmp_path) -> Iterator[Place]:
    if request.param == "local":
        yield Place(log, None)
        return
    if request.param == "folder":
        (tmp_path / "store").mkdir()
        yield Place(log, open_store(parse_location(f"file://{tmp_path}/store/")))
        return
    server = request.getfixturevalue("seaweedfs")
    address = parse_location(f"s3://{server.create_bucket()}/lake/")
    store = open_store(address, server.connection)
    yield Place(log, store)
    store.close()


def test_a_log_that_is_not_there_answers_nothing(place):
    files = place.bring()
    assert not files.exists(0)
    assert files.read_commit(0) is None
    assert files.read_head(0) is None
    assert files.modified_ms(0) is None
    assert files.last_checkpoint() is None
    assert files.list_commits() == []
    assert files.list_checkpoints() == []
    with pytest.raises(FileNotFoundError):
        files.open("00000000000000000003.checkpoint.parquet")


def test_a_log_gives_its_commits(place):
    for _ in range(12):
        place.log.commit()
    (place.log.log / "00000000000000000005.crc").write_text("")
    files = place.bring()
    assert files.list_commits() == list(range(12))
    assert files.exists(11)
    assert not files.exists(12)
    assert files.read_commit(7) == place.log.path(7).read_text()
    assert place.log.path(7).read_text().startswith(files.read_head(7))
    assert files.modified_ms(7) is not None
    assert files.read_commit(12) is None


@pytest.mark.parametrize("parts", [1, 3])
def test_a_log_gives_its_checkpoints(place, parts):
    place.log.create(place.log.add("a"), place.log.add("b"))
    place.log.commit(place.log.remove("a"))
    place.log.checkpoint(1, parts=parts)
    place.log.commit(place.log.add("c"))
    files = place.bring()
    assert files.last_checkpoint() == files.list_checkpoints()[0]
    assert {file.path for file in read_snapshot(files, 2).files} == {"b", "c"}


def test_a_hint_to_a_checkpoint_that_is_gone_is_no_hint(place):
    place.log.create()
    place.log.checkpoint(0)
    place.log.path(0, "checkpoint.parquet").unlink()
    assert place.bring().last_checkpoint() is None


@pytest.mark.parametrize("place", ["folder", "s3"], indirect=True)
def test_one_version_costs_one_request_and_no_listing(place):
    place.log.create()
    files = place.bring()
    assert files.exists(0)
    assert place.requests() == {"head": 1}
    assert files.read_head(0) is not None
    assert place.requests() == {"find": 1}
    assert files.read_commit(1) is None
    assert place.requests() == {"find": 1}


@pytest.mark.parametrize("place", ["folder", "s3"], indirect=True)
def test_a_commit_is_asked_for_once(place):
    place.log.create()
    files = place.bring()
    for _ in range(3):
        files.read_commit(0)
        files.modified_ms(0)
    assert place.requests() == {"find": 1}
    # Its head is, each time: a log may have been taken away, or be another one.
    files.read_head(0)
    assert place.requests() == {"head": 1}


def test_a_log_that_took_the_place_of_another_is_seen(place):
    place.log.create()
    files = place.bring()
    before = files.read_commit(0)
    place.log.path(0).write_text(place.log.text(place.log.info(at=99)))
    place.bring()
    assert files.read_head(0) != before
    assert files.read_commit(0) == place.log.path(0).read_text()


def test_a_log_that_was_taken_away_is_seen(place):
    place.log.create()
    files = place.bring()
    files.read_commit(0)
    if place.store is None:
        place.log.path(0).unlink()
    else:
        place.store.store.delete_many([f"{TABLE}/_delta_log/{place.log.path(0).name}"])
    assert files.read_head(0) is None
    assert files.read_commit(0) is None
