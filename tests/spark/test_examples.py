"""The examples run to their end: on a folder of this machine, a real S3 server, a real Kafka."""

from __future__ import annotations

import json
import runpy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.seaweedfs import KEYS, REGION, SeaweedServer
from tests.servers.kafka_broker import KafkaBroker
from tests.spark.places import Place

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
Row = tuple[Any, ...]
PIPE_ROWS = {"pipe_status": "RUNNING", "pipe_kind": "VOLUME", "ingest_mode": "LIST_PURGE"}


def example() -> dict[str, Any]:
    """What examples/run.py has."""
    return runpy.run_path(str(ROOT / "examples" / "run.py"))


def environment_of(seaweedfs: SeaweedServer) -> dict[str, str]:
    """Keys and address, as the example wants them."""
    return {
        "AWS_ACCESS_KEY_ID": KEYS.access_key,
        "AWS_SECRET_ACCESS_KEY": KEYS.secret_key,
        "AWS_ENDPOINT_URL": seaweedfs.endpoint,
        "AWS_REGION": REGION,
    }


def rows_of(
    script: str, location: str, seaweedfs: SeaweedServer, tmp_path: Path
) -> list[list[Row]]:
    """The rows of each statement that returns some."""
    with headwater.connect(tmp_path / "lake") as lake:
        found = list(example()["results"](lake, script, location, environment_of(seaweedfs)))
    return [list(result.rows) for result in found if result.returns_rows]


def folder_of(place: Place, name: str) -> str:
    """The address of a folder in a place, which a folder of this machine has to be made for."""
    location = place.location + name
    if place.kind == "local":
        Path(location.removeprefix("file://")).mkdir()
    return location


def test_seed_000_volumes(place: Place, seaweedfs: SeaweedServer, tmp_path: Path) -> None:
    shown = rows_of("seed_000_volumes.sql", place.location, seaweedfs, tmp_path)
    directory, csv, parquet, copied, history = shown
    first = (1, "iPhone 15", "Electronics", Decimal("8999.00"), "2026-06-01")
    assert [row[0] for row in directory] == ["export/part00001.csv", "export/part00001.parquet"]
    assert all(row[1] > 0 for row in directory)
    # without a header: columns by number, types by what the values look like
    assert len(csv) == 5
    assert sorted(csv)[0] == (1, "iPhone 15", "Electronics", 8999.0, "2026-06-01")
    assert len(parquet) == 5
    assert sorted(parquet)[0] == first
    assert [(row[1], row[2]) for row in copied] == [("SUCCESS", 5)]
    url = place.location + "export/part00001"
    assert {row[0]: row[3] for row in history} == {
        f"{url}.csv": "LOADED",
        f"{url}.parquet": "LOADED",
    }
    # what was to be purged is gone
    assert place.paths("export/") == ["export/part00001.csv"]


def test_seed_000_pipe(place: Place, seaweedfs: SeaweedServer, tmp_path: Path) -> None:
    location = folder_of(place, "incoming/")
    shown = rows_of("seed_000_pipe.sql", location, seaweedfs, tmp_path)
    pipe, loaded, left, history, *summed, paused, resumed, again, skipped, twice, refreshes = shown
    known = dict(pipe)
    assert PIPE_ROWS.items() <= known.items()
    assert known["input_name"].endswith(".public.pipe_vol")
    assert known["output_name"].endswith(".public.sales_ods")
    assert [loaded, left, paused, resumed, again] == [[(5,)], [], [(5,)], [(10,)], [(10,)]]
    first, june = location + "part00001.csv", location + "june/part00001.csv"
    assert [(row[0], row[3], row[4]) for row in history] == [(first, "LOADED", None)]
    assert [row[:2] for row in skipped] == [(june, "LOADED"), (first, "SKIPPED")]
    assert "replaced" in skipped[1][2]
    # what was skipped is nowhere but here
    assert place.paths("incoming/") == ["incoming/part00001.csv"]
    assert_sales_are_summed_up(*summed, twice, refreshes)


