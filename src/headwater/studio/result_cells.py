"""The rows of a result as a browser gets them: so many, each value as text. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from headwater.cell_text import cell
from headwater.result import Result
from headwater.studio.chart_colors import LINES, WORDS

MOST_ROWS = 1000
_MOST_TEXT = 10_000
_NUMERIC = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "long", "short")


@dataclass(frozen=True, slots=True)
class Cells:
    """`rows` hold `c0`, `c1`, .. as texts, None for NULL; numbers also as `c0_number`."""

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    """The places of the columns that hold numbers."""
    rows: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart shows: `bar` or `line`, over one column, the values of others."""

    kind: str
    over: int
    values: tuple[int, ...]


def cells_of(result: Result, most: int = MOST_ROWS) -> Cells:
    """The first rows."""
    numbers = tuple(
        place for place, column in enumerate(result.schema) if column.type.startswith(_NUMERIC)
    )
    rows = []
    for number, row in enumerate(_first(result, most)):
        made: dict[str, Any] = {"row": number}
        for place, value in enumerate(row):
            made[f"c{place}"] = None if value is None else _short(cell(value))
            if place in numbers:
                made[f"c{place}_number"] = _number(value)
        rows.append(made)
    return Cells(tuple(result.columns), numbers, rows)


def chart_options(cells: Cells, chart: Chart) -> dict[str, Any]:
    """The options of ECharts."""
    return {
        "tooltip": {"trigger": "axis", "renderMode": "richText"},
        "legend": {"type": "scroll", "textStyle": {"color": WORDS}},
        "grid": {"left": 60, "right": 20, "bottom": 60},
        "xAxis": {
            "type": "category",
            "data": [row[f"c{chart.over}"] or "NULL" for row in cells.rows],
            "axisLabel": {"color": WORDS},
        },
        "yAxis": {"type": "value", "axisLabel": {"color": WORDS}, "splitLine": LINES},
        "series": [
            {
                "type": chart.kind,
                "name": cells.names[place],
                "data": [row[f"c{place}_number"] for row in cells.rows],
            }
            for place in chart.values
        ],
    }


def _first(result: Result, most: int) -> Sequence[tuple[Any, ...]]:
    if result.source is None or isinstance(result.source, list):
        return result.rows[:most]
    piece = result.source.slice(0, most)
    return Result.from_arrow(result.schema, piece, time_zone=result.time_zone).rows


def _number(value: object) -> float | int | None:
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) else None


def _short(text: str) -> str:
    if len(text) <= _MOST_TEXT:
        return text
    return f"{text[:_MOST_TEXT]}… ({len(text):,} characters)"
