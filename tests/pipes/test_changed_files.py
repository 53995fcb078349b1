"""Files that are replaced or deleted while they are loaded: what is loaded is what was listed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.pipes.intake import CSV, Intake

import headwater
from headwater.files import unchanged
from headwater.pipes import steps
from headwater.tables import commits

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

COPY = f"COPY INTO t FROM VOLUME v {CSV}"
Once = Callable[[str, Callable[[], None]], list[str]]
_PLACES = {
    "pipe.discovered": steps,
    "commit.before": commits,
    "commit.fence": commits,
    "commit.allowed": commits,
}


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> Once:
    """Do something the first time that a place is reached; says whether it was."""

    def at(place: str, work: Callable[[], None]) -> list[str]:
        reached: list[str] = []

        def reach(name: str) -> None:
            if name == place and not reached:
                reached.append(name)
                work()

        monkeypatch.setattr(_PLACES[place], "reach", reach)
        return reached

    return at


@pytest.mark.parametrize("point", ["pipe.discovered", "commit.before", "commit.fence"])
def test_a_file_that_is_replaced_before_the_commit_is_loaded_once_and_as_it_is(
    intake: Intake, once: Once, point: str
) -> None:
    """Found by hand: with ON_REPLACED = LOAD its new rows were loaded twice."""
    intake.pipe(properties="ON_REPLACED = 'LOAD'")
    intake.write("a.csv", "1,old\n")
    intake.write("b.csv", "2,other\n")
    reached = once(point, lambda: intake.write("a.csv", "3,the file that came instead\n"))
    intake.run()
    intake.run()
    assert reached
    assert intake.ids == [2, 3]
    assert intake.files == []
    assert intake.told("pipe_status") == "RUNNING"


def test_a_file_that_is_replaced_after_the_question_is_two_files(
    intake: Intake, once: Once
) -> None:
    intake.pipe(properties="ON_REPLACED = 'LOAD'")
    intake.write("a.csv", "1,old\n")
    once("commit.allowed", lambda: intake.write("a.csv", "2,the file that came instead\n"))
    intake.run()
    assert intake.ids == [1, 2]


@pytest.mark.parametrize("point", ["pipe.discovered", "commit.before", "commit.fence"])
def test_a_file_that_is_deleted_before_the_commit_does_not_stop_the_pipe(
    intake: Intake, once: Once, point: str
) -> None:
    """Found by hand: the pipe became INVALID."""
    intake.pipe()
    intake.write("a.csv", "1,gone\n")
    intake.write("b.csv", "2,other\n")
    reached = once(point, lambda: intake.place.remove(f"{intake.folder}/a.csv"))
    intake.run()
    assert reached
    assert intake.ids == [2]
    assert intake.told("pipe_status") == "RUNNING"
    assert [status for _, status in intake.history] == ["LOADED"]


def test_copy_reads_files_anew_that_changed(intake: Intake, once: Once) -> None:
    intake.write("a.csv", "1,old\n")
    once("commit.fence", lambda: intake.write("a.csv", "2,the file that came instead\n"))
    assert intake.sql(COPY).rowcount == 1
    assert intake.ids == [2]
    assert intake.versions == 1


def test_copy_gives_up_on_a_file_that_changes_all_the_time(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake.write("a.csv", "1,old\n")
    asked: list[int] = []

    def reach(name: str) -> None:
        if name == "commit.fence":
            asked.append(1)
            intake.write("a.csv", f"1,{'x' * len(asked)}\n")

    monkeypatch.setattr(commits, "reach", reach)
    with pytest.raises(headwater.HeadwaterError, match=r"FILES_CHANGED: file 'a\.csv' of volume"):
        intake.sql(COPY)
    assert len(asked) == 3
    assert intake.ids == []
    assert intake.history == []


def test_many_files_are_asked_for_by_a_listing(
    intake: Intake, once: Once, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unchanged, "_FEW", 3)
    for number in range(8):
        intake.write(f"{number}.csv", f"{number},x\n")
    once("commit.fence", lambda: intake.write("5.csv", "50,the file that came instead\n"))
    intake.sql(COPY)
    assert intake.ids == [0, 1, 2, 3, 4, 6, 7, 50]