def assert_sales_are_summed_up(
    once: list[Row], stages: list[Row], twice: list[Row], refreshes: list[Row]
) -> None:
    """Step 6: the dynamic table after each of the two loads."""
    electronics, sports = Decimal("25297.00"), Decimal("1098.00")
    first, second = "2026-06-01", "2026-06-02"
    assert [(*row[:3], *row[4:]) for row in once] == [
        ("Electronics", 3, electronics, first, first),
        ("Sports", 2, sports, first, first),
    ]
    assert [row[3] for row in once] == [Decimal("8432.333333"), Decimal("549.000000")]
    assert stages == [("Source", 5), ("ODS", 5), ("Summary", 2)]
    assert [(*row[:3], *row[4:]) for row in twice] == [
        ("Electronics", 6, 2 * electronics, first, second),
        ("Sports", 4, 2 * sports, first, second),
    ]
    assert [row[3] for row in twice] == [row[3] for row in once]
    assert [(row[7], row[10], dict(row[13])) for row in refreshes] == [
        ("SUCCEED", "INCREMENTAL", {"rows_deleted": "2", "rows_inserted": "2"}),
        ("SUCCEED", "FULL", {"rows_deleted": "0", "rows_inserted": "2"}),
    ]


def test_seed_001_pipes(place: Place, seaweedfs: SeaweedServer, tmp_path: Path) -> None:
    location = folder_of(place, "orders_incoming/")
    shown = rows_of("seed_001_pipes.sql", location, seaweedfs, tmp_path)
    orders, history, pipes, pipe, jobs, kept = shown
    paid = (1, Decimal("40.00"), "paid")
    assert orders == [paid, (2, Decimal("250.00"), "open"), (3, Decimal("19.90"), "paid")]
    assert sorted((row[0], row[3]) for row in history) == [
        (f"{location}{day}/part00001.csv", "LOADED") for day in ("monday", "tuesday")
    ]
    assert [(row[0], row[1], row[2], row[4]) for row in pipes] == [
        ("orders_oss_pipe", "VOLUME", "RUNNING", "default")
    ]
    assert PIPE_ROWS.items() <= dict(pipe).items()
    # both files were one batch
    assert [(row[0], row[2]) for row in jobs] == [("SUCCEED", 3)]
    assert kept == [(3,)]
    assert place.paths("orders_incoming/") == []


