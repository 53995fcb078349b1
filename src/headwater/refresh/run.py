"""Doing a refresh: the rows are worked out and written, with the frontier, in one commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from headwater.algebra.nodes import ColumnType
from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.objects import Operation, Table, TableColumn
from headwater.errors import SchemaError
from headwater.lake.commits.writes import Applied, Write
from headwater.names import show_identifier
from headwater.refresh.outlook import Outlook, Workshop
from headwater.refresh.planned import PlannedRefresh
from headwater.refresh.ready import ready_relations, stored_relations
from headwater.refresh.writing import difference_write, full_write, incremental_write
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.tables.commits import Author, commit, refresh_transaction, stamp


def run_refresh(outlook: Outlook, workshop: Workshop, author: Author, *, number: int) -> Applied:
    """Write the rows, the frontier and the number of the refresh in one commit."""
    planned = outlook.planned
    mark = RefreshMark(planned.dynamic_table.id, number, outlook.choice.kind, planned.frontier)
    marked = replace(author, refresh=mark)
    applied: list[Applied] = []
    with _write(outlook, workshop) as write:
        reach("refresh.planned")
        commit(
            workshop.lake,
            workshop.spark,
            planned.table,
            operation=Operation.REFRESH,
            author=marked,
            work=lambda: applied.append(_apply(planned, workshop, marked, write)),
        )
    return applied[0]


def _apply(planned: PlannedRefresh, workshop: Workshop, author: Author, write: Write) -> Applied:
    assert author.refresh is not None
    note = stamp(workshop.lake, author, Operation.REFRESH)
    return workshop.spark.apply(
        workshop.lake.location(planned.table),
        write,
        note=lambda inserted, deleted: note,
        transaction=refresh_transaction(author.refresh),
    )


@contextmanager
def _write(outlook: Outlook, workshop: Workshop) -> Iterator[Write]:
    planned = outlook.planned
    names = tuple(column.name for column in planned.table.shape.columns)
    if outlook.delta is not None:
        with ready_relations(outlook, workshop) as relations:
            yield incremental_write(outlook.delta, names, relations)
        return
    with workshop.pinned() as text:
        _require_columns(planned.table, workshop.spark.columns_of(text))
        if _is_followed(planned, workshop.lake):
            types = {
                f"{column.name}#0": ColumnType(column.type)
                for column in planned.table.shape.columns
            }
            relations = stored_relations(planned, workshop, {}, types)
            yield difference_write(text.text, names, relations)
        else:
            yield full_write(text.text, names)


def _is_followed(planned: PlannedRefresh, lake: OpenLake) -> bool:
    """Whether someone reads the changes of the table, who should see no more than there are."""
    if planned.dynamic_table.frontier is None:
        return False
    table = planned.table.id
    return bool(lake.store.dynamic_tables.readers_of(table) or lake.store.streams.watching(table))


def _require_columns(table: Table, given: tuple[TableColumn, ...]) -> None:
    """The query may give other types than when the table was made: columns of sources change."""
    wanted = [column.type for column in table.shape.columns]
    if [column.type for column in given] == wanted:
        return
    shown = ", ".join(f"{show_identifier(column.name)} {column.type}" for column in given)
    name = f"{table.schema}.{table.name}"
    raise SchemaError("REFRESH_COLUMNS_DIFFER", table=name, given=shown)
