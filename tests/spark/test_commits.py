"""Changing a Delta table in one commit, on Spark: each way, each kind of value, each failure."""

from __future__ import annotations

import math
import os
import random
from collections import Counter

import pytest
from tests.spark.written_table import (
    ALL_WAYS,
    LARGE,
    MAPPED,
    TRACKED,
    Table,
    bag,
    jobs,
    properties,
    way,
)

from headwater.algebra.render import text_of
from headwater.errors import HeadwaterError, InternalError, TransientError
from headwater.incremental.checks import NEGATIVE_COUNT, TWO_ROWS
from headwater.lake.commits import near
from headwater.lake.commits.choose import Limits
from headwater.lake.commits.delta_transaction import DeltaTransaction
from headwater.lake.commits.stored_table import read_stored_table
from headwater.lake.commits.writes import (
    Append,
    Applied,
    Change,
    How,
    Nothing,
    Overwrite,
    Rewrite,
)
from headwater.lake.delta_log.operations import row_counts

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture
def table(spark, tmp_path):
    return Table(spark, tmp_path / "a table")


def test_rows_come_and_the_commit_says_so(table):
    table.create("id INT, name STRING")
    done = table.apply(Append("SELECT 'a' AS name, 1 AS id UNION ALL SELECT 'b', 2"))
    assert done == Applied(How.APPEND, 2, 0, done.files_added, 0, 1)
    table.apply(Append("SELECT 3L AS ID, 'c' AS name"))
    assert table.rows == bag(table.spark, "VALUES (1, 'a'), (2, 'b'), (3, 'c') AS t(id, name)")
    commit = table.commit(1)
    assert (commit.user_metadata, commit.operation) == ("2 0", "WRITE")
    assert row_counts(commit).inserted == 2


def test_nothing_is_a_commit_without_files(table):
    table.create("id INT")
    for write in (Nothing(), Append("SELECT 1 AS id WHERE false")):
        done = table.apply(write, transaction=("dt", table.version))
        assert done == Applied(How.NOTHING, 0, 0, 0, 0, table.version)
    commit = table.commit(table.version)
    assert (commit.adds, commit.removes, commit.user_metadata) == ((), (), "0 0")
    assert commit.transactions[0].version == 1


def test_rows_take_the_place_of_all_others(table):
    table.create("id INT")
    table.run("INSERT INTO {t} VALUES (1), (2), (3)", "INSERT INTO {t} VALUES (4)")
    done = table.apply(Overwrite(f"SELECT id + 10 AS id FROM {table.name} WHERE id < 3"))
    assert (done.how, done.rows_inserted, done.rows_deleted) == (How.OVERWRITE, 2, 4)
    assert done.files_removed >= 2
    assert table.rows == bag(table.spark, "VALUES (11), (12) AS t(id)")
    done = table.apply(Overwrite("SELECT 1 AS id WHERE false"))
    assert (done.how, done.rows_inserted, done.rows_deleted) == (How.OVERWRITE, 0, 2)
    assert table.rows == Counter()
    assert table.apply(Overwrite("SELECT 1 AS id WHERE false")).how is How.NOTHING


@pytest.mark.parametrize("how", ALL_WAYS)
def test_copies_come_and_go(table, how):
    table.create("id INT, name STRING", *properties(how))
    table.run(
        "INSERT INTO {t} VALUES (1, 'a'), (1, 'a'), (1, 'a'), (2, NULL), (2, NULL), (NULL, 'n')",
        "INSERT INTO {t} VALUES (1, 'a'), (3, 'c')",
    )
    for delta, expected in (
        (
            "(1, 'a', -2), (2, NULL, -2), (NULL, 'n', 1), (4, 'd', 3)",
            "(1, 'a'), (1, 'a'), (3, 'c'), (NULL, 'n'), (NULL, 'n'), (4, 'd'), (4, 'd'), (4, 'd')",
        ),
        # A file with a vector gets another one, and one loses its last row.
        ("(1, 'a', -2), (4, 'd', -1), (NULL, 'n', -2)", "(3, 'c'), (4, 'd'), (4, 'd')"),
    ):
        change = Change(f"SELECT name, __weight, id FROM VALUES {delta} AS t(id, name, __weight)")
        done = table.apply(change, **way(how))
        assert done.how is how
        assert table.rows == bag(table.spark, f"VALUES {expected} AS t(id, name)")
        counts = row_counts(table.commit(done.delta_version))
        assert (counts.inserted, counts.deleted) == (done.rows_inserted, done.rows_deleted)
        stored = read_stored_table(table.log, done.delta_version)
        assert stored.rows == table.rows.total()
    if how is How.DELETION_VECTORS:
        assert any("deletionVector" in file for file in stored.files)


