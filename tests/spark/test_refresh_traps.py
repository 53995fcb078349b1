"""What other engines got wrong, one test each: the contents stay what the query says.

Each test has its own names in one lake, so that all of them share one start of Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from headwater.errors import HeadwaterError
from headwater.refresh import outlook
from headwater.refresh.costs import Costs

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


class Kept:
    """A lake, and a dynamic table in it that is refreshed and compared after each step."""

    def __init__(self, lake: headwater.Connection, name: str) -> None:
        self.lake = lake
        self.name = name

    def sql(self, *statements: str) -> headwater.Result:
        """Run statements, `{t}` standing for this test's own prefix."""
        result = headwater.Result()
        for statement in statements:
            result = self.lake.sql(statement.replace("{t}", self.name))
        return result

    def define(self, query: str, *, table: str = "{t}_d", mode: str = "INCREMENTAL") -> None:
        """Make the dynamic table and refresh it once."""
        self.sql(f"CREATE DYNAMIC TABLE {table} REFRESH_MODE = {mode} AS {query}")
        assert self.refresh(table)[0] == "FULL"

    def refresh(self, table: str = "{t}_d") -> tuple[str, str]:
        """Refresh, compare, and say which kind of refresh it was and why."""
        self.sql(f"REFRESH DYNAMIC TABLE {table}")
        verified = self.sql(f"VERIFY DYNAMIC TABLE {table}")
        assert verified.rows[0][1], dict(zip(verified.columns, verified.rows[0], strict=True))
        last = self.lake.session.state.lake.store.refreshes.list(limit=1)[0]
        return str(last.kind), str(last.reason)

    def states(self) -> set[str]:
        """The groups that are kept beside the table."""
        store = self.lake.session.state.lake.store
        found = store.dynamic_tables.get("headwater", "public", f"{self.name}_d")
        assert found is not None
        assert found.frontier is not None
        return set(found.frontier.detail["states"])

    def rows(self, table: str = "{t}_d") -> list[tuple[object, ...]]:
        """What the table holds, in some order of its own."""
        return sorted(self.sql(f"SELECT * FROM {table}").rows, key=repr)


@pytest.fixture(scope="module")
def shared_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Connection]:
    """One lake for all tests of this file."""
    path: Path = tmp_path_factory.mktemp("traps") / "lake"
    with headwater.connect(path) as connection:
        yield connection


@pytest.fixture
def kept(shared_lake: headwater.Connection, request: pytest.FixtureRequest) -> Iterator[Kept]:
    """Names of this test's own; settings are put back."""
    name = request.node.name.removeprefix("test_")[:40]
    yield Kept(shared_lake, name)
    for setting in ("spark.sql.session.timeZone", "spark.sql.ansi.enabled"):
        shared_lake.sql(f"RESET {setting}")


def test_null_group_keys(kept: Kept) -> None:
    kept.sql(
        "CREATE TABLE {t} (k INT, j STRING, v INT)",
        "INSERT INTO {t} VALUES (NULL, NULL, 1), (NULL, 'x', 2), (1, NULL, 3)",
    )
    kept.define("SELECT k, j, sum(v) AS s, max(v) AS m FROM {t} GROUP BY k, j")
    kept.sql("INSERT INTO {t} VALUES (NULL, NULL, 10)", "DELETE FROM {t} WHERE j = 'x'")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert (None, None, 11, 10) in kept.rows()


def test_tuple_in_with_null(kept: Kept) -> None:
    kept.sql(
        "CREATE TABLE {t} (a INT, b INT)",
        "CREATE TABLE {t}_s (a INT, b INT)",
        "INSERT INTO {t} VALUES (1, NULL), (1, 2), (NULL, NULL)",
        "INSERT INTO {t}_s VALUES (1, 2)",
    )
    kept.define("SELECT * FROM {t} WHERE (a, b) IN (SELECT a, b FROM {t}_s)")
    kept.define("SELECT * FROM {t} WHERE a NOT IN (SELECT b FROM {t}_s)", table="{t}_n")
    kept.sql("INSERT INTO {t}_s VALUES (1, NULL)", "INSERT INTO {t} VALUES (1, 2), (5, 5)")
    kept.refresh()
    kept.refresh("{t}_n")
    assert kept.rows("{t}_n") == []
    kept.sql("DELETE FROM {t}_s WHERE b IS NULL")
    kept.refresh()
    kept.refresh("{t}_n")


