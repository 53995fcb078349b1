"""What pipes ask the load history: which of these paths are known, and which were skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from tests.unit.catalog.new_catalog import new_catalog
from tests.unit.catalog.samples import START, FakeClock, at, with_schema, with_table

from headwater.catalog.load_history import LoadedFile, LoadEntry, LoadStatus, SourceFile
from headwater.catalog.objects import Table
from headwater.catalog.store import Store, load_history


@pytest.fixture
def table(store: Store) -> Table:
    with_schema(store)
    return with_table(store)


def a_file(name: str, **changes: object) -> SourceFile:
    values = {"size": 10, "modified_at": at(-60), "etag": f"etag of {name}", **changes}
    return SourceFile(f"s3://bucket/{name}", **values)  # type: ignore[arg-type]


def test_known_paths_have_the_etag_of_their_newest_copy(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    other = with_table(store, "other")
    history.record_intent(other.id, "j0", [a_file("elsewhere")])
    history.record_intent(table.id, "j1", [a_file("a"), a_file("b"), a_file("none", etag=None)])
    history.confirm("j1", 1)
    clock.advance(10)
    history.record_intent(table.id, "j2", [a_file("a", etag="newer")])
    history.record_failed(table.id, "j3", {a_file("bad"): "empty", a_file("b"): "empty"})
    asked = [f"s3://bucket/{name}" for name in ("a", "b", "none", "bad", "elsewhere", "unheard")]
    known = {
        "s3://bucket/a": "newer",
        "s3://bucket/b": "etag of b",
        "s3://bucket/none": None,
    }
    assert history.known_paths(table.id, asked, START) == known
    assert history.known_paths(table.id, asked, at(1)) == {"s3://bucket/a": "newer"}
    assert history.known_paths(table.id, [], START) == {}
    failed = history.known_paths(table.id, asked, START, statuses=[LoadStatus.LOAD_FAILED])
    assert failed.keys() == {"s3://bucket/bad", "s3://bucket/b"}


def shown(known: dict[str, list[LoadedFile]]) -> dict[str, list[tuple[str, str]]]:
    """Of each path its jobs and statuses."""
    return {path: [(one.job_id, str(one.status)) for one in ones] for path, ones in known.items()}


def test_of_each_path_the_newest_row_of_each_status_is_known(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    other = with_table(store, "other")
    history.record_intent(other.id, "j0", [a_file("elsewhere")])
    history.confirm("j0", 1)
    history.record_failed(table.id, "j1", {a_file("a"): "empty", a_file("bad"): "empty"})
    clock.advance(1)
    history.record_intent(table.id, "j2", [a_file("a"), a_file("b", etag=None)])
    history.confirm("j2", 1, rows={"s3://bucket/a": 7})
    clock.advance(1)
    newer = a_file("a", etag="newer")
    history.record_intent(table.id, "j3", [newer], source="my_pipe")
    history.confirm("j3", 2)
    history.record_intent(table.id, "j4", [a_file("b"), a_file("coming")])
    asked = [f"s3://bucket/{n}" for n in ("a", "b", "bad", "coming", "elsewhere", "unheard")]
    known = history.known(table.id, asked, START)
    assert shown(known) == {
        "s3://bucket/a": [("j3", "LOADED"), ("j1", "LOAD_FAILED")],
        "s3://bucket/b": [("j2", "LOADED")],
        "s3://bucket/bad": [("j1", "LOAD_FAILED")],
    }
    assert known["s3://bucket/a"][0] == LoadedFile(
        table.id, "j3", newer, LoadStatus.LOADED, "my_pipe", at(2), delta_version=2
    )
    assert known["s3://bucket/b"][0].file.etag is None
    assert known["s3://bucket/bad"][0].first_error == "empty"
    assert shown(history.known(table.id, asked, at(2))) == {"s3://bucket/a": [("j3", "LOADED")]}
    under_way = history.known(table.id, asked, at(100), statuses=[LoadStatus.LOADING])
    assert under_way.keys() == {"s3://bucket/b", "s3://bucket/coming"}
    assert history.known(table.id, [], START) == {}


def test_what_is_still_to_be_purged_is_known_whatever_its_age(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    path = "s3://bucket/a"
    for number, purge in enumerate([False, True, False]):
        clock.advance(1)
        history.record_intent(table.id, f"j{number}", [a_file("a")], purge=purge)
        history.confirm(f"j{number}", number)
    assert shown(history.known(table.id, [path], at(1))) == {
        path: [("j2", "LOADED"), ("j1", "LOADED")]
    }
    [old] = history.known(table.id, [path], at(100))[path]
    assert (old.job_id, old.purge_pending) == ("j1", True)
    assert history.expire(at(100)) == 2
    history.mark_purged("j1", [path])
    assert history.known(table.id, [path], at(100)) == {}
    [purged] = history.known(table.id, [path], START)[path]
    assert not purged.purge_pending
    assert history.expire(at(100)) == 1


def test_a_file_that_a_pipe_skipped_is_shown_with_its_reason_and_still_known_as_loaded(
    store: Store, table: Table, clock: FakeClock
) -> None:
    history = store.load_history
    first = a_file("a")
    history.record_intent(table.id, "j1", [first], source="my_pipe")
    history.confirm("j1", 1)
    clock.advance(10)
    again = a_file("a", etag="replaced", size=11)
    reasons = {again: "it replaces a file that was loaded", a_file("b"): "empty\0"}
    assert history.record_skipped(table.id, "pipe-1", reasons, source="my_pipe") == 2
    assert history.latest_per_path(table.id, START) == [
        LoadEntry(first.path, at(10), 11, LoadStatus.SKIPPED, "it replaces a file that was loaded"),
        LoadEntry(
            "s3://bucket/b", at(10), 10, LoadStatus.SKIPPED, "empty\N{REPLACEMENT CHARACTER}"
        ),
    ]
    asked = [first.path, "s3://bucket/b"]
    assert shown(history.known(table.id, asked, START)) == {first.path: [("j1", "LOADED")]}
    assert history.known_paths(table.id, asked, START) == {first.path: first.etag}
    every = history.known(table.id, asked, START, statuses=list(LoadStatus))
    assert [one.file for one in every[first.path]] == [again, first]
    assert [one.source for one in history.of_job("pipe-1")] == ["my_pipe"] * 2
    # It is no intent, so recovery and purge leave it alone.
    assert history.pending() == history.pending_purges() == []
    assert history.confirm("pipe-1", 1) == history.abandon("pipe-1") == 0
    assert history.expire(at(11)) == 3


def test_a_version_of_a_file_is_skipped_once(store: Store, table: Table, clock: FakeClock) -> None:
    history = store.load_history
    untagged = a_file("b", etag=None)
    reasons = {a_file("a"): "replaced", untagged: "replaced"}
    assert history.record_skipped(table.id, "pipe-1", reasons, source="p") == 2
    before = history.of_job("pipe-1")
    clock.advance(10)
    touched = a_file("a", modified_at=at(5))
    assert history.record_skipped(table.id, "pipe-1", reasons, source="p") == 0
    assert history.record_skipped(table.id, "pipe-1", {touched: "replaced"}, source="p") == 0
    assert history.record_skipped(table.id, "pipe-1", {}, source="p") == 0
    assert history.of_job("pipe-1") == before
    changed = {
        a_file("a", etag="newer"): "replaced again",
        a_file("b", etag=None, modified_at=at(5)): "replaced again",
    }
    assert history.record_skipped(table.id, "pipe-1", changed, source="p") == 2
    assert [one.file for one in history.of_job("pipe-1")] == list(changed)
    # Another pipe into the same table has rows of its own.
    assert history.record_skipped(table.id, "pipe-2", changed, source="q") == 2
    assert len(history.of_job("pipe-1")) == 2


@pytest.mark.large
def test_a_page_of_paths_is_found_by_the_key_among_a_hundred_thousand_rows(
    tmp_path: Path, clock: FakeClock
) -> None:
    store = Store.open(new_catalog(tmp_path / "catalog.db"), clock=clock)
    with_schema(store)
    table = with_table(store)
    history = store.load_history
    files = [a_file(f"dir=2026-11-15/part-{number:06d}.csv") for number in range(100_000)]
    history.record_intent(table.id, "j1", files)
    history.confirm("j1", 1)
    page = [file.path for file in files[50_000:51_000]]

    assert len(history.known(table.id, page, START)) == 1_000
    with store.begin() as connection:
        query = load_history._of_paths(connection, table.id, page, START)
        text = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all()
    steps = [row[3] for row in plan if "load_history" in row[3]]
    key = "SEARCH load_history USING INDEX sqlite_autoindex_load_history_1 (table_id=? AND path=?)"
    assert steps == [key]
    store.close()


def test_what_waits_to_be_deleted_is_found_without_a_look_at_all_that_is_loaded(
    tmp_path: Path, clock: FakeClock
) -> None:
    store = Store.open(new_catalog(tmp_path / "catalog.db"), clock=clock)
    plans: list[str] = []

    def explain(_: object, cursor: Any, text: str, values: Any, *__: object) -> None:
        plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {text}", values).fetchall()
        plans.extend(row[3] for row in plan)

    engine = store.load_history._database._engine
    event.listen(engine, "before_cursor_execute", explain)
    history = store.load_history
    history.pending_purges()
    assert any("load_history_purge" in step for step in plans), plans
    assert not any("load_history_status" in step for step in plans), plans
    plans.clear()
    history.pending()
    assert plans[0].startswith("SEARCH load_history USING INDEX load_history_status (status=?)")
    event.remove(engine, "before_cursor_execute", explain)
    store.close()