def test_a_change_without_deletes_appends_and_an_empty_one_writes_nothing(table):
    table.create("id INT")
    table.run("INSERT INTO {t} VALUES (1)")
    empty = Change("SELECT 1 AS id, 1L AS __weight WHERE rand() > 2")
    for limits in (LARGE, Limits()):
        before = {name for name in table.files if not name.startswith("_delta_log")}
        done = table.apply(empty, limits=limits)
        assert done == Applied(How.NOTHING, 0, 0, 0, 0, table.version)
        assert {name for name in table.files if not name.startswith("_delta_log")} == before
    done = table.apply(Change("SELECT 7 AS id, 2L AS __weight"), limits=LARGE)
    assert (done.how, done.rows_inserted, done.files_removed) == (How.APPEND, 2, 0)
    assert table.rows == bag(table.spark, "VALUES (1), (7), (7) AS t(id)")


KINDS = (
    "d DOUBLE, f FLOAT, m MAP<STRING, INT>, v VARIANT, s STRUCT<x: INT, yz: ARRAY<DOUBLE>>,"
    " c STRING, b BINARY, t TIMESTAMP, n DECIMAL(20, 3),"
    " l ARRAY<MAP<INT, STRING>>"
)
VALUES = (
    "CAST('NaN' AS DOUBLE), CAST(0.0 AS FLOAT), map('a', 1, 'b', NULL), parse_json('[1, {{}}]'),"
    " named_struct('x', NULL, 'yz', array(CAST('NaN' AS DOUBLE), -0.0D)), 'Text', X'00FF',"
    " TIMESTAMP '2026-11-16 10:00:00', 1.500, array(map(1, 'x'))",
    "-0.0D, CAST('NaN' AS FLOAT), map(), parse_json('null'), NULL, 'text', X'',"
    " NULL, NULL, array()",
    "NULL, NULL, NULL, NULL, named_struct('x', 1, 'yz', NULL), NULL, NULL, NULL, NULL, NULL",
)


@pytest.mark.parametrize("how", ALL_WAYS)
def test_every_kind_of_value_is_found_and_kept(table, how):
    table.create(f"id INT, {KINDS}", *properties(how))
    all_rows = " UNION ALL ".join(f"SELECT {i}, {values}" for i, values in enumerate(VALUES))
    table.run(f"INSERT INTO {{t}} {all_rows} UNION ALL {all_rows}".replace("{{}}", "{}"))
    # The same map in another order is the same map, and 0.0 is -0.0.
    other = {"m": "map_from_entries(reverse(map_entries(m)))", "d": "d + 0.0D"}
    names = table.spark.sql(f"SELECT * FROM {table.name}").columns
    columns = ", ".join(
        f"first({other.get(name, name)}) AS {name}" for name in names if name != "id"
    )
    delta = f"SELECT -1L AS __weight, id, {columns} FROM {table.name} GROUP BY id"
    done = table.apply(Change(delta), **way(how))
    assert (done.how, done.rows_deleted) == (how, 3)
    left = table.spark.sql(f"SELECT * FROM {table.name} ORDER BY id").collect()
    assert [(row.id, row.c) for row in left] == [(0, "Text"), (1, "text"), (2, None)]
    assert math.isnan(left[0].d)
    assert math.copysign(1, left[1].d) == -1
    assert math.copysign(1, left[0].s["yz"][1]) == -1


