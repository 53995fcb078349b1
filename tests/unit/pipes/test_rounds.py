"""What a pipe over very many files looks at again, and when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.unit.pipes.conftest import Intake

from headwater.catalog.load_history import LoadStatus, SourceFile
from headwater.pipes import listing, rounds
from headwater.pipes.listing import Listing
from headwater.pipes.rounds import FORGET_SECONDS, LONG_ROUND, REST, Rounds
from headwater.runtime.clock import now
from headwater.storage import local_files
from headwater.storage.open_store import open_store
from headwater.storage.store import FileInfo

PAGE = [FileInfo(f"f{n}", 1, datetime(2026, 11, 15, tzinfo=UTC), f"e{n}") for n in range(3)]


def test_a_short_round_is_begun_again_at_the_next_poll() -> None:
    kept = Rounds()
    kept.looked(pages=LONG_ROUND, seconds=1000.0, last="z")
    kept.ended(0.0)
    assert kept.behind(0.1) is None


def test_after_a_long_round_only_what_comes_behind_it_is_looked_at_for_a_while() -> None:
    kept = Rounds()
    kept.looked(pages=LONG_ROUND, seconds=10.0, last="m")
    kept.looked(pages=1, seconds=5.0, last="z")
    kept.ended(100.0)
    assert kept.behind(100.0 + REST * 15.0 - 0.1) == "z"
    assert kept.behind(100.0 + REST * 15.0) is None


def test_a_short_look_does_not_make_the_rest_longer() -> None:
    kept = Rounds()
    kept.looked(pages=LONG_ROUND + 1, seconds=1.0, last="m")
    kept.ended(0.0)
    kept.looked(pages=1, seconds=1.0, last="n")
    kept.ended(3.0)
    assert kept.behind(3.9) == "n"
    assert kept.behind(4.0) is None


def test_a_known_page_is_known_until_a_file_changes_or_time_has_passed() -> None:
    kept = Rounds()
    assert not kept.is_known(PAGE, 0.0)
    kept.note_known(PAGE)
    assert kept.is_known(PAGE, 1.0)
    assert not kept.is_known([*PAGE[:2], replace(PAGE[2], etag="other")], 1.0)
    assert not kept.is_known(PAGE[:2], 1.0)
    assert not kept.is_known(PAGE, FORGET_SECONDS)


def test_an_empty_page_is_nothing_to_know() -> None:
    kept = Rounds()
    kept.note_known([])
    assert not kept.is_known([], 0.0)


def load(intake: Intake, *, status: LoadStatus = LoadStatus.LOADED) -> None:
    """The files of the folder are in the history."""
    volume = listing.opened(intake.lake, listing.volume_of(intake.lake, intake.opened))
    store = open_store(volume.address, None)
    files = [
        SourceFile(volume.url_of(f.path), f.size, f.modified_at, f.etag)
        for page in store.list()
        for f in page
    ]
    history = intake.lake.store.load_history
    history.record_intent(intake.table.id, "job", files)
    if status is LoadStatus.LOADED:
        history.confirm("job", 1)


@pytest.fixture
def questions(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many paths the load history was asked for, look by look."""
    asked: list[int] = []
    history = intake.lake.store.load_history
    known = history.known

    def counting(table_id: str, paths: list[str], *args: object, **options: object) -> object:
        asked.append(len(paths))
        return known(table_id, paths, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(history, "known", counting)
    monkeypatch.setattr(local_files, "_PAGE", 3)
    return asked


def names(*numbers: int) -> list[str]:
    return [f"f{number:03d}.csv" for number in numbers]


def new_paths(source: Listing) -> list[str]:
    batch = source.look(1).batch
    return [] if batch is None else [file.path for file in batch.files]  # type: ignore[union-attr]


def test_pages_that_did_not_change_are_not_asked_for_again(
    intake: Intake, questions: list[int]
) -> None:
    intake.drop(*names(*range(9)))
    load(intake)
    source = Listing(intake.lake, intake.opened)
    assert new_paths(source) == []
    assert questions == [3, 3, 3, 0]
    questions.clear()
    assert new_paths(source) == []
    assert questions == [0]
    intake.drop(*names(100))
    assert new_paths(source) == names(100)


def test_files_that_another_job_is_loading_are_asked_for_until_they_are_loaded(
    intake: Intake, questions: list[int]
) -> None:
    intake.drop(*names(0, 1, 2))
    load(intake, status=LoadStatus.LOADING)
    source = Listing(intake.lake, intake.opened)
    assert new_paths(source) == []
    intake.lake.store.load_history.abandon("job")
    assert new_paths(source) == names(0, 1, 2)


def test_behind_a_long_round_new_files_are_seen_at_once_and_others_after_the_rest(
    intake: Intake, questions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "LONG_ROUND", 2)
    monkeypatch.setattr(rounds, "REST", 1e6)
    intake.drop(*names(*range(10, 20)))
    load(intake)
    source = Listing(intake.lake, intake.opened)
    assert new_paths(source) == []
    intake.drop(*names(5, 30))
    assert new_paths(source) == names(30)
    monkeypatch.setattr(source._rounds, "_rests_until", 0.0)
    assert new_paths(source) == names(5, 30)


def test_who_asks_for_a_refresh_gets_a_look_at_everything(
    intake: Intake, questions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "LONG_ROUND", 2)
    monkeypatch.setattr(rounds, "REST", 1e6)
    intake.drop(*names(*range(10, 20)))
    load(intake)
    stepper = intake.stepper()
    stepper.step()
    intake.drop(*names(5))
    stepper.step()
    assert "f005.csv" in intake.files
    intake.connection.sql("ALTER PIPE p REFRESH")
    stepper.step()
    assert "f005.csv" not in intake.files
    stepper.close()
    assert intake.pipe.last_batch_at is not None
    assert intake.pipe.last_batch_at <= now()
