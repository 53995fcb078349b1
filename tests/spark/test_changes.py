"""Reading what changed in a Delta table, on Spark: each reader, in each place of a statement."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from headwater.catalog.objects import TableColumn
from headwater.errors import SchemaError
from headwater.lake.changes.classify import classify
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.changes.read import ChangedTable, Changes, read_changes
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.lake.spark_session import SparkConnection

pytestmark = pytest.mark.spark

TRACKED = "'delta.enableRowTracking' = 'true'"


class Table:
    """A table at a path, and its changes."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.name = f"delta.`{folder}`"
        self.names = count()

    def run(self, *statements: str) -> int:
        """Runs statements on the table `{t}`; the newest version afterwards."""
        for statement in statements:
            self.spark.sql(statement.replace("{t}", self.name))
        return LocalLogFiles(self.folder).list_commits()[-1]

    def changes(self, start: int, end: int | None = None, wanted: Wanted = Wanted.NET) -> Changes:
        newest = LocalLogFiles(self.folder).list_commits()[-1] if end is None else end
        frame = self.spark.sql(f"SELECT * FROM {self.name} VERSION AS OF {newest}")
        columns = tuple(TableColumn(name, kind) for name, kind in frame.dtypes)
        return read_changes(
            SparkConnection(self.spark),
            ChangedTable(str(self.folder), columns, "t"),
            ChangeRange(start, newest),
            wanted,
            new_view=lambda: f"changes_{self.folder.name}_{next(self.names)}",
        )

    def rows(self, start: int, end: int | None = None, wanted: Wanted = Wanted.NET) -> list[Any]:
        found = self.changes(start, end, wanted)
        return rows(self.spark, f"SELECT * FROM {found.sql}")


def rows(spark, text: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in spark.sql(text).collect()), key=str)


@pytest.fixture
def table(spark, tmp_path):
    return Table(spark, tmp_path / "t")


def create(columns: str = "id INT, name STRING", *properties: str, clauses: str = "") -> str:
    made = f" TBLPROPERTIES ({', '.join(properties)})" if properties else ""
    return f"CREATE TABLE {{t}} ({columns}) USING delta {clauses}{made}"


def test_images_show_the_version_that_wrote_them(table):
    start = table.run(create("id INT, name STRING, age INT", TRACKED))
    table.run("INSERT INTO {t} VALUES (1, 'Alice', 20), (2, 'Bob', 25), (3, 'Charlie', 30)")
    table.run("UPDATE {t} SET age = age + 5 WHERE id IN (1, 3)")
    table.run("DELETE FROM {t} WHERE id = 2")
    assert table.changes(start).reader is Reader.ADDED_FILES
    assert table.rows(start) == [("INSERT", 2, 1, "Alice", 25), ("INSERT", 2, 3, "Charlie", 35)]
    assert table.changes(1).reader is Reader.ROW_TRACKING
    assert table.rows(1) == [
        ("DELETE", 1, 2, "Bob", 25),
        ("UPDATE_AFTER", 2, 1, "Alice", 25),
        ("UPDATE_AFTER", 2, 3, "Charlie", 35),
        ("UPDATE_BEFORE", 1, 1, "Alice", 20),
        ("UPDATE_BEFORE", 1, 3, "Charlie", 30),
    ]
    assert [row[2] for row in table.rows(start, wanted=Wanted.INSERTED)] == [1, 2, 3]
    assert len(table.rows(start, wanted=Wanted.EVERY)) == 3 + 4 + 1
    assert table.rows(2, 3) == [("DELETE", 1, 2, "Bob", 25)]


