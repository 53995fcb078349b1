"""Which statements take a place on a virtual cluster, and on which.

Those that compute do. Those about metadata do not, even where Spark is asked what a text means:
they never wait, and never resume a cluster.
"""

from __future__ import annotations

import re

from headwater.sql import (
    copy_into_table,
    copy_into_volume,
    create_dynamic_table,
    create_materialized_view,
    create_table,
    dml,
    drop,
    dynamic_tables,
    history,
    query,
    vacuum,
)
from headwater.sql.parse import Statement
from headwater.sql.target_lag import ON_CREATE
from headwater.statements.context import Context

_COMPUTING = (
    copy_into_table.CopyIntoTable,
    copy_into_volume.CopyIntoVolume,
    create_dynamic_table.CreateDynamicTable,
    create_materialized_view.CreateMaterializedView,
    create_table.CreateTable,
    dml.Delete,
    dml.Insert,
    dml.Merge,
    dml.Update,
    drop.TruncateTable,
    dynamic_tables.RefreshDynamicTable,
    dynamic_tables.VerifyDynamicTable,
    history.Optimize,
    history.RestoreTable,
    query.Query,
    query.SparkCommand,
    vacuum.Vacuum,
)
_BETWEEN_WORDS = re.compile(r"(?<!^)(?=[A-Z])")


def kind_of(statement: type) -> str:
    """A statement's class in capitals: CreateTable is CREATE_TABLE."""
    return _BETWEEN_WORDS.sub("_", statement.__name__).upper()


COMPUTING_KINDS = frozenset(kind_of(statement) for statement in _COMPUTING)
"""The kinds of jobs that may have a place."""


_LOOKING = ("SHOW_", "DESC_")
_MAY_ASK_SPARK = frozenset({"DESC_FUNCTION", "SHOW_SETTINGS"})


def only_looks(kind: str) -> bool:
    """Whether jobs of a kind do no more than to ask the catalog, Delta's log or a store."""
    return kind.startswith(_LOOKING) and kind not in _MAY_ASK_SPARK


def cluster_of(context: Context, statement: Statement) -> str | None:
    """The cluster a statement runs on, or None if it needs none."""
    if not _computes(context, statement):
        return None
    if isinstance(statement, dynamic_tables.RefreshDynamicTable):
        return _cluster_of_table(context, statement) or context.session.vcluster
    return context.session.vcluster


def _computes(context: Context, statement: Statement) -> bool:
    first = context.tokens[0].upper
    if isinstance(statement, query.SparkCommand):
        return first == "CACHE"
    if isinstance(statement, query.Query):
        return first != "EXPLAIN"
    if isinstance(statement, create_table.CreateTable):
        return statement.query is not None
    if isinstance(statement, create_dynamic_table.CreateDynamicTable):
        return statement.initialize == ON_CREATE
    if isinstance(statement, create_materialized_view.CreateMaterializedView):
        return statement.fills
    return isinstance(statement, _COMPUTING)


def _cluster_of_table(
    context: Context, statement: dynamic_tables.RefreshDynamicTable
) -> str | None:
    """Where the dynamic table says it is refreshed."""
    name = context.qualify(statement.name)
    table = context.store.tables.get(name.workspace, name.schema, name.name)
    dynamic = None if table is None else context.store.dynamic_tables.by_id(table.id)
    schedule = None if dynamic is None else dynamic.schedule
    return None if schedule is None else schedule.vcluster
