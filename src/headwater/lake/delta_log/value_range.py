"""The least and the greatest value of a column, as the statistics of a table's files know them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint"})


def value_range(
    files: Iterable[Mapping[str, Any]], column: str, kind: str
) -> tuple[int, int] | tuple[date, date] | None:
    """Both ends for a column, named as in the files; None where a file does not say.

    Whole numbers and dates only. The ends may lie further apart than the values do: a file keeps
    its statistics when rows of it are deleted.
    """
    ends: list[Any] = []
    for file in files:
        stats = json.loads(file.get("stats") or "{}")
        if stats.get("nullCount", {}).get(column) == stats.get("numRecords", 0):
            continue
        low = stats.get("minValues", {}).get(column)
        high = stats.get("maxValues", {}).get(column)
        if low is None or high is None:
            return None
        ends += (low, high)
    if not ends:
        return None
    if kind == "date":
        return date.fromisoformat(min(ends)), date.fromisoformat(max(ends))
    return (min(ends), max(ends)) if kind in NUMBERS else None