def test_sum_of_nothing_but_nulls(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT, v INT)", "INSERT INTO {t} VALUES (1, NULL), (1, 5)")
    kept.define("SELECT k, sum(v) AS s, count(v) AS n, avg(v) AS a FROM {t} GROUP BY k")
    kept.sql("DELETE FROM {t} WHERE v = 5")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.rows() == [(1, None, 0, None)]


def test_aggregate_of_an_empty_table(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (v INT)", "INSERT INTO {t} VALUES (1), (2)")
    kept.define("SELECT count(*) AS n, sum(v) AS s, max(v) AS m FROM {t}")
    kept.sql("DELETE FROM {t} WHERE v > 0")
    kept.refresh()
    assert kept.rows() == [(0, None, None)]
    kept.sql("INSERT INTO {t} VALUES (7)")
    kept.refresh()
    assert kept.rows() == [(1, 7, 7)]


def test_same_key_deleted_and_inserted_on_both_sides_of_a_join(kept: Kept) -> None:
    kept.sql(
        "CREATE TABLE {t} (k INT, v STRING)",
        "CREATE TABLE {t}_s (k INT, w STRING)",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'b')",
        "INSERT INTO {t}_s VALUES (1, 'x'), (2, 'y')",
    )
    kept.define("SELECT l.k, v, w FROM {t} l JOIN {t}_s r ON l.k = r.k")
    kept.define("SELECT l.k, v, w FROM {t} l LEFT JOIN {t}_s r ON l.k = r.k", table="{t}_l")
    for side, value in (("{t}", "A"), ("{t}_s", "X")):
        kept.sql(f"DELETE FROM {side} WHERE k = 1", f"INSERT INTO {side} VALUES (1, '{value}')")
    kept.refresh()
    kept.refresh("{t}_l")
    assert kept.rows() == [(1, "A", "X"), (2, "b", "y")]


def test_duplicates_are_counted(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT, v INT)", "INSERT INTO {t} VALUES (1, 1), (2, 1), (3, 1)")
    kept.define("SELECT v FROM {t}")
    kept.sql("DELETE FROM {t} WHERE k = 2", "INSERT INTO {t} VALUES (4, 2), (5, 2)")
    assert kept.refresh() == ("INCREMENTAL", "ROWS_CHANGED")
    assert kept.rows() == [(1,), (1,), (2,), (2,)]


def test_compaction_and_properties_are_no_change(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT)")
    kept.sql(*[f"INSERT INTO {{t}} VALUES ({k})" for k in range(3)])
    kept.define("SELECT count(*) AS n FROM {t}")
    kept.sql("OPTIMIZE {t}", "ALTER TABLE {t} SET PROPERTIES ('user.owner' = 'ann')")
    assert kept.refresh() == ("NO_DATA", "NO_ROWS_CHANGED")
    assert kept.refresh() == ("NO_DATA", "SOURCES_UNCHANGED")


def test_full_outer_join_after_insert_and_delete(kept: Kept) -> None:
    kept.sql(
        "CREATE TABLE {t} (k INT, v INT)",
        "CREATE TABLE {t}_s (k INT, w INT)",
        "INSERT INTO {t} VALUES (1, 1), (2, 2)",
        "INSERT INTO {t}_s VALUES (2, 20), (3, 30)",
    )
    kept.define("SELECT l.k, v, r.k AS rk, w FROM {t} l FULL JOIN {t}_s r ON l.k = r.k")
    kept.sql("INSERT INTO {t} VALUES (3, 3)", "DELETE FROM {t}_s WHERE k = 2")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.rows() == sorted([(1, 1, None, None), (2, 2, None, None), (3, 3, 3, 30)], key=repr)


def test_window_ties(kept: Kept) -> None:
    kept.sql(
        "CREATE TABLE {t} (k INT, v INT)", "INSERT INTO {t} VALUES (1, 5), (1, 5), (1, 7), (2, 1)"
    )
    kept.define("SELECT k, v, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM {t}")
    kept.sql("INSERT INTO {t} VALUES (1, 5), (2, 1)", "DELETE FROM {t} WHERE v = 7")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.rows() == [(1, 5, 1)] * 3 + [(2, 1, 1)] * 2


