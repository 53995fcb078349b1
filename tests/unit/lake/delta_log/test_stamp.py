"""The mark in our own commits."""

from __future__ import annotations

import pytest

from headwater.lake.delta_log.stamp import Stamp, read_stamp


@pytest.mark.parametrize(
    "stamp", [Stamp("j1"), Stamp("j2", "INSERT_INTO", "ann", 7), Stamp("j", user='quote "me"')]
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
