"""Doing a refresh: the rows are worked out and written, with the frontier, in one commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from headwater.algebra.nodes import ColumnType
from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.objects import Operation, Table, TableColumn
from headwater.errors import SchemaError
from headwater.lake.commits.writes import Applied, Write
from headwater.names import show_identifier
from headwater.refresh.outlook import Outlook, Workshop
from headwater.refresh.planned import PlannedRefresh
from headwater.refresh.ready import ready_relations
from headwater.refresh.relations import SparkRelations
from headwater.refresh.state_tables import (
    StateTable,
    change_state,
    rebuild_state,
    signature_of,
    state_location,
    with_states,
)
from headwater.refresh.writing import (
    difference_write,
    full_write,
    incremental_write,
    named_rows,
)
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.tables.commits import Author, commit, refresh_transaction, stamp


def run_refresh(outlook: Outlook, workshop: Workshop, author: Author, *, number: int) -> Applied:
    """Write the rows, the frontier and the number of the refresh in one commit."""
    planned, applied = outlook.planned, list[Applied]()
    little = workshop.spark.in_one_job() if planned.is_little else nullcontext()
    with little, _prepared(outlook, workshop) as (write, relations):
        reach("refresh.planned")
        states = _write_states(outlook, workshop, relations, number=number)
        reach("refresh.states")
        frontier = with_states(planned.frontier, states)
        mark = RefreshMark(planned.dynamic_table.id, number, outlook.choice.kind, frontier)
        marked = replace(author, refresh=mark)
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
def _prepared(outlook: Outlook, workshop: Workshop) -> Iterator[tuple[Write, SparkRelations]]:
    planned = outlook.planned
    names = tuple(column.name for column in planned.table.shape.columns)
    if outlook.delta is not None:
        with ready_relations(outlook, workshop) as relations:
            yield incremental_write(outlook.delta, names, relations), relations
        return
    with workshop.pinned() as text, ready_relations(outlook, workshop) as relations:
        _require_columns(planned.table, workshop.spark.columns_of(text))
        rows = text.text
        if outlook.rebuilt is not None:
            rows = named_rows(outlook.rebuilt.rows, names, relations)
        if _is_followed(planned, workshop.lake):
            types = {f"{c.name}#0": ColumnType(c.type) for c in planned.table.shape.columns}
            yield difference_write(rows, names, replace(relations, types=types)), relations
        else:
            yield full_write(rows, names), relations


def _write_states(
    outlook: Outlook, workshop: Workshop, relations: SparkRelations, *, number: int
) -> dict[str, StateTable]:
    """The states after this refresh: those that stay, those that change, those made anew."""
    planned, spark = outlook.planned, workshop.spark
    if outlook.delta is not None:
        kept = outlook.delta.kept_states
        states = {name: state for name, state in outlook.states.items() if name in kept}
        for change in outlook.delta.states:
            states[change.name] = change_state(
                spark,
                outlook.states[change.name],
                change.rows,
                relations,
                transaction=(f"state:{planned.dynamic_table.id}", number),
            )
        return states
    if outlook.rebuilt is None:
        return {}
    return {
        name: rebuild_state(
            spark,
            state_location(workshop.lake, planned.table, name),
            rows,
            relations,
            signature=signature_of(outlook.signatures[name]),
        )
        for name, rows in outlook.rebuilt.states
    }


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
