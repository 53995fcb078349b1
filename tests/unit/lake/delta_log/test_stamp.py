"""The mark in our own commits."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headwater.catalog.dynamic_tables import Frontier, RefreshKind, RefreshMark
from headwater.lake.delta_log.stamp import Stamp, read_stamp

FRONTIER = Frontier(
    {"t1": 4, "t2": 0},
    datetime(2026, 11, 15, 12, 0, 0, 7, tzinfo=UTC),
    "f1",
    {"spark.sql.session.timeZone": "UTC"},
    {"columns": ["a"]},
)


@pytest.mark.parametrize(
    "stamp",
    [
        Stamp("j1"),
        Stamp("j2", "INSERT_INTO", "ann", 7),
        Stamp("j", user='quote "me"'),
        Stamp("j", "REFRESH", refresh=RefreshMark("d1", 3, RefreshKind.FULL, FRONTIER)),
    ],
)
def test_what_is_written_is_read_back(stamp):
    assert read_stamp(stamp.to_json()) == stamp


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "loaded by hand",
        '{"job": "j1"}',
        '"headwater"',
        '["headwater"]',
        '{"headwater"',
        '{"headwater": {}}',
        '{"headwater": 1}',
    ],
)
def test_anything_else_belongs_to_another_tool(text):
    assert read_stamp(text) is None
