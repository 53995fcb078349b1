"""The examples run to their end, on a folder of this machine and on a real S3 server."""

from __future__ import annotations

import runpy
from decimal import Decimal
from pathlib import Path

import pytest
from tests.seaweedfs import KEYS, REGION, SeaweedServer
from tests.spark.places import FEW_ROWS, Place

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]


def test_seed_000_volumes(place: Place, seaweedfs: SeaweedServer, tmp_path: Path) -> None:
    results = runpy.run_path(str(ROOT / "examples" / "run.py"))["results"]
    environment = {
        "AWS_ACCESS_KEY_ID": KEYS.access_key,
        "AWS_SECRET_ACCESS_KEY": KEYS.secret_key,
        "AWS_ENDPOINT_URL": seaweedfs.endpoint,
        "AWS_REGION": REGION,
    }
    with headwater.connect(tmp_path / "lake", spark_conf=FEW_ROWS) as lake:
        found = list(results(lake, "seed_000_volumes.sql", place.location, environment))
    shown = [result.rows for result in found if result.returns_rows]
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
