"""INSERT, DELETE and MERGE through Headwater against the same text on a plain Delta table.

Both tables have the same columns, rows and table properties and live in the same Spark session.
Headwater also holds the lease, stamps the commit and reads it back into its version table.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import count
from typing import Any

import headwater
from bench.measure import Contender, duel
from bench.outcome import Findings, Outcome, times_rival
from bench.profiling import print_profile
from bench.scratch import Scratch
from bench.spark_counters import counted

MOST_TIMES = 1.15
_ROUNDS = 10
_WARM_UPS = 2
_SECONDS_PER_STATEMENT = 25.0
_ROWS = 2_000
_COLUMNS = "(id INT, name STRING)"
_ROWS_SQL = "SELECT CAST(id AS INT), 'n' || id FROM range({rows})"

Run = Callable[[str], object]
Text = Callable[[str, int], str]


def _insert(table: str, key: int) -> str:
    base = 1_000_000 + 3 * key
    return f"INSERT INTO {table} VALUES ({base}, 'a'), ({base + 1}, 'b'), ({base + 2}, 'c')"


def _delete(table: str, key: int) -> str:
    return f"DELETE FROM {table} WHERE id = {key}"


def _merge(table: str, key: int) -> str:
    return (
        f"MERGE INTO {table} AS t USING (SELECT {_ROWS // 2 + key} AS id, 'new' AS name) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    )


_STATEMENTS: dict[str, Text] = {
    "INSERT of 3 rows": _insert,
    "DELETE of 1 row": _delete,
    "MERGE of 1 row": _merge,
}


def run(scratch: Scratch) -> Findings:
    """Measure every statement."""
    with closing(headwater.connect(scratch.folder / "write")) as connection:
        scratch.say("making two tables")
        spark = connection.session.state.spark()._session
        _make_tables(scratch, connection, spark)
        outcomes, notes = [], []
        for case, text in _STATEMENTS.items():
            scratch.say(f"{case}: {_ROUNDS} rounds")
            found, note = _compare(scratch, connection, spark, case=case, text=text)
            outcomes.append(found)
            notes.append(note)
    return Findings(tuple(outcomes), tuple(notes))


def _make_tables(scratch: Scratch, connection: headwater.Connection, spark: Any) -> None:
    filler = _ROWS_SQL.format(rows=_ROWS)
    connection.sql(f"CREATE TABLE ours {_COLUMNS}; INSERT INTO ours {filler}")
    location = scratch.folder / "plain"
    spark.sql(f"CREATE TABLE plain {_COLUMNS} USING delta LOCATION '{location}'")
    spark.sql(f"INSERT INTO plain {filler}")
    ours, plain = (
        spark.sql(f"DESCRIBE DETAIL {name}").first().asDict()["properties"]
        for name in ("ours", "plain")
    )
    assert _speed_properties(ours) == _speed_properties(plain), f"{ours} is not {plain}"


def _speed_properties(properties: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if key.startswith("delta.")}


def _compare(
    scratch: Scratch, connection: headwater.Connection, spark: Any, *, case: str, text: Text
) -> tuple[Outcome, str]:
    settle = connection.session.lake.flush_background
    ours = _next(connection.sql, text, "ours")
    plain = _next(spark.sql, text, "plain")
    found = duel(
        Contender("Headwater", ours, settle=settle),
        Contender("spark.sql", plain),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS_PER_STATEMENT,
    )
    mine, other = counted(spark, ours, settle=settle), counted(spark, plain)
    if scratch.profile:
        print_profile(case, ours, times=5)
    return times_rival(case, found, most=MOST_TIMES), f"{case}: {mine.against(other)}"


def _next(run: Run, text: Text, table: str) -> Callable[[], object]:
    """Runs the statement with another key each time, the same keys for both contenders."""
    keys = count()
    return lambda: run(text(table, next(keys)))
