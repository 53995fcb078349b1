"""Pipes that list a folder, load what is new and delete it; on local files and on a real S3."""

from __future__ import annotations

import io

import pyarrow
import pyarrow.parquet
import pytest
from tests.pipes.intake import CSV, Intake

from headwater.files import loads

pytestmark = [pytest.mark.spark, pytest.mark.servers]

CONTINUE = f"COPY INTO t FROM VOLUME v {CSV} PURGE = TRUE ON_ERROR = CONTINUE"


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
    names = ("batches", "rows_loaded", "files_loaded", "bytes_loaded", "pending_files", "failures_total")
    assert intake.numbers(*names) == [2, 4, 3, 27, 0, 0]
    assert intake.told("last_batch_time") is not None


def test_every_batch_is_a_job_with_the_tag_of_its_pipe(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    tag = f"pipe.headwater.{intake.folder}.p"
    query = f"SELECT status, job_text FROM sys.information_schema.job_history WHERE query_tag = '{tag}'"
    jobs = intake.rows(query)
    assert jobs == [("SUCCEED", f"COPY INTO t FROM VOLUME v {CSV} PURGE = TRUE")]


def test_batches_are_bounded_by_files(intake: Intake) -> None:
    for number in range(7):
        intake.write(f"{number}.csv", f"{number},x\n")
    intake.pipe()
    intake.run()
    assert intake.ids == list(range(7))
    assert intake.files == []
    assert intake.versions == 3
    assert intake.numbers("batches") == [3]


def test_batches_are_bounded_by_bytes_but_a_big_file_is_one(intake: Intake) -> None:
    half = "2,x\n" * 150_000
    big = "3,x\n" * 300_000
    intake.write("a.csv", half)
    intake.write("b.csv", half)
    intake.write("c.csv", big)
    intake.pipe()
    intake.run()
    assert intake.rows("SELECT id, count(*) FROM t GROUP BY id ORDER BY id") == [
        (2, 300_000),
        (3, 300_000),
    ]
    assert intake.versions == 3


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
    assert intake.history == [("a.csv", "LOADED"), ("a.csv", "SKIPPED")]
    query = "SELECT first_error_message FROM load_history('t') WHERE status = 'SKIPPED'"
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


def test_a_replaced_file_stops_a_pipe_that_takes_it_for_a_mistake(intake: Intake) -> None:
    intake.pipe(properties="ON_REPLACED = 'FAIL'")
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    intake.write("a.csv", "2,desk\n")
    intake.write("b.csv", "3,sofa\n")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    reason = intake.told("invalid_reason")
    assert reason.startswith("PIPE_FILE_REPLACED: ")
    assert f"{intake.place.location}{intake.folder}/a.csv" in reason
    assert intake.ids == [1]
    intake.sql("ALTER PIPE p SET ON_REPLACED = 'LOAD'")
    intake.resume()
    intake.run()
    assert intake.ids == [1, 2, 3]
    assert intake.files == []


def test_broken_files_do_not_keep_the_others_out(intake: Intake) -> None:
    intake.pipe(CONTINUE)
    intake.write("a.csv", "1,lamp\n")
    intake.write("b.csv", "x,broken\n")
    intake.write("c.csv", "3,sofa\n")
    intake.run()
    assert intake.ids == [1, 3]
    assert intake.versions == 1
    assert intake.told("pipe_status") == "RUNNING"
    assert intake.files == ["b.csv"]
    statuses = dict(intake.history)
    assert statuses == {"a.csv": "LOADED", "b.csv": "LOAD_FAILED", "c.csv": "LOADED"}
    query = "SELECT first_error_message FROM load_history('t') WHERE status = 'LOAD_FAILED'"
    assert intake.rows(query) == [('"x" is not a number',)]
    assert intake.numbers("files_loaded", "files_failed", "rows_loaded") == [2, 1, 2]
    # It waits, and what comes later is loaded.
    intake.write("d.csv", "4,rug\n")
    intake.run()
    assert intake.ids == [1, 3, 4]
    assert intake.numbers("files_failed") == [1]


def test_nothing_but_broken_files(intake: Intake) -> None:
    intake.pipe(CONTINUE)
    for number in range(5):
        intake.write(f"{number}.csv", "x,broken\n")
    intake.run()
    assert intake.told("pipe_status") == "RUNNING"
    assert intake.ids == []
    assert intake.versions == 0
    assert intake.numbers("files_failed", "files_loaded", "batches") == [5, 0, 2]
    intake.write("z.csv", "1,lamp\n")
    intake.run()
    assert intake.ids == [1]


def test_a_broken_file_is_tried_again_when_it_is_replaced(intake: Intake) -> None:
    intake.pipe(CONTINUE)
    intake.write("b.csv", "x,broken\n")
    intake.run()
    intake.write("b.csv", "2,mended\n")
    intake.run()
    assert intake.rows() == [(2, "mended")]
    assert intake.files == []


def test_a_broken_file_is_tried_again_when_the_pipe_is_resumed(intake: Intake) -> None:
    intake.sql("CREATE TABLE lamps (id INT NOT NULL)")
    intake.pipe(CONTINUE)
    intake.write("b.csv", "x,broken\n")
    intake.run()
    intake.run()
    assert intake.numbers("batches") == [1]
    intake.pause()
    intake.resume()
    intake.run()
    assert intake.numbers("batches") == [2]
    assert intake.ids == []
    assert intake.history == [("b.csv", "LOAD_FAILED")]


def test_a_broken_file_stops_a_pipe_that_aborts_and_is_named(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.write("b.csv", "x,broken\n")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    reason = intake.told("invalid_reason")
    assert reason.startswith("FILE_UNREADABLE: ")
    assert "b.csv" in reason
    assert '"x" is not a number' in reason
    assert intake.ids == []
    assert intake.files == ["a.csv", "b.csv"]
    assert intake.sql("SHOW PIPES").to_dicts()[0]["status"] == "INVALID"
    # Nothing happens until somebody resumes it.
    intake.write("b.csv", "2,mended\n")
    intake.run()
    assert intake.ids == []
    intake.resume()
    intake.run()
    assert intake.rows() == [(1, "lamp"), (2, "mended")]
    assert intake.files == []
    assert intake.told("invalid_reason") is None


def test_a_pipe_without_its_table_waits_for_it(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    intake.sql("DROP TABLE t")
    intake.write("b.csv", "2,desk\n")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert "PIPE_TARGET_GONE" in intake.told("invalid_reason")
    assert intake.files == ["b.csv"]
    intake.sql("UNDROP TABLE t")
    intake.resume()
    intake.run()
    assert intake.ids == [1, 2]
    assert intake.files == []


def test_a_table_made_anew_is_filled(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    intake.sql("DROP TABLE t")
    intake.write("b.csv", "2,desk\n")
    intake.run()
    intake.sql("CREATE TABLE t (id INT, name STRING)")
    intake.resume()
    intake.run()
    intake.write("c.csv", "3,sofa\n")
    intake.run()
    assert intake.ids == [2, 3]
    assert intake.files == []


@pytest.mark.parametrize(
    ("change", "back"),
    [
        ("ALTER TABLE t RENAME COLUMN name TO label", "ALTER TABLE t RENAME COLUMN label TO name"),
        ("ALTER TABLE t DROP COLUMN name", "ALTER TABLE t ADD COLUMN name STRING"),
    ],
)
def test_a_changed_table_stops_a_pipe_and_loses_nothing(
    intake: Intake, change: str, back: str
) -> None:
    intake.pipe(f"COPY INTO t (id, name) FROM VOLUME v {CSV} PURGE = TRUE")
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    intake.sql(change)
    intake.write("b.csv", "2,desk\n")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert "name" in intake.told("invalid_reason")
    assert intake.files == ["b.csv"]
    intake.sql(back)
    intake.resume()
    intake.run()
    assert intake.ids == [1, 2]
    assert intake.files == []


def test_a_column_of_another_type_stops_a_pipe(intake: Intake) -> None:
    intake.pipe(f"COPY INTO t FROM (SELECT name, id FROM VOLUME v {CSV}) PURGE = TRUE")
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert intake.files == ["a.csv"]
    intake.sql("CREATE OR REPLACE TABLE t (id STRING, name INT)")
    intake.resume()
    intake.run()
    assert intake.rows("SELECT id, name FROM t") == [("lamp", 1)]
    assert intake.files == []


def test_a_pipe_without_its_volume_waits_for_it(intake: Intake) -> None:
    intake.pipe()
    intake.sql("DROP VOLUME v")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert "PIPE_VOLUME_GONE" in intake.told("invalid_reason")
    location = f"{intake.place.location}{intake.folder}/"
    intake.sql(f"CREATE EXTERNAL VOLUME v LOCATION '{location}' USING CONNECTION c")
    intake.write("a.csv", "1,lamp\n")
    intake.resume()
    intake.run()
    assert intake.ids == [1]


def test_what_comes_while_a_pipe_is_paused_is_loaded_afterwards(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    intake.pause()
    for number in range(2, 6):
        intake.write(f"{number}.csv", f"{number},x\n")
    intake.run()
    assert intake.ids == [1]
    intake.resume()
    intake.run()
    assert intake.ids == [1, 2, 3, 4, 5]


def test_a_query_and_a_list_of_columns_in_the_statement(intake: Intake) -> None:
    intake.pipe(
        "COPY INTO t (name, id) FROM"
        f" (SELECT upper(name), id + 100 FROM VOLUME v {CSV} WHERE id > 1) PURGE = TRUE"
    )
    intake.write("a.csv", "1,lamp\n2,desk\n")
    intake.write("b.csv", "3,sofa\n")
    intake.run()
    assert intake.rows() == [(102, "DESK"), (103, "SOFA")]
    assert intake.files == []


def test_parquet_and_json(intake: Intake) -> None:
    intake.pipe("COPY INTO t FROM VOLUME v USING PARQUET PURGE = TRUE")
    content = io.BytesIO()
    table = pyarrow.table({"name": ["lamp"], "id": pyarrow.array([1], pyarrow.int32())})
    pyarrow.parquet.write_table(table, content)
    intake.write("a.parquet", content.getvalue())
    intake.run()
    intake.sql("DROP PIPE p")
    intake.pipe("COPY INTO t FROM VOLUME v (id INT, name STRING) USING JSON PURGE = TRUE")
    intake.write("b.json", '{"name": "desk", "id": 2}\n{"id": 3}\n')
    intake.run()
    assert intake.rows() == [(1, "lamp"), (2, "desk"), (3, None)]
    assert intake.files == []


def test_an_empty_file_is_loaded_too(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "")
    intake.write("b.csv", "1,lamp\n")
    intake.run()
    assert intake.ids == [1]
    assert intake.files == []
    intake.write("c.csv", "")
    intake.run()
    assert intake.files == []
    assert dict(intake.history) == dict.fromkeys(["a.csv", "b.csv", "c.csv"], "LOADED")


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


def test_files_that_a_copy_loaded_are_known_to_the_pipe(intake: Intake) -> None:
    intake.write("a.csv", "1,lamp\n")
    intake.sql(f"COPY INTO t FROM VOLUME v {CSV}")
    intake.write("b.csv", "2,desk\n")
    intake.pipe()
    intake.run()
    assert intake.ids == [1, 2]


def test_two_pipes_side_by_side(intake: Intake) -> None:
    location = f"{intake.place.location}{intake.folder}/"
    intake.write("below/x.csv", "10,x\n")
    intake.sql(f"CREATE EXTERNAL VOLUME w LOCATION '{location}below/' USING CONNECTION c")
    intake.sql(
        "CREATE PIPE q VIRTUAL_CLUSTER = 'other' INGEST_MODE = 'LIST_PURGE'"
        f" AS COPY INTO t FROM VOLUME w {CSV} PURGE = TRUE"
    )
    intake.pipe()
    for number in range(6):
        intake.write(f"{number}.csv", f"{number},x\n")
        intake.write(f"below/{number}.csv", f"{10 + number},x\n")
    intake.run()
    assert intake.ids == [*range(6), 10, *range(10, 16)]
    assert intake.files == []
