"""What a table looks like as commits come in: columns, layout, properties, comment.

Invariant: the shape after a commit depends only on the shape before it and the commit, except that
clustering under column mapping needs the physical names, which a shape does not keep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from headwater.catalog.objects import TableShape
from headwater.lake.delta_log.actions import Commit, Metadata
from headwater.lake.delta_log.snapshot import CLUSTERING, Snapshot, clustering_after
from headwater.lake.delta_log.spark_types import cluster_columns_of, columns_of

_MAPPING_MODE = "delta.columnMapping.mode"


class RunningLayout:
    """The shape after each commit, in order; `before` gives the snapshot before the first one."""

    def __init__(self, shape: TableShape, before: Callable[[], Snapshot]) -> None:
        self._shape = shape
        self._before = before
        self._metadata: Metadata | None = None
        self._clustering: str | None = None
        self._clustering_known = shape.delta_version < 0

    def after(self, commit: Commit) -> TableShape:
        """The shape after `commit`, with the totals of the shape before."""
        shape = self._shape
        if commit.metadata is not None:
            self._metadata = commit.metadata
            shape = shape_of(commit.metadata, shape)
        if any(domain.domain == CLUSTERING for domain in commit.domain_metadata):
            self._clustering = clustering_after(None, commit.domain_metadata)
            self._clustering_known = True
            shape = replace(shape, cluster_columns=self._cluster_columns(shape))
        elif commit.metadata is not None and shape.cluster_columns and _mapped(shape.properties):
            # A column may have been renamed: the domain keeps physical names and did not change.
            shape = replace(shape, cluster_columns=self._cluster_columns(shape))
        self._shape = replace(shape, delta_version=commit.version)
        return self._shape

    def _cluster_columns(self, shape: TableShape) -> tuple[str, ...]:
        if not self._clustering_known:
            self._clustering = self._before().clustering
            self._clustering_known = True
        if self._clustering is None:
            return ()
        if not _mapped(shape.properties):
            return cluster_columns_of(self._clustering, None)
        metadata = self._metadata or self._before().metadata
        return cluster_columns_of(self._clustering, metadata.schema if metadata else None)


def shape_of(metadata: Metadata, shape: TableShape) -> TableShape:
    """`shape` redefined by `metadata`; version, clustering and totals stay."""
    return replace(
        shape,
        columns=columns_of(metadata.schema),
        partition_columns=metadata.partition_columns,
        properties=dict(metadata.configuration),
        comment=metadata.description,
    )


def shape_at(snapshot: Snapshot) -> TableShape:
    """The whole shape of a table at a snapshot."""
    shape = TableShape(delta_version=snapshot.version, totals=snapshot.totals)
    if snapshot.metadata is not None:
        shape = shape_of(snapshot.metadata, shape)
    if snapshot.clustering is None:
        return shape
    schema = snapshot.metadata.schema if snapshot.metadata else None
    return replace(shape, cluster_columns=cluster_columns_of(snapshot.clustering, schema))


def _mapped(properties: Mapping[str, str]) -> bool:
    return properties.get(_MAPPING_MODE, "none").lower() != "none"