def test_seed_001_kafka(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka_broker.create_topic("orders_topic", partitions=2)
    kafka_broker.produce(topic, ["a", "b", "c"])
    with headwater.connect(tmp_path / "lake") as lake:
        parameters = {"broker": kafka_broker.bootstrap}
        found = list(example()["statements"](lake, "seed_001_kafka.sql", parameters))
        messages, pipe = [list(result.rows) for result in found if result.returns_rows]
        kafka_broker.produce(topic, ["d", "e"])
        lake.run_until_idle()
        later = lake.sql("SELECT raw_msg FROM orders_raw ORDER BY raw_msg").rows
    assert sorted(messages) == [("a",), ("b",), ("c",)]
    assert dict(pipe)["pipe_kind"] == "KAFKA"
    latency = json.loads(dict(pipe)["pipe_latency"])["kafka"]
    assert latency["lags"] == {"0": 0, "1": 0}
    assert latency["offsetLag"] == 0
    assert [row[0] for row in later] == ["a", "b", "c", "d", "e"]


def test_seed_002_dynamic_tables(tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "lake") as lake:
        found = list(example()["statements"](lake, "seed_002_dynamic_tables.sql", {}))
    shown = [list(result.rows) for result in found if result.returns_rows]
    counts, plan, later, refreshes, proof, history, grouped, minutes, *proofs = shown
    kinds = ["add_to_cart", "purchase", "view"]
    assert [row[0] for row in counts] == kinds
    assert sum(row[1] for row in counts) == 500
    assert plan[0] == ("Refresh: INCREMENTAL because rows only came (ROWS_ADDED)",)
    # the groups are added to: the rows that were there are not read
    assert "[MERGED_GROUPS, old rows from the table itself]" in "".join(row[0] for row in plan)
    assert sum(row[1] for row in later) == 520
    assert [row[1] for row in refreshes] == ["FULL", "INCREMENTAL"]
    changed = [row for row in later if row not in counts]
    gone, came = (dict(refreshes[1][2])[key] for key in ("rows_deleted", "rows_inserted"))
    assert (int(gone), int(came)) == (len(changed), len(changed))
    assert proof[0][1] is True
    # newest first, as documented: one row came
    last, first = history
    assert (last[2], last[7], last[8], last[10]) == (
        "event_gettime",
        "SUCCEED",
        "MANUAL",
        "INCREMENTAL",
    )
    assert dict(last[13]) == {"rows_deleted": "0", "rows_inserted": "1"}
    assert (first[10], dict(first[13])) == ("FULL", {"rows_deleted": "0", "rows_inserted": "4"})
    assert [(row[1], dict(row[2])) for row in grouped] == [
        ("FULL", {"rows_deleted": "0", "rows_inserted": "4"}),
        ("INCREMENTAL", {"rows_deleted": "1", "rows_inserted": "1"}),
    ]
    assert minutes == [
        ("event-0", 11, 40, 20.0),
        ("event-0", 14, 43, 40.0),
        ("event-1", 14, 20, 22.0),
        ("event-1", 14, 30, 21.0),
    ]
    assert proofs == [
        [("public.event_gettime", True, 5, 0, 0)],
        [("public.event_group_minute", True, 4, 0, 0)],
    ]


def test_seed_003_streams(tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "lake") as lake:
        found = list(example()["statements"](lake, "seed_003_streams.sql", {}))
    inserted, nothing, changes, copy = [list(r.rows) for r in found if r.returns_rows]
    people = [
        (1, "Alice", 20),
        (2, "Bob", 25),
        (3, "Charlie", 30),
        (4, "David", 35),
        (5, "Eve", 40),
    ]
    assert [(row[0], row[1], *row[3:]) for row in inserted] == [("INSERT", 3, *p) for p in people]
    assert nothing == []
    assert [(row[0], row[1], *row[3:]) for row in changes] == [
        ("UPDATE_AFTER", 4, 1, "Alice", 25),
        ("UPDATE_BEFORE", 3, 1, "Alice", 20),
        ("DELETE", 3, 2, "Bob", 25),
        ("UPDATE_AFTER", 4, 3, "Charlie", 35),
        ("UPDATE_BEFORE", 3, 3, "Charlie", 30),
        ("DELETE", 3, 4, "David", 35),
    ]
    assert copy == [(1, "Alice", 25), (3, "Charlie", 35), (5, "Eve", 40)]


def test_seed_003_volume_stream(tmp_path: Path) -> None:
    (tmp_path / "dishes").mkdir()
    location = f"file://{tmp_path / 'dishes'}/"
    with headwater.connect(tmp_path / "lake") as lake:
        found = list(example()["results"](lake, "seed_003_volume_stream.sql", location, {}))
    arrived, results, counts, replaced = [list(r.rows) for r in found if r.returns_rows]
    tofu, noodles = "monday/mapo_tofu_00001.jpg", "tuesday/noodles_00001.PNG"
    assert [row[:3] for row in arrived] == [
        ("INSERT", 1, tofu),
        ("INSERT", 1, noodles),
        ("INSERT", 1, "tuesday/notes_00001.txt"),
    ]
    assert [row[:3] for row in results] == [
        (tofu, "mapo tofu", "INSERT"),
        (noodles, "noodles", "INSERT"),
    ]
    assert counts == [("mapo tofu", 1), ("noodles", 1)]
    assert [row[:2] for row in replaced] == [("UPDATE_BEFORE", tofu), ("UPDATE_AFTER", tofu)]


def test_the_tutorial_of_dynamic_tables(tmp_path: Path) -> None:
    """Two minutes of the tutorial; what the schedule would do each minute is done by hand."""
    tables = ("behavior_clean", "behavior_by_category")
    run = example()

    def step(number: int) -> list[list[Row]]:
        script = f"tutorial_dynamic_table/Step0{number}.sql"
        found = list(run["statements"](lake, script, {}))
        return [list(result.rows) for result in found if result.returns_rows]

    with headwater.connect(tmp_path / "lake") as lake:
        run["run_command"](lake, "sample start")
        for number in (1, 2, 3):
            step(number)
        for minute in range(2):
            if minute:
                run["run_command"](lake, "sample step --events 60")
                step(1)
            for table in tables:
                lake.sql(f"REFRESH DYNAMIC TABLE {table}")
        layers, categories, history = step(4)
        for table in tables:
            assert lake.sql(f"VERIFY DYNAMIC TABLE {table}").rows[0][1]
        logged = lake.sql("SELECT count(*) FROM behavior_log").rows
    assert logged == [(560,)]
    newest = dict(layers)
    assert newest["behavior_clean"] == newest["behavior_by_category"] <= newest["behavior_log"]
    assert 500 < sum(row[1] for row in categories) <= 560
    assert [row[:3] for row in history] == [
        (table, "SUCCEED", mode) for mode in ("FULL", "INCREMENTAL") for table in tables
    ]
