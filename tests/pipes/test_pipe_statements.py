"""What a pipe runs, how its batches are bounded, and what its user can do with it."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from tests.pipes.intake import CSV, Intake
from tests.spark.places import Place, local_place

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A folder of this machine: which store it is does not matter here."""
    return local_place(tmp_path_factory.mktemp("place") / "files")


def test_every_batch_is_a_job_with_the_tag_of_its_pipe(intake: Intake) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    tag = f"pipe.headwater.{intake.folder}.p"
    query = (
        f"SELECT status, job_text FROM sys.information_schema.job_history WHERE query_tag = '{tag}'"
    )
    jobs = intake.rows(query)
    assert jobs == [("SUCCEED", f"COPY INTO t FROM VOLUME v {CSV} PURGE = TRUE")]


def test_batches_are_bounded_by_bytes_but_a_big_file_is_one(intake: Intake) -> None:
    half = f"2,{'x' * 10_000}\n" * 60
    big = f"3,{'x' * 10_000}\n" * 120
    intake.write("a.csv", half)
    intake.write("b.csv", half)
    intake.write("c.csv", big)
    intake.pipe()
    intake.run()
    assert intake.rows("SELECT id, count(*) FROM t GROUP BY id ORDER BY id") == [
        (2, 120),
        (3, 120),
    ]
    assert intake.versions == 3


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
        "CREATE PIPE q VIRTUAL_CLUSTER = 'default_ap' INGEST_MODE = 'LIST_PURGE'"
        f" AS COPY INTO t FROM VOLUME w {CSV} PURGE = TRUE"
    )
    intake.pipe()
    for number in range(6):
        intake.write(f"{number}.csv", f"{number},x\n")
        intake.write(f"below/{number}.csv", f"{10 + number},x\n")
    intake.run()
    assert intake.ids == [*range(6), 10, *range(10, 16)]
    assert intake.files == []


def test_a_pipe_over_a_volume_of_the_lake(intake: Intake, tmp_path: Path) -> None:
    intake.sql("CREATE VOLUME uploads")
    intake.pipe(f"COPY INTO t FROM VOLUME uploads {CSV} PURGE = TRUE")
    (tmp_path / "a.csv").write_text("1,lamp\n")
    intake.sql(f"PUT '{tmp_path}/a.csv' TO VOLUME uploads")
    intake.run()
    assert intake.ids == [1]
    assert intake.rows("LIST VOLUME uploads") == []