def test_a_row_that_is_as_it_was_has_not_changed(table):
    table.run(
        create("id INT, m MAP<STRING, INT>, v VARIANT, s STRING", TRACKED),
        "INSERT INTO {t} VALUES (1, map('a', 1, 'b', 2), parse_json('[1]'), 'x')",
        "INSERT INTO {t} VALUES (2, NULL, NULL, 'y')",
    )
    start = table.run("INSERT INTO {t} VALUES (3, map('c', NULL), parse_json('null'), NULL)")
    table.run("UPDATE {t} SET v = parse_json('2'), s = 'X', m = map('b', 2)")
    table.run(
        "UPDATE {t} SET m = CASE id WHEN 1 THEN map('b', 2, 'a', 1) WHEN 3 THEN map('c', NULL) END,"
        " v = CASE id WHEN 1 THEN parse_json('[1]') WHEN 3 THEN parse_json('null') END,"
        " s = CASE id WHEN 1 THEN 'x' WHEN 2 THEN 'Y' END"
    )
    found = table.changes(start)
    kinds = rows(table.spark, f"SELECT __change_type, id, s FROM {found.sql}")
    assert kinds == [("UPDATE_AFTER", 2, "Y"), ("UPDATE_BEFORE", 2, "y")]


def test_without_row_ids_equal_rows_cancel(table):
    table.run(
        create("id INT, m MAP<STRING, INT>, s STRING"),
        "INSERT INTO {t} VALUES (1, map('a', 1), 'x'), (1, map('a', 1), 'x'), (2, NULL, NULL)",
    )
    start = table.run("INSERT INTO {t} VALUES (3, map('a', 1), 'x')")
    table.run(
        "INSERT OVERWRITE {t} VALUES (1, map('a', 1), 'x'), (2, NULL, NULL), (3, map('a', 1), 'X')"
    )
    found = table.changes(start)
    assert (found.reader, found.minimal) == (Reader.FILE_DIFFERENCE, True)
    kinds = rows(table.spark, f"SELECT __change_type, __delta_version, id, s FROM {found.sql}")
    assert kinds == [
        ("DELETE", None, 1, "x"),
        ("DELETE", None, 3, "x"),
        ("INSERT", 3, 3, "X"),
    ]


def test_where_sums_count_rows_that_cancel_may_stay(table):
    start = table.run(
        create("id INT, s STRING", "'delta.enableDeletionVectors' = 'true'"),
        "INSERT INTO {t} SELECT id, 'x' FROM range(1000)",
    )
    table.run("DELETE FROM {t} WHERE id < 2", "INSERT INTO {t} VALUES (1, 'x'), (7, 'y')")
    found = table.changes(start, wanted=Wanted.WEIGHTED)
    assert not found.minimal
    assert (
        "Exchange"
        not in table.spark.sql(f"SELECT * FROM {found.sql}")
        ._jdf.queryExecution()
        .executedPlan()
        .toString()
    )
    assert [(kind, id) for kind, _, id, _ in table.rows(start, wanted=Wanted.WEIGHTED)] == [
        ("DELETE", 0),
        ("DELETE", 1),
        ("INSERT", 1),
        ("INSERT", 7),
    ]
    assert [(kind, id) for kind, _, id, _ in table.rows(start)] == [("DELETE", 0), ("INSERT", 7)]


def test_where_sums_count_rows_of_rewritten_files_cancel_all_the_same(table):
    start = table.run(
        create("id INT, s STRING", "'delta.enableDeletionVectors' = 'false'"),
        "INSERT INTO {t} SELECT id, 'x' FROM range(1000)",
    )
    table.run("UPDATE {t} SET s = 'y' WHERE id = 5")
    assert table.rows(start, wanted=Wanted.WEIGHTED) == table.rows(start)
    assert len(table.rows(start)) == 2


