"""Which way a change takes."""

from __future__ import annotations

import pytest

from headwater.lake.commits.choose import DELETION_VECTORS, ROW_TRACKING, Limits, way_of_change
from headwater.lake.commits.stored_table import StoredTable
from headwater.lake.commits.writes import How

LIMITS = Limits(rows=10, bytes=1000)


def table(rows: int | None = 5, size: int = 100, **properties: bool) -> StoredTable:
    file = {"path": "a", "size": size}
    if rows is not None:
        file["stats"] = f'{{"numRecords":{rows}}}'
    names = {"vectors": DELETION_VECTORS, "tracked": ROW_TRACKING}
    configuration = {names[key]: str(on).lower() for key, on in properties.items()}
    return StoredTable(3, (file,), configuration)


@pytest.mark.parametrize(
    ("stored", "how"),
    [
        (table(), How.REWRITE),
        (StoredTable(0), How.REWRITE),
        (table(rows=10, size=1000, vectors=True), How.REWRITE),
        (table(rows=11, vectors=True), How.DELETION_VECTORS),
        (table(size=1001, vectors=True), How.DELETION_VECTORS),
        (table(rows=11), How.TOUCHED_FILES),
        (table(rows=11, vectors=False), How.TOUCHED_FILES),
        # Rows keep their ids.
        (table(tracked=True, vectors=True), How.DELETION_VECTORS),
        (table(tracked=True), How.TOUCHED_FILES),
        # Delta wants to know how many rows a file with a vector has.
        (table(rows=None, vectors=True), How.TOUCHED_FILES),
    ],
)
def test_a_change_takes_the_cheapest_way_there_is(stored, how):
    assert way_of_change(stored, LIMITS) is how