@pytest.mark.parametrize(
    ("how", "delta"),
    [
        (How.REWRITE, "(9, 'z', -1)"),
        (How.REWRITE, "(1, 'a', -2), (3, 'c', 1)"),
        (How.DELETION_VECTORS, "(1, 'a', -2), (3, 'c', 1), (2, 'b', -1)"),
        (How.TOUCHED_FILES, "(1, NULL, -1), (2, 'b', -1)"),
    ],
)
def test_a_row_that_is_not_there_cannot_go(table, how, delta):
    table.create("id INT, name STRING", *properties(how))
    table.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'b')", "INSERT INTO {t} VALUES (2, 'b')")
    rows, files = table.rows, table.files
    with pytest.raises(InternalError) as raised:
        table.apply(Change(f"SELECT * FROM VALUES {delta} t(id, name, __weight)"), **way(how))
    assert raised.value.condition == "REFRESH_DELETES_MISSING_ROW"
    assert (table.rows, table.files) == (rows, files)


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        (NEGATIVE_COUNT, "REFRESH_NEGATIVE_COUNT"),
        (TWO_ROWS, "REFRESH_TWO_ROWS_FOR_A_KEY"),
    ],
)
def test_a_plan_that_meets_what_cannot_be_leaves_nothing(table, words, condition):
    table.create("id INT")
    table.run("INSERT INTO {t} VALUES (1)")
    rows, files = table.rows, table.files
    check = f"CASE WHEN id > 1 THEN raise_error('{words}') ELSE true END"
    failing = f"SELECT id, 1L AS __weight FROM VALUES (2) t(id) WHERE {check}"
    with pytest.raises(InternalError) as raised:
        table.apply(Change(failing))
    assert raised.value.condition == condition
    assert (table.rows, table.files) == (rows, files)


@pytest.mark.parametrize("how", [How.DELETION_VECTORS, How.TOUCHED_FILES])
def test_rows_of_a_large_table_are_looked_for_where_their_values_lie(table, how, monkeypatch):
    looked: list[str] = []
    condition = near.Spans.condition

    def noted(spans, value, *, or_null):
        found = condition(spans, value, or_null=or_null)
        looked.append(text_of(found))
        return found

    monkeypatch.setattr(near, "LEAST_ROWS", 0)
    monkeypatch.setattr(near.Spans, "condition", noted)
    table.create("name STRING, day DATE, id BIGINT", *properties(how))
    row = "concat('n', id % 7), date_add(DATE'2026-01-01', CAST(id % 90 AS INT)), id"
    table.run(
        f"INSERT INTO {{t}} SELECT {row} FROM range(0, 500)",
        f"INSERT INTO {{t}} SELECT {row} FROM range(500, 1000)",
        "INSERT INTO {t} VALUES ('n1', NULL, NULL), (NULL, DATE'2026-02-03', NULL)",
    )
    # By days the rows lie anywhere, by ids they lie together; a row goes that has none.
    going = f"SELECT {row} FROM range(490, 520) UNION ALL SELECT 'n1', NULL, NULL"
    delta = f"SELECT *, -1L AS __weight FROM ({going}) AS t(name, day, id)"
    done = table.apply(Change(delta), **way(how))
    assert (done.how, done.rows_deleted) == (how, 31)
    assert looked == ["(`id` >= 490 AND `id` <= 519) OR `id` IS NULL"]
    kept = f"SELECT {row} FROM range(1000) WHERE id < 490 OR id >= 520"
    kept += " UNION ALL SELECT NULL, DATE'2026-02-03', NULL"
    assert table.rows == bag(table.spark, f"SELECT * FROM ({kept}) AS t(name, day, id)")
    with pytest.raises(InternalError):
        table.apply(Change(delta), **way(how))


