"""SORTED BY and INTO n BUCKETS: kept beside the table and shown, without an effect on its files.

Delta lays rows out by the clustering columns alone. The wish holds for the clustering that it was
written with: another one, or a column that is gone, ends it.
"""

from __future__ import annotations

import json

from headwater.catalog.objects import TableShape
from headwater.sql.create_table import Clustering

LAYOUT_WISH = "headwater.layoutWish"
"""The property of the Delta table that keeps it."""
WITHOUT_EFFECT = (
    "warning: SORTED BY and INTO .. BUCKETS are kept and shown, but rows are laid out by"
    " CLUSTERED BY alone"
)


def as_property(clustering: Clustering) -> dict[str, str]:
    """What to set on the Delta table."""
    if not clustering.sorted_by and clustering.buckets is None:
        return {}
    body = {
        "clustered_by": clustering.columns,
        "sorted_by": clustering.sorted_by,
        "buckets": clustering.buckets,
    }
    return {LAYOUT_WISH: json.dumps(body)}


def clustering_of(shape: TableShape) -> Clustering:
    """The clustering of a table, with the wish if it still holds."""
    plain, text = Clustering(shape.cluster_columns), shape.properties.get(LAYOUT_WISH)
    if text is None:
        return plain
    body = json.loads(text)
    there = {column.name.lower() for column in shape.columns}
    same = _lower(body["clustered_by"]) == _lower(shape.cluster_columns)
    if not same or not set(_lower(body["sorted_by"])) <= there:
        return plain
    return Clustering(shape.cluster_columns, tuple(body["sorted_by"]), body["buckets"])


def _lower(names: list[str] | tuple[str, ...]) -> list[str]:
    return [name.lower() for name in names]