def test_the_relation_stands_wherever_a_table_may(table, spark, tmp_path):
    table.run(create("id INT, name STRING", TRACKED), "INSERT INTO {t} VALUES (1, 'a'), (2, 'b')")
    table.run("INSERT INTO {t} VALUES (3, 'c')")
    for start, reader in ((1, Reader.ADDED_FILES), (0, Reader.ADDED_FILES)):
        found = table.changes(start)
        assert found.reader is reader
        twice = f"SELECT a.id FROM {found.sql} a JOIN {found.sql} b USING (id)"
        expected = [(3,)] if start else [(1,), (2,), (3,)]
        assert rows(spark, twice) == expected
        assert rows(spark, f"SELECT id FROM {found.sql} WHERE __delta_version > 1") == [(3,)]
        assert rows(spark, f"SELECT id FROM {found.sql} WHERE __change_type = 'DELETE'") == []
    table.run("UPDATE {t} SET name = 'B' WHERE id = 2")
    found = table.changes(2)
    assert found.reader is Reader.ROW_TRACKING
    copy = Table(spark, tmp_path / "copy")
    copy.run(f"CREATE TABLE {{t}} USING delta AS SELECT * FROM {found.sql}")
    assert len(rows(spark, f"SELECT * FROM {copy.name}")) == 2
    # Into the table that is read, in each way, twice mentioned.
    table.run(
        "MERGE INTO {t} t USING"
        f" (SELECT * FROM {found.sql} WHERE __change_type = 'UPDATE_AFTER'"
        f" AND id IN (SELECT id FROM {found.sql})) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET name = concat(s.name, '!')"
    )
    table.run(f"INSERT INTO {{t}} SELECT id + 10, name FROM {found.sql}")
    assert rows(spark, f"SELECT * FROM {table.name}") == [
        (1, "a"),
        (12, "B"),
        (12, "b"),
        (2, "B!"),
        (3, "c"),
    ]
    table.run(f"INSERT OVERWRITE {{t}} SELECT id, name FROM {found.sql}")
    assert rows(spark, f"SELECT * FROM {table.name}") == [(2, "B"), (2, "b")]


def test_spark_s_own_changes_are_the_same(table):
    table.spark.conf.set("spark.databricks.delta.changelogV2.enabled", "true")
    table.run(
        create("id INT, name STRING", TRACKED, "'delta.enableDeletionVectors' = 'false'"),
        "INSERT INTO {t} SELECT id, 'a' FROM range(10)",
    )
    start = table.run("INSERT INTO {t} SELECT id, 'b' FROM range(10, 14)")
    table.run(
        "UPDATE {t} SET name = 'c' WHERE id IN (3, 11)",
        "DELETE FROM {t} WHERE id IN (4, 11)",
        "OPTIMIZE {t}",
        "MERGE INTO {t} t USING (SELECT id FROM range(8, 16)) s ON t.id = s.id"
        " WHEN MATCHED AND s.id = 8 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'm'"
        " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'n')",
    )
    newest = table.run(
        "ALTER TABLE {t} ADD COLUMNS (more INT)", "INSERT INTO {t} VALUES (9, 'z', 1)"
    )
    kinds = {
        "insert": "INSERT",
        "delete": "DELETE",
        "update_preimage": "UPDATE_BEFORE",
        "update_postimage": "UPDATE_AFTER",
    }
    for wanted, mode in ((Wanted.NET, "netChanges"), (Wanted.EVERY, "dropCarryovers")):
        theirs = table.spark.sql(
            "SELECT _change_type, _metadata.row_commit_version, id, name, more"
            f" FROM {table.name} CHANGES FROM VERSION {start} EXCLUSIVE TO VERSION {newest}"
            f" WITH (deduplicationMode = '{mode}', computeUpdates = 'true')"
        ).collect()
        expected = Counter((kinds[row[0]], *row[1:]) for row in theirs)
        assert Counter(table.rows(start, newest, wanted)) == expected, wanted


def test_a_table_may_have_columns_named_like_delta_s(table):
    table.run(
        create("_commit_version INT, _change_type STRING, m STRING", TRACKED),
        "INSERT INTO {t} VALUES (1, 'a', 'm'), (2, 'b', 'n')",
    )
    table.run(
        "INSERT INTO {t} VALUES (3, 'c', 'o')",
        "UPDATE {t} SET _change_type = 'x' WHERE _commit_version < 3",
    )
    assert table.rows(1, 2) == [("INSERT", 2, 3, "c", "o")]
    assert table.rows(2) == [
        ("UPDATE_AFTER", 3, 1, "x", "m"),
        ("UPDATE_AFTER", 3, 2, "x", "n"),
        ("UPDATE_BEFORE", 1, 1, "a", "m"),
        ("UPDATE_BEFORE", 1, 2, "b", "n"),
    ]


MAPPED = "'delta.columnMapping.mode' = 'name'"
WIDENED = "'delta.enableTypeWidening' = 'true'"