def test_a_write_that_breaks_a_constraint_leaves_nothing(table):
    table.create("id INT NOT NULL, p STRING", clauses="PARTITIONED BY (p)")
    table.run("INSERT INTO {t} VALUES (1, 'a')")
    files = table.files
    with pytest.raises(HeadwaterError) as raised:
        table.apply(Append("SELECT if(id = 5000, NULL, 1) AS id, 'b' AS p FROM range(6000)"))
    assert "NULL" in str(raised.value)
    assert table.files == files


@pytest.mark.parametrize("how", [How.APPEND, How.REWRITE, How.DELETION_VECTORS])
def test_another_writer_s_commit_refuses_ours(table, how, monkeypatch):
    table.create("id INT", *properties(how))
    table.run("INSERT INTO {t} VALUES (1), (1), (2)")
    commit = DeltaTransaction.commit

    def late(opened, *arguments, **named):
        table.run("INSERT INTO {t} VALUES (5)")
        theirs.update(table.files)
        return commit(opened, *arguments, **named)

    theirs: set[str] = set()
    monkeypatch.setattr(DeltaTransaction, "commit", late)
    change = Change("SELECT * FROM VALUES (1, -1), (7, 1) AS t(id, __weight)")
    before = table.files
    with pytest.raises(TransientError) as raised:
        table.apply(Append("SELECT 7 AS id") if how is How.APPEND else change, **way(how))
    assert raised.value.condition == "CONCURRENT_CHANGE"
    assert table.rows == bag(table.spark, "VALUES (1), (1), (2), (5) AS t(id)")
    mine = {name for name in theirs - before if name not in table.files}
    assert mine, "the write had made files"
    named = {file["path"] for file in read_stored_table(table.log, table.version).files}
    data = {name for name in table.files if name.startswith(("part-", "deletion_vector"))}
    assert data == named


def test_a_transaction_is_applied_once(table):
    table.create("id INT")
    for number, repeated in ((1, False), (1, True), (3, False), (2, True)):
        before = table.version
        done = table.apply(Append(f"SELECT {number} AS id"), transaction=("dt", number))
        assert done.repeated is repeated
        assert done.delta_version == table.version == before + (not repeated)
    assert table.rows == bag(table.spark, "VALUES (1), (3) AS t(id)")
    assert not table.apply(Nothing(), transaction=("another", 1)).repeated


SHAPES = {
    "partitioned": ("PARTITIONED BY (p)", ()),
    "mapped": ("PARTITIONED BY (p)", (MAPPED,)),
    "tracked": ("CLUSTER BY (id)", (TRACKED,)),
}


@pytest.mark.parametrize(
    ("shape", "how"),
    [
        ("partitioned", How.TOUCHED_FILES),
        ("mapped", How.REWRITE),
        ("mapped", How.DELETION_VECTORS),
        ("tracked", How.DELETION_VECTORS),
        ("tracked", How.TOUCHED_FILES),
    ],
)
def test_tables_of_every_shape_are_changed(table, shape, how):
    clauses, more = SHAPES[shape]
    column = "a ,;{}()=`b" if shape == "mapped" else "a-b"
    quoted = f"`{column.replace('`', '``')}`"
    table.create(
        f"id BIGINT NOT NULL, p STRING, {quoted} STRUCT<x: BIGINT>",
        *properties(how),
        *more,
        clauses=clauses,
    )
    table.run(
        "INSERT INTO {t}"
        " SELECT id, if(id % 3 = 0, 'x y:%', 'z'), named_struct('x', id) FROM range(9)",
        "INSERT INTO {t} VALUES (100, NULL, NULL)",
    )
    ids = f"SELECT id, _metadata.row_id, _metadata.row_commit_version FROM {table.name}"
    before = (
        {row[0]: row[1:] for row in table.spark.sql(ids).collect()} if more == (TRACKED,) else {}
    )
    # Types that fit are enough; the table's win.
    delta = (
        f"SELECT CAST(id AS INT) AS id, p, named_struct('y', CAST({quoted}.x AS INT)) AS {quoted},"
        f" -1 AS __weight FROM {table.name} WHERE id IN (0, 4, 8)"
        f" UNION ALL SELECT 50, NULL, named_struct('y', 5), 1"
    )
    done = table.apply(Change(delta), **way(how))
    assert (done.how, done.rows_inserted, done.rows_deleted) == (how, 1, 3)
    found = table.spark.sql(f"SELECT id, p, {quoted}.x FROM {table.name}").collect()
    expected = [(i, "x y:%" if i % 3 == 0 else "z", i) for i in (1, 2, 3, 5, 6, 7)]
    assert sorted(map(tuple, found)) == [*expected, (50, None, 5), (100, None, None)]
    if before:
        after = {row[0]: row[1:] for row in table.spark.sql(ids).collect()}
        assert {i: after[i] for i in after if i != 50} == {i: before[i] for i in after if i != 50}
        assert after[50][0] not in {row_id for row_id, _ in before.values()}


