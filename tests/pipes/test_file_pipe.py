"""Pipes that list a folder, load what is new and delete it; on local files and on a real S3."""

from __future__ import annotations

import pytest
from tests.pipes.intake import CSV, Intake

from headwater.files import loads

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_files_are_loaded_and_deleted(intake: Intake) -> None:
    intake.pipe()
    intake.run()
    assert intake.ids == []
    intake.write("a.csv", "1,lamp\n2,desk\n")
    intake.write("b.csv", "3,sofa\n")
    intake.run()
    assert intake.rows() == [(1, "lamp"), (2, "desk"), (3, "sofa")]
    assert intake.files == []
    assert intake.history == [("a.csv", "LOADED"), ("b.csv", "LOADED")]
    intake.write("c.csv", "4,rug\n")
    intake.run()
    intake.run()
    assert intake.ids == [1, 2, 3, 4]
    assert intake.versions == 2
    names = (
        "batches",
        "rows_loaded",
        "files_loaded",
        "bytes_loaded",
        "pending_files",
        "failures_total",
    )
    assert intake.numbers(*names) == [2, 4, 3, 27, 0, 0]
    assert intake.told("last_batch_time") is not None


def test_batches_are_bounded_by_files(intake: Intake) -> None:
    for number in range(7):
        intake.write(f"{number}.csv", f"{number},x\n")
    intake.pipe()
    intake.run()
    assert intake.ids == list(range(7))
    assert intake.files == []
    assert intake.versions == 3
    assert intake.numbers("batches") == [3]


def test_a_volume_that_is_not_recursive_keeps_out_of_folders(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.write("below/b.csv", "2,desk\n")
    intake.run()
    assert intake.ids == [1]
    assert intake.files == ["below/b.csv"]


def test_a_recursive_volume_takes_them_too(deep_intake: Intake) -> None:
    deep_intake.pipe()
    for number, path in enumerate(["a.csv", "x/b.csv", "x/y/ü c.csv", "z%2f/d.csv"]):
        deep_intake.write(path, f"{number},x\n")
    deep_intake.run()
    assert deep_intake.ids == [0, 1, 2, 3]
    assert deep_intake.files == []


@pytest.mark.parametrize("ignore", [True, False])
def test_hidden_and_temporary_files(deep_intake: Intake, ignore: bool) -> None:
    hint = f'COPY_JOB_HINT = \'{{"IGNORE_TMP_FILE": "{str(ignore).lower()}"}}\''
    deep_intake.pipe(properties="" if ignore else hint)
    temporary = [".a.csv", "_temporary_1/b.csv", "x/.hidden/c.csv"]
    for number, path in enumerate([*temporary, "_d.csv", "x/e.csv"]):
        deep_intake.write(path, f"{number},x\n")
    deep_intake.run()
    assert deep_intake.ids == ([3, 4] if ignore else [0, 1, 2, 3, 4])
    assert deep_intake.files == (sorted(temporary) if ignore else [])


def test_a_replaced_file_is_skipped_and_shown(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    intake.write("a.csv", "2,desk\n")
    intake.run()
    intake.run()
    assert intake.ids == [1]
    assert intake.files == ["a.csv"]
    assert intake.history == [("a.csv", "SKIPPED")]
    query = "SELECT first_error_message FROM load_history('t')"
    assert "replaced" in intake.rows(query)[0][0]
    assert intake.numbers("files_skipped", "files_loaded") == [1, 1]
    # The way out that the message names.
    intake.sql(f"COPY INTO t FROM VOLUME v {CSV} FILES('a.csv')")
    assert intake.ids == [1, 2]


def test_a_replaced_file_is_loaded_if_the_pipe_says_so(intake: Intake) -> None:
    intake.pipe(properties="ON_REPLACED = 'LOAD'")
    for number in range(3):
        intake.write("a.csv", f"{number},x\n")
        intake.run()
        intake.run()
    assert intake.ids == [0, 1, 2]
    assert intake.files == []


def test_a_file_that_is_replaced_before_it_is_deleted_stays(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake.pipe(properties="ON_REPLACED = 'LOAD'")
    intake.write("a.csv", "1,lamp\n")
    seen: list[list[str]] = []

    def replace(point: str) -> None:
        if point == "copy.confirmed" and not seen:
            intake.write("a.csv", "2,the file that came instead\n")
        if point == "copy.purged":
            seen.append(intake.files)

    monkeypatch.setattr(loads, "reach", replace)
    intake.run()
    assert seen[0] == ["a.csv"]
    assert intake.ids == [1, 2]
    assert intake.files == []
