"""Files that cannot be read, and targets that change: a pipe says so and loses nothing."""

from __future__ import annotations

import pytest
from tests.pipes.intake import CSV, Intake
from tests.spark.places import Place, local_place

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

CONTINUE = f"COPY INTO t FROM VOLUME v {CSV} PURGE = TRUE ON_ERROR = CONTINUE"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A folder of this machine: which store it is does not matter here."""
    return local_place(tmp_path_factory.mktemp("place") / "files")


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


def test_json_of_many_hands_is_loaded_in_every_spelling(intake: Intake) -> None:
    intake.pipe("COPY INTO t FROM VOLUME v USING JSON PURGE = TRUE ON_ERROR = CONTINUE")
    intake.write("a.json", '{"id": 1, "name": "lamp"}\n{"ID": 2, "Name": "desk"}\n')
    intake.write("b.json", '{"Id": 3, "NAME": "sofa"}\n')
    intake.write("c.json", '{"id": 4, "name": "rug", "Name": "bed"}\n')
    intake.run()
    assert intake.rows() == [(1, "lamp"), (2, "desk"), (3, "sofa")]
    assert intake.files == ["c.json"]
    query = "SELECT first_error_message FROM load_history('t') WHERE status = 'LOAD_FAILED'"
    reason = "one of its JSON documents spells a key both as 'name' and as 'Name'"
    assert intake.rows(query) == [(reason,)]


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
    location = f"{intake.place.location}{intake.folder}/"
    make = f"CREATE EXTERNAL VOLUME apart.w LOCATION '{location}' USING CONNECTION c"
    intake.sql(f"CREATE SCHEMA apart; {make}")
    intake.pipe(f"COPY INTO t FROM VOLUME apart.w {CSV} PURGE = TRUE")
    with pytest.raises(headwater.Error, match="VOLUME_IN_USE_BY_PIPE"):
        intake.sql("DROP VOLUME apart.w")
    intake.sql("DROP SCHEMA apart CASCADE")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert "PIPE_VOLUME_GONE" in intake.told("invalid_reason")
    intake.sql(f"CREATE SCHEMA apart; {make}")
    intake.write("a.csv", "1,lamp\n")
    intake.resume()
    intake.run()
    assert intake.ids == [1]
    intake.sql("DROP PIPE p; DROP SCHEMA apart CASCADE")