def test_a_column_may_have_the_name_of_the_weight(table):
    table.create("__weight INT, c0 INT, weight INT, kept INT, id INT, file_path STRING")
    table.run("INSERT INTO {t} VALUES (1, 1, 1, 1, 1, 'a'), (2, 2, 2, 2, 2, 'b')")
    for limits in (Limits(), LARGE):
        delta = f"SELECT -1L AS w, * FROM {table.name} WHERE __weight = {1 + (limits is LARGE)}"
        assert table.apply(Change(delta, weight="w"), limits=limits).rows_deleted == 1
    assert table.rows == Counter()


def test_small_writes_take_one_job(table):
    table.create("id INT, name STRING")
    table.run("INSERT INTO {t} SELECT id, 'n' FROM range(100)")
    change = "SELECT * FROM VALUES ({0}, 'n', -1), ({0}, 'new', 1) AS t(id, name, __weight)"
    for number, (write, how) in enumerate(
        (
            (Change(change.format(1)), How.REWRITE),
            (Change(change.format(2)), How.REWRITE),
            (Append("SELECT 500 AS id, 'a' AS name"), How.APPEND),
            (Nothing(), How.NOTHING),
        )
    ):
        before = jobs(table.spark)
        done = table.apply(write, transaction=("dt", number))
        taken = jobs(table.spark) - before
        assert (done.how, taken) == (how, 0 if how is How.NOTHING else 1)
    assert len(read_stored_table(table.log, table.version).files) == 2


def test_delta_agrees_with_what_we_read_of_its_log(table):
    table.create(
        "id INT, p STRING", "'delta.checkpointInterval' = '3'", clauses="PARTITIONED BY (p)"
    )
    for number in range(8):
        delta = f"VALUES ({number}, 'p q', 1), ({number - 1}, 'p q', {-(number > 0)})"
        change = Change(f"SELECT * FROM {delta} AS t(id, p, __weight) WHERE __weight <> 0")
        table.apply(change, limits=LARGE if number % 2 else Limits(), transaction=("dt", number))
        if number not in (4, 7):
            continue
        log = table.spark._jvm.org.apache.spark.sql.delta.DeltaLog
        theirs = log.forTable(
            table.spark._jsparkSession, str(table.folder)
        ).unsafeVolatileSnapshot()
        ours = read_stored_table(table.log, table.version)
        # Delta checks its own checksum of the state, which our commits brought up to date.
        assert theirs.validateChecksum(getattr(theirs, "validateChecksum$default$1")())
        files = [file.path() for file in theirs.allFiles().collectAsList()]
        assert sorted(files) == sorted(file["path"] for file in ours.files)
        assert ours.transactions == {"dt": number}
    # What we wrote is a table that Delta goes on with.
    table.run("UPDATE {t} SET p = 'n' WHERE id > 5", "OPTIMIZE {t}", "UPDATE {t} SET p = 'p q'")
    assert table.rows == bag(table.spark, "VALUES (7, 'p q') AS t(id, p)")


