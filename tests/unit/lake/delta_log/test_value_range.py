"""The ends of a column's values, from the statistics in the log."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from headwater.lake.delta_log.value_range import value_range


def file(rows: int = 2, nulls: int = 0, **ends: tuple[Any, Any]) -> dict[str, Any]:
    stats = {
        "numRecords": rows,
        "minValues": {name: low for name, (low, _) in ends.items()},
        "maxValues": {name: high for name, (_, high) in ends.items()},
        "nullCount": dict.fromkeys(ends or ("k",), nulls),
    }
    return {"path": "f", "stats": json.dumps(stats)}


def test_the_ends_over_all_files() -> None:
    files = [file(k=(5, 9)), file(k=(-3, 7))]
    assert value_range(files, "k", "bigint") == (-3, 9)
    days = [file(d=("2026-02-01", "2026-02-03")), file(d=("2025-12-31", "2026-01-01"))]
    assert value_range(days, "d", "date") == (date(2025, 12, 31), date(2026, 2, 3))


def test_a_file_of_nulls_has_no_ends_and_takes_none_away() -> None:
    assert value_range([file(k=(1, 2)), file(rows=2, nulls=2)], "k", "int") == (1, 2)


def test_a_file_that_does_not_say_leaves_them_unknown() -> None:
    assert value_range([file(k=(1, 2)), {"path": "f"}], "k", "int") is None
    assert value_range([file(k=(1, 2)), file(other=(1, 2))], "k", "int") is None
    assert value_range([], "k", "int") is None


def test_ends_of_texts_are_cut_off_and_no_ends() -> None:
    assert value_range([file(k=("a", "b"))], "k", "string") is None
