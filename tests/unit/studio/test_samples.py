"""The sample scripts can be read by the language."""

from __future__ import annotations

import pytest

from headwater.sql.parse import parse
from headwater.sql.split import split
from headwater.studio.samples import SAMPLES, Sample, sample


@pytest.mark.parametrize("one", SAMPLES, ids=lambda one: one.name)
def test_every_statement_of_a_sample_is_read(one: Sample) -> None:
    text = one.text if one.table is None else f"CREATE DYNAMIC TABLE {one.table} AS {one.text}"
    pieces = split(text)
    assert pieces
    for piece in pieces:
        parse(piece.text)


def test_a_sample_is_found_by_its_name() -> None:
    assert sample("Step01.Preparation") is SAMPLES[0]
    assert sample("nothing") is None
