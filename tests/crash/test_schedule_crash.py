"""SIGKILL under a running schedule: a pipe, a stream and layers of dynamic tables, several times.

HEADWATER_KILLS=20 and HEADWATER_TABLES=30 make it longer: `make fuzz` is not in a hurry. The kills
come at failpoints chosen by a seed, which is printed; HEADWATER_SCHEDULE_SEED repeats it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headwater
from tests.crash.crashing import Crasher

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(1800)]

KILLS = int(os.environ.get("HEADWATER_KILLS", "3"))
TABLES = int(os.environ.get("HEADWATER_TABLES", "4"))
LAYERS = 4
PLACES = (
    "schedule.begun*{}",
    "schedule.ended*{}",
    "refresh.started*{}",
    "refresh.planned*{}",
    "commit.before*{}",
    "commit.after_delta*{}",
)
MINUTES = 120


def layers(dice: random.Random, tables: int) -> list[str]:
    """CREATE statements of dynamic tables; each reads one or two of the layer below, or t."""
    below, made = ["t"], list[str]()
    statements = []
    for number in range(tables):
        if number and number % max(1, tables // LAYERS) == 0:
            below, made = made, []
        left, right = dice.choice(below), dice.choice(below)
        query = f"SELECT id, max(v) + 1 AS v FROM {left} GROUP BY id"
        if right != left:
            query = f"SELECT a.id, a.v + b.v AS v FROM {left} AS a JOIN {right} AS b ON a.id = b.id"
        statements.append(f"CREATE DYNAMIC TABLE d{number} REFRESH INTERVAL 1 MINUTE AS {query}")
        made.append(f"d{number}")
    return statements


def prepare(crasher: Crasher, lake: Path, files: Path, dice: random.Random) -> None:
    script = [
        "CREATE STORAGE CONNECTION c TYPE FILE",
        f"CREATE EXTERNAL VOLUME v LOCATION 'file://{files}/' USING CONNECTION c",
        "CREATE TABLE t (id INT, v INT)",
        "INSERT INTO t VALUES (0, 0)",
        "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE'"
        " AS COPY INTO t FROM VOLUME v (id INT, v INT) USING CSV PURGE = TRUE",
        *layers(dice, TABLES),
        "CREATE TABLE STREAM changes ON TABLE d0"
        " WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')",
        # Its refreshes consume the stream, and are killed like all others.
        "CREATE DYNAMIC TABLE log REFRESH INTERVAL 1 MINUTE"
        " AS SELECT __change_type AS type, id, v FROM changes",
    ]
    crasher.prepare(lake, ";\n".join(script))


def test_nothing_is_lost_or_doubled_however_often_the_process_is_killed(
    tmp_path: Path, crasher: Crasher
) -> None:
    seed = int(os.environ.get("HEADWATER_SCHEDULE_SEED", random.randrange(10**6)))
    print(f"repeat with HEADWATER_SCHEDULE_SEED={seed}")
    dice = random.Random(seed)
    lake, files = tmp_path / "lake", tmp_path / "in"
    files.mkdir()
    prepare(crasher, lake, files, dice)
    minutes = 0
    for kill in range(1, KILLS + 1):
        (files / f"{kill}.csv").write_text("".join(f"{id},{kill}\n" for id in range(kill + 1)))
        minutes += MINUTES
        place = dice.choice(PLACES).format(dice.randint(1, TABLES))
        crasher.crash_pipes(lake, at=place, clock=(60 * minutes,))
    later = (60 * (minutes + MINUTES),)
    _check_rows(lambda select: crasher.run_pipes(lake, select, clock=later))
    with headwater.connect(lake) as connection:
        _check_history(connection)
        _check_fresh(connection)


def _check_rows(rows: Callable[[str], list[tuple[Any, ...]]]) -> None:
    """Each is asked in a process of its own, which finds nothing left to do after the first."""
    expected = 1 + sum(kill + 1 for kill in range(1, KILLS + 1))
    assert rows("SELECT count(*) FROM t") == [(expected,)]
    for number in range(TABLES):
        assert rows(f"VERIFY DYNAMIC TABLE d{number}")[0][1]
    # What the stream handed out adds up to the table, which was empty when it was made.
    left = rows(
        "SELECT id, v, sum(n) AS n FROM (SELECT id, v,"
        " CASE WHEN type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END AS n FROM log"
        " UNION ALL SELECT id, v, -1 FROM d0) GROUP BY id, v HAVING sum(n) <> 0"
    )
    assert left == []
    assert rows("SELECT count(*) FROM changes") == [(0,)]


def _check_history(connection: headwater.Connection) -> None:
    shown = connection.sql("SHOW DYNAMIC TABLE REFRESH HISTORY")
    states = Counter(row[shown.columns.index("state")] for row in shown)
    assert set(states) <= {"SUCCEED", "FAILED"}
    # What was cut off has failed; nothing else has.
    assert states["FAILED"] <= 2 * KILLS
    assert {row[shown.columns.index("refresh_trigger")] for row in shown} == {"LH_SCHEDULED"}


def _check_fresh(connection: headwater.Connection) -> None:
    """Every table has read the newest version of what it reads."""
    store = connection.session.lake.store
    for table in store.schedules.list():
        made = store.dynamic_tables.by_id(table.id)
        assert made is not None
        assert made.frontier is not None
        assert table.failures == 0
        for source, version in made.frontier.sources.items():
            known = store.tables.get_by_id(source)
            assert known is not None
            assert version == known.shape.delta_version
