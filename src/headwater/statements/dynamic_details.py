"""A dynamic table as DESC EXTENDED shows it, and the statement that makes it again."""

from __future__ import annotations

import json

from headwater.catalog.dynamic_tables import DynamicTable, RefreshMode, Schedule
from headwater.catalog.objects import Table
from headwater.cell_text import cell
from headwater.errors import UserError
from headwater.names import ObjectName, QualifiedName
from headwater.sql.create_dynamic_table import CreateDynamicTable, DynamicColumn
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.context import Context
from headwater.statements.dynamic_schedule import clause_of, is_planned, lag_of
from headwater.statements.info_rows import info_rows
from headwater.statements.property_text import visible_properties
from headwater.tables.layout_wish import clustering_of


def dynamic_details(context: Context, table: Table) -> list[tuple[str, str | None]]:
    """What only a dynamic table has."""
    dynamic = _definition(context, table)
    schedule = dynamic.schedule or Schedule()
    cluster = schedule.vcluster
    frozen = dynamic.immutable_where
    more = {} if frozen is None else {"immutable_where": frozen}
    if dynamic.materialized_view:
        more["query_rewrite"] = "enabled" if dynamic.query_rewrite else "disabled"
    return info_rows(
        view_text=dynamic.query,
        view_original_text=dynamic.query,
        source_tables=json.dumps(source_rows(context, dynamic), separators=(",", ":")),
        refresh_type="on schedule" if is_planned(dynamic.schedule) else "on demand",
        refresh_mode=dynamic.mode.value,
        refresh_start_time=context.session.local(schedule.start),
        refresh_interval_second=schedule.interval_seconds,
        refresh_target_lag=_lag(schedule),
        refresh_vcluster=None if cluster is None else f"{table.workspace}.{cluster}",
        refresh_suspended=_suspended(dynamic),
        last_refresh_time=_last(context, dynamic),
        **more,
    )


def _suspended(dynamic: DynamicTable) -> str | None:
    there_is = dynamic.suspended or is_planned(dynamic.schedule)
    return cell(dynamic.suspended) if there_is else None


def _lag(schedule: Schedule) -> str | None:
    seconds = schedule.target_lag_seconds
    if seconds is not None:
        return f"{seconds} seconds"
    return "DOWNSTREAM" if schedule.downstream else None


def _last(context: Context, dynamic: DynamicTable) -> object:
    if dynamic.frontier is not None:
        return context.session.local(dynamic.frontier.at)
    known = context.store.dynamic_tables.partitions(dynamic.id)
    return context.session.local(max((one.frontier.at for one in known), default=None))


def source_names(context: Context, dynamic: DynamicTable) -> tuple[QualifiedName, ...]:
    """The names that the sources have now; one that is gone for good has none."""
    found = (context.store.tables.get_by_id(source) for source in dynamic.sources)
    return tuple(
        QualifiedName(table.workspace, table.schema, table.name)
        for table in found
        if table is not None
    )


def source_rows(context: Context, dynamic: DynamicTable) -> list[dict[str, str]]:
    """The sources as the documents show them."""
    return [
        {"schema": name.schema, "table_name": name.name, "workspace": name.workspace}
        for name in source_names(context, dynamic)
    ]


def create_text(context: Context, table: Table) -> str:
    """The statement that makes a dynamic table like this one."""
    dynamic, shape = _definition(context, table), table.shape
    layout = clustering_of(shape)
    return CreateDynamicTable(
        ObjectName(table.name, table.schema),
        dynamic.query,
        tuple(DynamicColumn(column.name, None, column.comment) for column in shape.columns),
        partitioned_by=shape.partition_columns,
        clustered_by=layout.columns,
        sorted_by=layout.sorted_by,
        buckets=layout.buckets,
        comment=shape.comment,
        properties=tuple(visible_properties(shape.properties).items()),
        refresh=clause_of(dynamic.schedule),
        mode=None if dynamic.mode is RefreshMode.AUTO else dynamic.mode.value,
        target_lag=lag_of(dynamic.schedule),
        initialize=dynamic.initialize,
        immutable_where=dynamic.immutable_where,
        kind=RefreshedKind(dynamic.words),
        query_rewrite=dynamic.query_rewrite,
    ).to_sql()


def _definition(context: Context, table: Table) -> DynamicTable:
    dynamic = context.store.dynamic_tables.by_id(table.id)
    if dynamic is None:
        gone = QualifiedName(table.workspace, table.schema, table.name)
        raise UserError("TABLE_NOT_FOUND", table=gone)
    return dynamic
