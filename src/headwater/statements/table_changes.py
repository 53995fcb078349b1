"""TABLE_CHANGES(..) inside a query: what changed in a table between two moments, as a relation."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.lake.changes.ranges import ChangeRange, Wanted
from headwater.sql.table_changes import TableChanges
from headwater.statements.context import Context
from headwater.statements.stream_relations import changes_reader
from headwater.statements.time_travel import version_by_time
from headwater.streams.readable import require_kept
from headwater.streams.table_reading import ChangesRelation, changes_between
from headwater.tables.find import find_base_table
from headwater.tables.properties import ROW_TRACKING
from headwater.tables.versions import catch_up


def table_changes(context: Context, relation: TableChanges) -> ChangesRelation:
    """The changes after the first moment, up to and with the second."""
    name, span = context.qualify(relation.table), relation.table_span
    table = find_base_table(context.store, name, statement="TABLE_CHANGES", span=span)
    table = catch_up(context.lake, table)
    if table.shape.properties.get(ROW_TRACKING) != "true":
        raise UserError("TABLE_CHANGES_UNTRACKED", table=name, span=span)
    start = version_by_time(context, table, relation.start, span=relation.start_span)
    end = version_by_time(context, table, relation.end, span=relation.end_span)
    if end.delta_version < start.delta_version:
        raise UserError("TABLE_CHANGES_BACKWARDS", span=relation.end_span)
    require_kept(context.lake, table, start, span=relation.start_span)
    wanted = Wanted.EVERY if relation.every else Wanted.NET
    between = ChangeRange(start.delta_version, end.delta_version)
    return changes_between(changes_reader(context), table, between, wanted)