def test_last_digits_of_decimal_averages(kept: Kept) -> None:
    kept.sql(
        "SET cz.optimizer.incremental.enable.state.table = true",
        "CREATE TABLE {t} (k INT, v DECIMAL(15,2))",
        "INSERT INTO {t} SELECT id % 7, id * 1.37 FROM range(500)",
    )
    kept.define("SELECT k, avg(v) AS a, avg(k) AS b FROM {t} GROUP BY k HAVING count(v) > 1")
    for step in range(3):
        kept.sql(
            f"INSERT INTO {{t}} SELECT id % 7, id * 0.11 FROM range({step * 10}, {step * 17 + 3})",
            f"DELETE FROM {{t}} WHERE k = {step} AND v < 100",
        )
        assert kept.refresh()[0] == "INCREMENTAL"
        kept.sql("OPTIMIZE {t}")
        assert kept.refresh()[0] == "NO_DATA"
        assert kept.states() == {"s1"}
    kept.sql("RESET cz.optimizer.incremental.enable.state.table")


def test_star_keeps_the_columns_it_had(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (a INT)", "INSERT INTO {t} VALUES (1)")
    kept.define("SELECT * FROM {t}")
    kept.sql("ALTER TABLE {t} ADD COLUMN b INT", "INSERT INTO {t} VALUES (2, 20)")
    kept.refresh()
    assert kept.rows() == [(1,), (2,)]
    kept.sql("INSERT INTO {t} VALUES (3, 30)")
    assert kept.refresh()[0] == "INCREMENTAL"


def test_a_function_that_was_replaced(kept: Kept) -> None:
    make = "CREATE {} FUNCTION {{t}}_f(x INT) RETURNS INT LANGUAGE PYTHON AS $$return x * {}$$"
    kept.sql("CREATE TABLE {t} (a INT)", "INSERT INTO {t} VALUES (1)", make.format("", 2))
    kept.define("SELECT {t}_f(a) AS b FROM {t}", mode="AUTO")
    kept.sql("DROP FUNCTION {t}_f", make.format("", 3))
    assert kept.refresh() == ("FULL", "FUNCTION_CHANGED")
    assert kept.rows() == [(3,)]


def test_another_time_zone(kept: Kept) -> None:
    kept.sql(
        "SET spark.sql.session.timeZone = 'UTC'",
        "CREATE TABLE {t} (at TIMESTAMP)",
        "INSERT INTO {t} VALUES (TIMESTAMP '2026-01-01 23:30:00')",
    )
    kept.define("SELECT date(at) AS day, count(*) AS n FROM {t} GROUP BY date(at)")
    kept.sql("SET spark.sql.session.timeZone = 'Asia/Shanghai'")
    assert kept.refresh() == ("FULL", "SETTINGS_CHANGED")


def test_another_ansi_setting(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (s STRING)", "INSERT INTO {t} VALUES ('1')")
    kept.define("SELECT try_cast(s AS INT) AS v FROM {t}")
    kept.sql("SET spark.sql.ansi.enabled = false", "INSERT INTO {t} VALUES ('x')")
    assert kept.refresh() == ("FULL", "SETTINGS_CHANGED")


def test_a_source_that_was_made_anew(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (a INT)", "INSERT INTO {t} VALUES (1)")
    kept.define("SELECT a FROM {t}")
    kept.sql("DROP TABLE {t}", "CREATE TABLE {t} (a INT)", "INSERT INTO {t} VALUES (2)")
    assert kept.refresh() == ("FULL", "SOURCE_REPLACED")
    assert kept.rows() == [(2,)]


def test_update_of_the_filtered_column(kept: Kept) -> None:
    kept.sql(
        "CREATE TABLE {t} (k INT, on_ BOOLEAN)", "INSERT INTO {t} VALUES (1, true), (2, false)"
    )
    kept.define("SELECT k FROM {t} WHERE on_")
    kept.sql("UPDATE {t} SET on_ = NOT on_")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.rows() == [(2,)]


def test_update_that_moves_a_row_to_another_group(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT, v INT)", "INSERT INTO {t} VALUES (1, 1), (1, 2), (2, 3)")
    kept.define("SELECT k, sum(v) AS s, max(v) AS m FROM {t} GROUP BY k")
    window = "SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM {t}"
    kept.define(window, table="{t}_w")
    kept.sql("UPDATE {t} SET k = 2 WHERE v = 2")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.refresh("{t}_w")[0] == "INCREMENTAL"


def test_self_join(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT, up INT)", "INSERT INTO {t} VALUES (1, NULL), (2, 1), (3, 2)")
    kept.define("SELECT a.k, b.k AS above FROM {t} a JOIN {t} b ON a.up = b.k")
    kept.sql("INSERT INTO {t} VALUES (4, 3), (5, 4)", "DELETE FROM {t} WHERE k = 2")
    assert kept.refresh()[0] == "INCREMENTAL"


def test_diamond_whose_sides_stand_at_different_versions(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT, v INT)", "INSERT INTO {t} VALUES (1, 1)")
    kept.define("SELECT k, v FROM {t} WHERE v > 0", table="{t}_l")
    kept.define("SELECT k, count(*) AS n FROM {t} GROUP BY k", table="{t}_r")
    kept.define("SELECT l.k, l.v, r.n FROM {t}_l l JOIN {t}_r r ON l.k = r.k")
    kept.sql("INSERT INTO {t} VALUES (1, 2), (2, 1)")
    kept.refresh("{t}_l")
    assert kept.refresh()[0] == "INCREMENTAL"
    kept.refresh("{t}_r")
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.rows() == [(1, 1, 2), (1, 2, 2), (2, 1, 1)]


def test_columns_named_like_our_own(kept: Kept) -> None:
    columns = "`__weight` INT, `#weight` INT, `__change_type` STRING, `#rows` INT"
    kept.sql(
        f"CREATE TABLE {{t}} ({columns})", "INSERT INTO {t} VALUES (1, 2, 'a', 3), (4, 5, 'b', 6)"
    )
    kept.define("SELECT * FROM {t}")
    sums = (
        "SELECT `#weight`, sum(`__weight`) AS `__weight`, count(*) AS `#rows` FROM {t} GROUP BY 1"
    )
    kept.define(sums, table="{t}_g")
    kept.sql("DELETE FROM {t} WHERE `#rows` = 3", "INSERT INTO {t} VALUES (7, 5, 'c', 8)")
    kept.refresh()
    kept.refresh("{t}_g")


def test_source_overwritten_restored_and_truncated(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT)", "INSERT INTO {t} VALUES (1), (2)")
    kept.define("SELECT k, count(*) AS n FROM {t} GROUP BY k")
    kept.sql("INSERT OVERWRITE {t} VALUES (2), (3)")
    assert kept.refresh()[0] == "INCREMENTAL"
    kept.sql("TRUNCATE TABLE {t}")
    kept.refresh()
    assert kept.rows() == []
    kept.sql("RESTORE TABLE {t} TO VERSION AS OF 2")
    kept.refresh()
    assert kept.rows() == [(1, 1), (2, 1)]


def test_column_of_a_source_dropped(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (a INT, b INT)", "INSERT INTO {t} VALUES (1, 2)")
    kept.define("SELECT a FROM {t}")
    kept.define("SELECT b FROM {t}", table="{t}_b")
    kept.sql("ALTER TABLE {t} DROP COLUMN b", "INSERT INTO {t} VALUES (3)")
    kept.refresh()
    with pytest.raises(HeadwaterError) as raised:
        kept.refresh("{t}_b")
    assert "b" in str(raised.value)
    assert kept.rows("{t}_b") == [(2,)]


def test_column_of_a_source_dropped_and_added_again(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (a INT, b INT)", "INSERT INTO {t} VALUES (1, 2)")
    kept.define("SELECT a, b FROM {t}")
    kept.sql("ALTER TABLE {t} DROP COLUMN b", "ALTER TABLE {t} ADD COLUMN b INT")
    assert kept.refresh() == ("FULL", "SOURCE_COLUMNS_CHANGED")
    assert kept.rows() == [(1, None)]


def test_a_dynamic_table_that_was_restored(kept: Kept) -> None:
    kept.sql("CREATE TABLE {t} (k INT)", "INSERT INTO {t} VALUES (1)")
    kept.define("SELECT k FROM {t}")
    kept.sql("INSERT INTO {t} VALUES (2)")
    kept.refresh()
    kept.sql("RESTORE TABLE {t}_d TO VERSION AS OF 2")
    assert kept.rows() == [(1,)]
    assert kept.refresh() == ("FULL", "TABLE_CHANGED")
    assert kept.rows() == [(1,), (2,)]


def test_history_that_is_gone(kept: Kept) -> None:
    """A file of the old version was removed by another tool's VACUUM."""
    kept.sql("CREATE TABLE {t} (k INT)", "INSERT INTO {t} VALUES (1)")
    kept.define("SELECT k FROM {t}")
    kept.sql("INSERT OVERWRITE {t} VALUES (2)")
    state = kept.lake.session.state
    table = state.lake.store.tables.get("headwater", "public", kept.name)
    assert table is not None
    old = min(
        Path(state.lake.location(table)).glob("*.parquet"), key=lambda file: file.stat().st_mtime
    )
    old.unlink()
    assert kept.refresh() == ("FULL", "HISTORY_GONE")
    assert kept.rows() == [(2,)]


def test_a_file_of_the_old_version_that_is_gone(kept: Kept) -> None:
    """Compaction wrote the rows anew, and another tool's VACUUM removed the old file."""
    kept.sql("CREATE TABLE {t} (k INT)", "INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    kept.define("SELECT max(k) AS m, min(k) AS n FROM {t}")
    kept.define("SELECT l.k FROM {t} l JOIN {t} r ON l.k = r.k", table="{t}_j")
    state = kept.lake.session.state
    table = state.lake.store.tables.get("headwater", "public", kept.name)
    assert table is not None
    old = list(Path(state.lake.location(table)).glob("*.parquet"))
    kept.sql("OPTIMIZE {t}", "INSERT INTO {t} VALUES (3)")
    for file in old:
        file.unlink()
    assert kept.refresh()[0] == "INCREMENTAL"
    assert kept.refresh("{t}_j") == ("FULL", "PLAN_FAILED")


def test_dynamic_tables_that_read_one_source_read_its_changes_once(kept):
    kept.sql("CREATE TABLE {t} (k INT, v INT, w INT)")
    kept.sql("INSERT INTO {t} SELECT id % 5, id, 2 * id FROM range(100)")
    kept.define("SELECT k, sum(v) AS s, count(*) AS n FROM {t} GROUP BY k", table="{t}_d")
    kept.define("SELECT k, w FROM {t} WHERE w > 50", table="{t}_e")
    changes = kept.lake.session.state.lake.kept_changes
    before = dict(changes._kept)
    for step in range(2):
        kept.sql(
            f"INSERT INTO {{t}} VALUES ({step}, 500, 1000)",
            f"DELETE FROM {{t}} WHERE v = {step + 60}",
        )
        assert kept.refresh("{t}_d") == ("INCREMENTAL", "ROWS_CHANGED")
        assert kept.refresh("{t}_e") == ("INCREMENTAL", "ROWS_CHANGED")
    found = [one for key, one in changes._kept.items() if key not in before]
    # The first look of all was of one that did not know of the other yet.
    assert [one.columns for one in found] == [("k", "v", "w")] * 2


def test_readers_of_a_table_worked_out_anew(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Overwritten, it shows its readers all rows as changed; compared, only those that are."""
    kept.sql("CREATE TABLE {t} (k INT, v INT)", "INSERT INTO {t} VALUES (1, 1), (1, 1), (2, 5)")
    kept.define("SELECT k, v FROM {t} WHERE v > 0", mode="AUTO")
    kept.define("SELECT k, sum(v) AS s FROM {t}_d GROUP BY k", table="{t}_r")
    steps = (
        (True, "DELETE FROM {t} WHERE v = 1", (1, 3), [(2, 5)]),
        (False, "INSERT INTO {t} VALUES (2, 7)", (1, 0), [(2, 12)]),
    )
    for overwrites, statement, written, rows in steps:
        kept.sql(statement)
        anew = Costs(incremental=2.0, full=1.0, overwrites=overwrites)
        with monkeypatch.context() as patched:
            patched.setattr(outlook, "costs", lambda *_, anew=anew, **__: anew)
            assert kept.refresh() == ("FULL", "CHEAPER_IN_FULL")
        last = kept.lake.session.state.lake.store.refreshes.list(limit=1)[0]
        assert (last.rows_inserted, last.rows_deleted) == written
        assert kept.refresh("{t}_r")[0] == "INCREMENTAL"
        assert kept.rows("{t}_r") == rows
