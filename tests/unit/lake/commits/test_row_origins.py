"""Which commit brought the files of a table, as far back as its log goes."""

from __future__ import annotations

from headwater.lake.commits import row_origins
from headwater.lake.commits.row_origins import origins


def of(log, *paths: str) -> dict[str, int]:
    return dict(origins(log.files, paths, until=log.newest))


def test_a_file_came_with_the_commit_that_added_it_first(log):
    log.create()
    log.commit(log.add("a"), log.add("b"))
    log.commit(log.add("c"))
    assert of(log, "a", "c") == {"a": 1, "c": 2}


def test_another_vector_or_a_restore_brings_no_file_anew(log):
    log.create()
    log.commit(log.add("a"))
    log.commit(log.remove("a"), log.add("a", vector=log.vector("v", 1)))
    log.commit(log.remove("a", vector=log.vector("v", 1)))
    log.commit(log.add("a"), operation="RESTORE")
    assert of(log, "a") == {"a": 1}


def test_a_file_from_before_the_log_was_there_when_it_begins(log):
    log.create(log.add("old"), log.add("marked"))
    log.commit(log.add("a"))
    log.commit(log.add("b"))
    log.commit(log.remove("marked"), log.add("marked", vector=log.vector("v", 1)))
    log.checkpoint(1)
    for version in (0, 1):
        log.path(version).unlink()
    assert of(log, "old", "a", "b", "marked") == {"old": 1, "a": 1, "b": 2, "marked": 1}


def test_of_a_long_past_the_newest_commits_are_read(log, monkeypatch):
    monkeypatch.setattr(row_origins, "_MOST_COMMITS", 2)
    log.create()
    for name in "abcd":
        log.commit(log.add(name))
    assert of(log, *"abcd") == {"a": 2, "b": 2, "c": 3, "d": 4}


def test_what_came_later_is_not_looked_at(log):
    log.create()
    log.commit(log.add("a"))
    log.commit(log.add("b"))
    assert dict(origins(log.files, ["a"], until=1)) == {"a": 1}
