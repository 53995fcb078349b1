"""What is read from the log without Spark equals what Spark and Delta say of the same table."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.catalog.objects import TableShape, TableVersion
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.lake.delta_log.snapshot import read_snapshot
from headwater.lake.delta_log.stamp import Stamp
from headwater.lake.delta_log.sync import read_new

pytestmark = pytest.mark.spark

USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"


class Watched:
    """A table written by Spark and read by us after each statement."""

    def __init__(self, spark, folder: Path) -> None:
        self.spark = spark
        self.name = f"delta.`{folder}`"
        self.files = LocalLogFiles(folder)
        self.shape = TableShape()
        self.versions: dict[int, TableVersion] = {}

    def run(self, statement: str) -> tuple[TableVersion, ...]:
        """Runs a statement on the table `{t}`; the versions it made, after comparing with Spark."""
        self.spark.sql(statement.replace("{t}", self.name))
        last = self.versions[max(self.versions)] if self.versions else None
        self.shape, made = read_new(self.files, self.shape, last, default_user="me")
        self.versions |= {version.version: version for version in made}
        self.compare()
        return made

    def compare(self) -> None:
        # Delta answers count(*) from the statistics that are under test: count what a scan returns.
        counted = len(self.spark.sql(f"SELECT 1 FROM {self.name}").collect())
        detail = self.spark.sql(f"DESCRIBE DETAIL {self.name}").collect()[0]
        shape = self.shape
        assert (shape.totals.rows, shape.totals.bytes) == (counted, detail["sizeInBytes"])
        assert shape.delta_version == self.files.list_commits()[-1]
        assert [(c.name, c.type, c.comment) for c in shape.columns] == self.described()
        assert list(shape.partition_columns) == detail["partitionColumns"]
        assert list(shape.cluster_columns) == detail["clusteringColumns"]
        assert shape.comment == detail["description"]
        assert dict(shape.properties) == detail["properties"]
        snapshot = read_snapshot(self.files, shape.delta_version)
        assert snapshot.totals == shape.totals
        assert len(snapshot.files) == detail["numFiles"]

    def described(self) -> list[tuple[str, str, str | None]]:
        columns = []
        for name, kind, comment in self.spark.sql(f"DESCRIBE {self.name}").collect():
            if not name or name.startswith("#"):
                break
            columns.append((name, kind, comment))
        return columns


@pytest.fixture
def table(spark, tmp_path):
    yield Watched(spark, tmp_path / "t")
    spark.conf.unset(USER_METADATA)


STEPS = [
    ("INSERT INTO {t} SELECT id, id % 3, 'x' FROM range(0, 100, 1, 2)", "INSERT_INTO"),
    ("INSERT INTO {t} SELECT id, id % 3, 'y' FROM range(100, 200, 1, 2)", "INSERT_INTO"),
    ("DELETE FROM {t} WHERE id = 7", "DELETE"),
    ("DELETE FROM {t} WHERE id IN (8, 150)", "DELETE"),
    ("UPDATE {t} SET s = 'z' WHERE id BETWEEN 20 AND 25", "UPDATE"),
    (
        "MERGE INTO {t} t USING (SELECT id, 0 AS k, 'm' AS s FROM range(90, 95)"
        " UNION ALL SELECT id, 1, 'n' FROM range(500, 503)) u ON t.id = u.id"
        " WHEN MATCHED AND u.id = 90 THEN DELETE WHEN MATCHED THEN UPDATE SET s = u.s"
        " WHEN NOT MATCHED THEN INSERT *",
        "MERGE_INTO",
    ),
    ("OPTIMIZE {t}", "COMPACTION"),
    ("DELETE FROM {t} WHERE id < 10", "DELETE"),
    ("RESTORE TABLE {t} TO VERSION AS OF 5", "RESTORE"),
    ("ALTER TABLE {t} ADD COLUMNS (d DECIMAL(10,2) COMMENT 'money')", "ALTER"),
    ("ALTER TABLE {t} SET TBLPROPERTIES ('a' = 'b', 'comment' = 'changed')", "ALTER"),
    ("INSERT OVERWRITE {t} SELECT id, id % 3, 'o', 1.5 FROM range(40)", "INSERT_OVERWRITE"),
    ("DELETE FROM {t} WHERE id >= 0", "DELETE"),
    ("INSERT INTO {t} VALUES (1, 1, 'a', NULL), (2, 2, 'b', 2)", "INSERT_INTO"),
    ("TRUNCATE TABLE {t}", "TRUNCATE"),
    ("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 1 AS one", "REPLACE_TABLE_AS"),
]


WITHOUT_VECTORS = [STEPS[0], STEPS[2], *STEPS[4:7]]


@pytest.mark.parametrize(
    ("vectors", "steps"),
    [
        pytest.param("true", STEPS, id="vectors"),
        pytest.param("false", WITHOUT_VECTORS, id="rewrites", marks=pytest.mark.nightly),
    ],
)
def test_every_statement_is_one_version_with_spark_s_totals(table, vectors, steps):
    made = table.run(
        "CREATE TABLE {t} (id BIGINT NOT NULL COMMENT 'key', k BIGINT, s STRING) USING delta"
        f" COMMENT 'first' TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}',"
        " 'delta.checkpointInterval' = '2')"
    )
    assert [(v.version, v.operation, v.user) for v in made] == [(1, "CREATE", "me")]
    for number, (statement, operation) in enumerate(steps, start=2):
        made = table.run(statement)
        assert [(v.version, v.operation) for v in made] == [(number, operation)], statement
    times = [table.versions[n].committed_at for n in sorted(table.versions)]
    assert times == sorted(times)
    merged = next(v for v in table.versions.values() if v.operation == "MERGE_INTO")
    assert (merged.rows_inserted, merged.rows_updated, merged.rows_deleted) == (3, 4, 1)
    whole, versions = read_new(table.files, TableShape(), None, default_user="me")
    assert whole == table.shape
    assert list(versions) == [table.versions[n] for n in sorted(table.versions)]


def test_a_statement_of_several_commits_is_one_version(table):
    table.run("CREATE TABLE {t} USING delta AS SELECT id FROM range(10)")
    table.run("INSERT INTO {t} SELECT id FROM range(5)")
    table.spark.conf.set(USER_METADATA, Stamp("job-1", "ALTER", "ann", 7).to_json())
    (made,) = table.run("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    assert made.delta_version > 2
    assert (made.version, made.operation, made.user, made.job_id) == (3, "ALTER", "ann", "job-1")
    assert made.totals.rows == 15


def test_clustering_follows_renamed_columns(table):
    table.run(
        "CREATE TABLE {t} (id BIGINT, s STRING, p STRUCT<x: INT, y: INT>) USING delta"
        " CLUSTER BY (id, p.x) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    table.run("INSERT INTO {t} SELECT id, 's', named_struct('x', 1, 'y', 2) FROM range(9)")
    table.run("ALTER TABLE {t} RENAME COLUMN id TO key")
    assert table.shape.cluster_columns == ("key", "p.x")
    table.run("ALTER TABLE {t} CLUSTER BY (s, key)")
    table.run("OPTIMIZE {t}")
    table.run("ALTER TABLE {t} DROP COLUMN p")
    table.run("ALTER TABLE {t} CLUSTER BY NONE")
    assert table.shape.cluster_columns == ()


def test_checkpoints_with_sidecars_and_partitions(table):
    table.run(
        "CREATE TABLE {t} (id BIGINT, `a b` STRING) USING delta PARTITIONED BY (`a b`)"
        " TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2',"
        " 'delta.columnMapping.mode' = 'name')"
    )
    for _ in range(3):
        table.run("INSERT INTO {t} SELECT id, concat('x y/', id % 2) FROM range(10)")
    table.run("DELETE FROM {t} WHERE `a b` = 'x y/1'")
    table.run("INSERT OVERWRITE {t} SELECT 1, 'z'")
    assert any(len(found.names[0]) > 60 for found in table.files.list_checkpoints())


def test_types_are_shown_as_spark_describes_them(table):
    table.run(
        "CREATE TABLE {t} (a TINYINT, b SMALLINT, c INT, d BIGINT, e FLOAT, f DOUBLE,"
        " g DECIMAL(38,18), h BOOLEAN, i BINARY, j DATE, k TIMESTAMP, l TIMESTAMP_NTZ,"
        " m VARIANT, n ARRAY<STRING>, o MAP<STRING, STRUCT<A: INT, b: ARRAY<DATE>>>,"
        " p STRUCT<`x y`: INT, z: STRUCT<n: DECIMAL(4,1)>> COMMENT 'nested') USING delta"
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    assert len(table.shape.columns) == 16


def test_char_and_varchar_are_shown_as_declared_where_spark_says_string(spark, tmp_path):
    folder = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{folder}` (a CHAR(3), b ARRAY<VARCHAR(5)>) USING delta")
    shape, _ = read_new(LocalLogFiles(folder), TableShape(), None, default_user="me")
    assert [column.type for column in shape.columns] == ["char(3)", "array<varchar(5)>"]