COLUMNS = {
    "i INT": ("NULL", "1", "2", "3"),
    "s STRING": ("NULL", "'a'", "'b'"),
    "d DOUBLE": ("NULL", "CAST('NaN' AS DOUBLE)", "1.5D"),
    "m MAP<STRING, INT>": ("NULL", "map('k', 1)", "map('k', 1, 'l', 2)"),
    "v VARIANT": ("NULL", "parse_json('1')", "parse_json('\"1\"')"),
}
NAMES = [column.partition(" ")[0] for column in COLUMNS]
Bag = Counter[tuple[str, ...]]


def random_change(chosen: random.Random, rows: Bag) -> Bag:
    """Few values, so that many rows are equal."""
    change: Bag = Counter()
    for row in chosen.sample(sorted(rows), min(len(rows), chosen.randrange(6))):
        change[row] -= chosen.randint(1, rows[row])
    for _ in range(chosen.randrange(1, 6)):
        change[tuple(map(chosen.choice, COLUMNS.values()))] += chosen.randint(1, 3)
    return Counter({row: weight for row, weight in change.items() if weight})


FATED = """SELECT * FROM VALUES (1, 'stayed', 0), (2, 'new', 1), (3, 'changed', 2), (4, 'gone', 3)
    AS t(id, name, fate)"""


def test_a_small_table_is_written_anew_by_the_fates_of_its_rows(table):
    table.create("id INT, name STRING")
    table.run("INSERT INTO {t} VALUES (1, 'stayed'), (3, 'was'), (4, 'gone')")
    done = table.apply(Rewrite(FATED, "fate"))
    assert (done.how, done.rows_inserted, done.rows_deleted) == (How.REWRITE, 2, 2)
    wanted = "VALUES (1, 'stayed'), (2, 'new'), (3, 'changed') AS t(id, name)"
    assert table.rows == bag(table.spark, wanted)
    counts = row_counts(table.commit(done.delta_version))
    assert (counts.inserted, counts.deleted) == (2, 2)


def test_if_every_row_stayed_nothing_is_written(table):
    table.create("id INT")
    table.run("INSERT INTO {t} VALUES (1)")
    files = {name for name in table.files if name.endswith(".parquet")}
    done = table.apply(Rewrite("SELECT 1 AS id, 0 AS fate", "fate"))
    assert (done.how, done.files_added, done.files_removed) == (How.NOTHING, 0, 0)
    assert {name for name in table.files if name.endswith(".parquet")} == files


def test_a_table_whose_rows_have_ids_is_not_written_anew(table):
    table.create("id INT", TRACKED)
    table.run("INSERT INTO {t} VALUES (1)")
    with pytest.raises(TransientError, match="its rows were given ids"):
        table.apply(Rewrite("SELECT 2 AS id, 1 AS fate", "fate"))
    assert table.rows == bag(table.spark, "VALUES (1) AS t(id)")


@pytest.mark.parametrize("how", ALL_WAYS)
def test_random_changes_of_random_bags(table, how):
    seed = int(os.environ.get("HEADWATER_COMMITS_SEED", random.randrange(10**6)))
    print(f"HEADWATER_COMMITS_SEED={seed}")
    chosen = random.Random(seed)
    table.create(", ".join(COLUMNS), *properties(how))
    rows: Bag = Counter()
    for _ in range(5):
        change = random_change(chosen, rows)
        if not change:
            continue
        values = ", ".join(f"({', '.join(row)}, {weight})" for row, weight in change.items())
        delta = f"SELECT * FROM VALUES {values} AS t({', '.join(NAMES)}, __weight)"
        done = table.apply(Change(delta), **way(how))
        assert done.rows_inserted == sum(n for n in change.values() if n > 0)
        assert done.rows_deleted == -sum(n for n in change.values() if n < 0)
        rows = Counter({row: n for row in rows | change if (n := rows[row] + change[row])})
    expected = ", ".join(f"({', '.join(row)})" for row in rows.elements())
    query = f"SELECT * FROM VALUES {expected or '(1, 1, 1, 1, 1)'} AS t({', '.join(NAMES)})"
    assert table.rows == bag(table.spark, query if expected else f"{query} WHERE false")
