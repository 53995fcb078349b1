"""Load history in the store: intents, their end, purges, and what users and pipes see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.unit.catalog.new_catalog import emptied_store
from tests.unit.catalog.samples import START, FakeClock, at, with_schema, with_table

from headwater.catalog.load_history import (
    LoadedFile,
    LoadEntry,
    LoadStatus,
    PendingLoad,
    PendingPurge,
    SourceFile,
)
from headwater.catalog.objects import Table
from headwater.catalog.store import Store, bulk, load_history
from headwater.errors import UserError


@pytest.fixture
def table(store: Store) -> Table:
    with_schema(store)
    return with_table(store)


def a_file(name: str, **changes: object) -> SourceFile:
    values = {"size": 10, "modified_at": at(-60), "etag": f"etag of {name}", **changes}
    return SourceFile(f"s3://bucket/{name}", **values)  # type: ignore[arg-type]


def paths(store: Store, table: Table) -> list[str]:
    return [entry.file_path for entry in store.load_history.latest_per_path(table.id, START)]


def test_an_intent_is_pending_and_unseen_until_it_is_confirmed(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    a, b = a_file("a b%☂\n.csv"), a_file("b", etag=None, modified_at=None, size=2**40)
    history.record_intent(table.id, "j1", iter([a, b]), source="my_pipe")
    assert history.pending() == [PendingLoad("j1", table.id, "my_pipe", START, 2)]
    assert paths(store, table) == []
    clock.advance(5)
    assert history.confirm("j1", 7, rows={a.path: 100}) == 2
    assert history.pending() == []
    loaded = LoadedFile(
        table_id=table.id,
        job_id="j1",
        file=a,
        status=LoadStatus.LOADED,
        source="my_pipe",
        loaded_at=at(5),
        rows=100,
        delta_version=7,
    )
    assert history.of_job("j1")[0] == loaded
    assert history.of_job("j1")[1].file == b
    assert history.of_job("j2") == []
    assert history.latest_per_path(table.id, START) == [
        LoadEntry(a.path, at(5), 10, LoadStatus.LOADED, None),
        LoadEntry(b.path, at(5), 2**40, LoadStatus.LOADED, None),
    ]


def test_to_confirm_twice_changes_nothing_more(
    store: Store, table: Table, clock: FakeClock
) -> None:
    file = a_file("a")
    store.load_history.record_intent(table.id, "j1", [file])
    assert store.load_history.confirm("j1", 7, rows={file.path: 1}) == 1
    before = store.load_history.of_job("j1")
    clock.advance(5)
    assert store.load_history.confirm("j1", 9, rows={file.path: 2}) == 0
    assert store.load_history.abandon("j1") == 0
    assert store.load_history.of_job("j1") == before


def test_to_abandon_twice_changes_nothing_more(store: Store, table: Table) -> None:
    store.load_history.record_intent(table.id, "j1", [a_file("a"), a_file("b")])
    store.load_history.record_intent(table.id, "j2", [a_file("a")])
    assert store.load_history.abandon("j1") == 2
    assert store.load_history.abandon("j1") == 0
    assert store.load_history.confirm("j1", 7) == 0
    assert store.load_history.of_job("j1") == []
    assert [load.job_id for load in store.load_history.pending()] == ["j2"]


def test_an_intent_that_is_recorded_again_replaces_the_first(store: Store, table: Table) -> None:
    store.load_history.record_intent(table.id, "j1", [a_file("a"), a_file("b")])
    store.load_history.record_intent(table.id, "j1", [a_file("b"), a_file("c"), a_file("c")])
    assert [found.file for found in store.load_history.of_job("j1")] == [a_file("b"), a_file("c")]


def test_the_intent_and_the_record_of_its_commit_end_together_or_not_at_all(
    store: Store, table: Table
) -> None:
    store.load_history.record_intent(table.id, "j1", [a_file("a")])

    def crash() -> None:
        with store.begin() as transaction:
            store.load_history.confirm("j1", 1, connection=transaction)
            raise RuntimeError("power failure")

    with pytest.raises(RuntimeError, match="power failure"):
        crash()
    assert len(store.load_history.pending()) == 1


def test_what_a_killed_process_left_is_found_by_the_next_one(url: str, clock: FakeClock) -> None:
    first = Store.open(url, clock=clock)
    with_schema(first)
    table = with_table(first)
    for number, job in enumerate(["committed", "lost", "done"]):
        clock.advance(1)
        first.load_history.record_intent(table.id, job, [a_file(f"f{number}")], purge=True)
    first.load_history.confirm("done", 3)
    first.close()
    second = Store.open(url, clock=clock)
    assert [load.job_id for load in second.load_history.pending()] == ["committed", "lost"]
    # Nothing is purged of which it is not known that it was committed.
    assert [purge.job_id for purge in second.load_history.pending_purges()] == ["done"]
    second.load_history.confirm("committed", 2)
    second.load_history.abandon("lost")
    assert second.load_history.pending() == []
    assert paths(second, table) == ["s3://bucket/f0", "s3://bucket/f2"]
    assert [p.job_id for p in second.load_history.pending_purges()] == ["committed", "done"]
    second.close()


def test_files_that_could_not_be_read_are_shown_with_their_error(
    store: Store, table: Table
) -> None:
    history = store.load_history
    good, bad = a_file("good"), a_file("bad")
    history.record_intent(table.id, "j1", [good, bad], purge=True)
    history.record_failed(table.id, "j1", {bad: "not a Parquet file\0", a_file("worse"): "empty"})
    assert history.pending()[0].files == 1
    assert history.confirm("j1", 7) == 1
    found = {entry.file_path: entry for entry in history.latest_per_path(table.id, START)}
    assert found[good.path].status is LoadStatus.LOADED
    assert found[bad.path].status is LoadStatus.LOAD_FAILED
    assert found[bad.path].first_error_message == "not a Parquet file\N{REPLACEMENT CHARACTER}"
    assert found["s3://bucket/worse"].first_error_message == "empty"
    # A file that is not in the table is never deleted at its source.
    assert [purge.file for purge in history.pending_purges()] == [good]
    assert history.abandon("j1") == 0
    assert len(history.of_job("j1")) == 3


def test_a_failure_outlives_the_load_that_is_abandoned(store: Store, table: Table) -> None:
    store.load_history.record_intent(table.id, "j1", [a_file("good")])
    store.load_history.record_failed(table.id, "j1", {a_file("bad"): "empty"})
    store.load_history.abandon("j1")
    assert paths(store, table) == ["s3://bucket/bad"]


def test_purges_wait_for_the_commit_and_are_done_once(store: Store, table: Table) -> None:
    history = store.load_history
    a, b = a_file("a"), a_file("b")
    history.record_intent(table.id, "j1", [a, b], purge=True, connection_id="c1")
    history.record_intent(table.id, "j2", [a], purge=True)
    history.record_intent(table.id, "j3", [a])
    assert history.pending_purges() == []
    for job in ("j1", "j2", "j3"):
        history.confirm(job, 1)
    first = [PendingPurge("j1", a, "c1"), PendingPurge("j1", b, "c1")]
    assert history.pending_purges("j1") == first
    assert history.pending_purges() == [*first, PendingPurge("j2", a, None)]
    for _ in range(2):
        history.mark_purged("j1", [a.path])
        assert history.pending_purges() == [first[1], PendingPurge("j2", a, None)]
    # Purged or not, it was loaded.
    assert len(history.latest_per_path(table.id, START)) == 2


def test_of_several_copies_the_newest_is_shown(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    history.record_intent(table.id, "j1", [a_file("a", size=1), a_file("b")])
    history.confirm("j1", 1)
    clock.advance(10)
    history.record_intent(table.id, "j2", [a_file("a", size=2)])
    history.confirm("j2", 2)
    history.record_intent(table.id, "j3", [a_file("a", size=3)])
    assert history.latest_per_path(table.id, START) == [
        LoadEntry("s3://bucket/a", at(10), 2, LoadStatus.LOADED, None),
        LoadEntry("s3://bucket/b", at(0), 10, LoadStatus.LOADED, None),
    ]
    assert [entry.file_path for entry in history.latest_per_path(table.id, at(1))] == [
        "s3://bucket/a"
    ]
    assert history.latest_per_path("other", START) == []


@pytest.mark.large
def test_many_files_are_recorded_found_and_settled_piece_by_piece(
    store: Store, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_history, "_PATHS_AT_A_TIME", 500)
    monkeypatch.setattr(bulk, "_CHUNK", 500)
    history = store.load_history
    many = [a_file(f"part-{number:06d}'%\"") for number in range(1_200)]
    history.record_intent(table.id, "j1", iter(many), purge=True)
    assert history.confirm("j1", 1, rows={file.path: 3 for file in many}) == 1_200
    assert {found.rows for found in history.of_job("j1")} == {3}
    known = history.known_paths(table.id, (file.path for file in many), START)
    assert known == {file.path: file.etag for file in many}
    assert len(history.known(table.id, [file.path for file in many], START)) == 1_200
    skipped = {replace(file, etag="newer"): "replaced" for file in many}
    for new in (1_200, 0):
        assert history.record_skipped(table.id, "pipe-1", skipped, source="p") == new
    history.mark_purged("j1", (file.path for file in many[1:]))
    assert [purge.file for purge in history.pending_purges()] == many[:1]
    assert history.expire(at(1)) == 2_399


def test_a_name_that_cannot_be_kept_is_an_error_and_records_nothing(
    store: Store, table: Table
) -> None:
    for path in ("nul\0", "bad\udc80"):
        with pytest.raises(UserError, match="FILE_NAME_NOT_STORABLE"):
            store.load_history.record_intent(table.id, "j1", [a_file("a"), a_file(path)])
        with pytest.raises(UserError, match="FILE_NAME_NOT_STORABLE"):
            store.load_history.known_paths(table.id, [path], START)
        with pytest.raises(UserError, match="FILE_NAME_NOT_STORABLE"):
            store.load_history.record_skipped(table.id, "p", {a_file(path): "x"}, source="p")
    assert store.load_history.pending() == []


def test_old_history_is_forgotten_but_not_what_is_under_way(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    history.record_intent(table.id, "loaded", [a_file("a")])
    history.confirm("loaded", 1)
    history.record_failed(table.id, "failed", {a_file("b"): "empty"})
    history.record_intent(table.id, "loading", [a_file("c")])
    history.record_intent(table.id, "purging", [a_file("d")], purge=True)
    history.confirm("purging", 2)
    clock.advance(10)
    history.record_intent(table.id, "new", [a_file("e")])
    history.confirm("new", 3)
    assert history.expire(at(5)) == 2
    assert paths(store, table) == ["s3://bucket/e", "s3://bucket/d"]
    assert [load.job_id for load in history.pending()] == ["loading"]
    assert history.expire(at(0)) == 0


def test_history_goes_and_comes_back_with_its_table(store: Store, table: Table) -> None:
    store.load_history.record_intent(table.id, "j1", [a_file("a")])
    store.load_history.confirm("j1", 1)
    dropped = store.tables.drop(table, at(1))
    store.tables.undrop(dropped)
    assert paths(store, table) == ["s3://bucket/a"]
    store.tables.drop(table, at(2))
    again = with_table(store)
    assert paths(store, again) == []
    store.tables.purge(table.id)
    assert store.load_history.of_job("j1") == []


def test_of_those_that_end_one_load_at_once_exactly_one_does(store: Store, table: Table) -> None:
    files = [a_file(f"f{number}") for number in range(50)]
    store.load_history.record_intent(table.id, "j1", files)
    barrier = Barrier(4)

    def end(number: int) -> int:
        barrier.wait()
        if number % 2:
            return store.load_history.abandon("j1")
        return store.load_history.confirm("j1", number)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(end, range(4))) == [0, 0, 0, 50]


class LoadMachine(RuleBasedStateMachine):
    """Jobs load files in any order, crash anywhere, and recovery asks the log what happened."""

    names = st.sampled_from(["a", "b", "c"])
    jobs = st.sampled_from(["j1", "j2", "j3"])

    def __init__(self) -> None:
        super().__init__()
        self.store, self.clock = emptied_store()
        with_schema(self.store)
        self.table = with_table(self.store)
        self.intents: dict[str, set[str]] = {}
        self.log: dict[str, set[str]] = {}

    @rule(job=jobs, files=st.sets(names, min_size=1))
    def intend(self, job: str, files: set[str]) -> None:
        if job not in self.log and job not in self.intents:
            loaded = [a_file(name) for name in files]
            self.store.load_history.record_intent(self.table.id, job, loaded, purge=True)
            self.intents[job] = files

    @rule(job=jobs)
    def commit(self, job: str) -> None:
        if job in self.intents and job not in self.log:
            self.log[job] = self.intents[job]

    @rule(job=jobs)
    def confirm(self, job: str) -> None:
        if job in self.log:
            self.store.load_history.confirm(job, 1)

    @rule()
    def recover(self) -> None:
        for load in self.store.load_history.pending():
            if load.job_id in self.log:
                self.store.load_history.confirm(load.job_id, 1)
            else:
                self.store.load_history.abandon(load.job_id)
                self.intents.pop(load.job_id)

    @rule(job=jobs)
    def purge(self, job: str) -> None:
        for purge in self.store.load_history.pending_purges(job):
            self.store.load_history.mark_purged(job, [purge.file.path])

    @invariant()
    def what_is_loaded_is_committed_and_what_is_committed_is_not_forgotten(self) -> None:
        history = self.store.load_history
        for job in ("j1", "j2", "j3"):
            found = history.of_job(job)
            committed = {f"s3://bucket/{name}" for name in self.log.get(job, ())}
            loaded = {one.file.path for one in found if one.status is LoadStatus.LOADED}
            assert loaded <= committed
            assert committed <= {one.file.path for one in found}
        purges = {(purge.job_id, purge.file.path) for purge in history.pending_purges()}
        assert purges <= {
            (j, f"s3://bucket/{name}") for j, names in self.log.items() for name in names
        }


LoadMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
TestLoadMachine = LoadMachine.TestCase


def test_what_is_not_loaded_can_come_first(store: Store, table: Table, clock: FakeClock) -> None:
    history = store.load_history
    history.record_failed(table.id, "j0", {a_file("bad"): "empty"})
    for job, file in (("j1", a_file("old")), ("j2", a_file("new"))):
        clock.advance(5)
        history.record_intent(table.id, job, [file])
        history.confirm(job, 7)
    found = history.latest_per_path(table.id, START, unloaded_first=True, limit=2)
    assert [entry.file_path for entry in found] == [a_file("bad").path, a_file("new").path]
    assert paths(store, table) == [a_file(name).path for name in ("new", "old", "bad")]