@pytest.mark.parametrize("tracked", [True, False])
def test_changes_come_in_the_schema_at_the_end(table, tracked):
    properties = (MAPPED, WIDENED, *((TRACKED,) if tracked else ()))
    table.run(
        create("id INT, name STRING, old STRING, d DATE", *properties),
        "INSERT INTO {t} VALUES (1, 'a', 'o', DATE '2026-11-16'), (2, 'b', 'o', NULL)",
    )
    table.run("ALTER TABLE {t} RENAME COLUMN name TO title")
    table.run("ALTER TABLE {t} DROP COLUMN old")
    table.run("ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT")
    table.run("ALTER TABLE {t} ADD COLUMN old INT")
    assert table.changes(1).reader is Reader.NOTHING
    end = table.run(
        "INSERT INTO {t} VALUES (3000000000, 'c', NULL, 7)", "DELETE FROM {t} WHERE id = 1"
    )
    net = [(row[0], *row[2:]) for row in table.rows(1)]
    assert [(kind, number, title, old) for kind, number, title, _, old in net] == [
        ("DELETE", 1, "a", None),
        ("INSERT", 3000000000, "c", 7),
    ]
    assert len(table.rows(0, end)) == 2
    if tracked:
        assert [row[0] for row in table.rows(0, wanted=Wanted.EVERY)] == [
            "DELETE",
            "INSERT",
            "INSERT",
            "INSERT",
        ]


def test_a_table_replaced_by_an_equal_one_has_other_rows(table):
    made = "AS SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, '{b}'"
    replaced = f"CREATE OR REPLACE TABLE {{t}} USING delta {made}"
    start = table.run(replaced.replace("{b}", "b"))
    table.run(replaced.replace("{b}", "c"))
    assert [row[0:1] + row[2:] for row in table.rows(start)] == [
        ("DELETE", 2, "b"),
        ("INSERT", 2, "c"),
    ]


@pytest.mark.parametrize("mapped", [True, False])
def test_a_table_replaced_by_another_one_ends_the_range(table, mapped):
    properties = f"TBLPROPERTIES ({MAPPED})" if mapped else ""
    table.run(f"CREATE TABLE {{t}} USING delta {properties} AS SELECT 1 AS id, 'a' AS name")
    start = table.run("INSERT INTO {t} VALUES (2, 'b')")
    end = table.run(
        f"CREATE OR REPLACE TABLE {{t}} USING delta {properties} AS SELECT 'x' AS id, 1 AS n"
    )
    with pytest.raises(SchemaError) as raised:
        table.changes(start)
    assert raised.value.condition == "CHANGES_SCHEMA_CHANGED"
    assert raised.value.parameters["version"] == end
    table.run("INSERT INTO {t} VALUES ('y', 2)")
    assert table.rows(end) == [("INSERT", end + 1, "y", 2)]


def test_files_that_vacuum_took_are_an_error(table):
    start = table.run(
        create(), "INSERT INTO {t} VALUES (1, 'a')", "INSERT INTO {t} VALUES (2, 'b')"
    )
    table.run("OPTIMIZE {t}")
    assert len(table.rows(0)) == 2
    table.spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    table.run("VACUUM {t} RETAIN 0 HOURS")
    with pytest.raises(SchemaError, match="is no longer there") as raised:
        table.changes(0)
    assert raised.value.condition == "CHANGES_GONE"
    table.run("INSERT INTO {t} VALUES (3, 'c')")
    assert [row[2] for row in table.rows(start)] == [3]


def test_a_look_that_finds_nothing_takes_no_job(table):
    start = table.run(create("id INT", TRACKED), "INSERT INTO {t} SELECT id FROM range(4)")
    table.run("INSERT INTO {t} SELECT id FROM range(4)", "OPTIMIZE {t}")
    scheduler = table.spark.sparkContext._jsc.sc().dagScheduler()
    before = scheduler.numTotalJobs()
    newest = LocalLogFiles(table.folder).list_commits()[-1]
    files = LocalLogFiles(table.folder)
    assert classify(files, ChangeRange(newest, newest), Wanted.NET).reader is Reader.NOTHING
    assert classify(files, ChangeRange(start + 1, newest), Wanted.NET).reader is Reader.NOTHING
    found = table.changes(start + 1)
    assert scheduler.numTotalJobs() == before
    assert rows(table.spark, f"SELECT * FROM {found.sql}") == []
