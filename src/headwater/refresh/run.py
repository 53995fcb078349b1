"""Doing a refresh: the rows are worked out and written, with the frontier, in one commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from headwater.algebra.nodes import ColumnType
from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.objects import Operation, Table, TableColumn
from headwater.errors import HeadwaterError, SchemaError, TransientError, UserError
from headwater.lake.commits.writes import Applied, Write
from headwater.lake.delta_log.physical_names import physical_names
from headwater.names import show_identifier
from headwater.refresh.followed import is_followed
from headwater.refresh.foreign_writes import changed_by
from headwater.refresh.given import Giving, given_of, own_names
from headwater.refresh.outlook import Outlook, Workshop
from headwater.refresh.partitions import OUTSIDE
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
from headwater.tables.registration import register_table


@dataclass(frozen=True, slots=True)
class Turn:
    """The number of a refresh, and how often it was overtaken by other commits so far."""

    number: int
    attempt: int = 0

    def state_transaction(self, table_id: str) -> tuple[str, int]:
        """Under what Delta takes a change of a state once.

        A state is written before the table. So an attempt that was overtaken has left its number
        in the states, and the next one needs a name of its own: else Delta would take the change
        for one that is there.
        """
        name = f"state:{table_id}"
        return (f"{name}:{self.attempt}" if self.attempt else name), self.number


def run_refresh(outlook: Outlook, workshop: Workshop, author: Author, turn: Turn) -> Applied:
    """Write the rows, the frontier and the number of the refresh in one commit."""
    planned, applied = outlook.planned, list[Applied]()
    spark = workshop.spark
    if planned.is_very_little:
        manner = spark.in_one_job(few_rows=planned.has_few_rows)
    elif outlook.delta is not None and planned.is_readable_at_once:
        manner = spark.in_few_jobs()
    else:
        manner = spark.sending_little()
    with manner, _prepared(outlook, workshop) as (outlook, write, relations):
        reach("refresh.planned")
        states = _write_states(outlook, workshop, relations, turn)
        reach("refresh.states")
        frontier = with_states(planned.frontier, states)
        mark = RefreshMark(
            planned.dynamic_table.id, turn.number, outlook.choice.kind, frontier, planned.partition
        )
        marked = replace(author, refresh=mark)
        with _explained(planned):
            commit(
                workshop.lake,
                workshop.spark,
                planned.table,
                operation=Operation.REFRESH,
                author=marked,
                work=lambda: applied.append(_apply(planned, workshop, marked, write)),
            )
    return applied[0]


@contextmanager
def _explained(planned: PlannedRefresh) -> Iterator[None]:
    """What Spark says of a row outside of the partition, in our words."""
    try:
        yield
    except HeadwaterError as error:
        if planned.partition is None or OUTSIDE not in f"{error.message} {error.detail}":
            raise
        table, partition = planned.dynamic_table.qualified, planned.partition
        raise UserError("REFRESH_OUTSIDE_PARTITION", table=table, partition=partition) from error


def _apply(planned: PlannedRefresh, workshop: Workshop, author: Author, write: Write) -> Applied:
    assert author.refresh is not None
    _require_untouched(planned, workshop.lake)
    note = stamp(workshop.lake, author, Operation.REFRESH).to_json()
    return workshop.spark.apply(
        workshop.lake.location(planned.table),
        write,
        note=lambda inserted, deleted: note,
        transaction=refresh_transaction(author.refresh),
        within=_within(planned, workshop.lake),
    )


def _require_untouched(planned: PlannedRefresh, lake: OpenLake) -> None:
    """The rows are still those that the plan was made for; nobody writes from here on."""
    seen = planned.table.shape.delta_version
    last = lake.store.versions.last(planned.table.id)
    if last is None or last.delta_version <= seen:
        return
    since = replace(planned.dynamic_table, delta_version=seen)
    changed = changed_by(lake, since, planned.table, planned.partition)
    if changed is not None:
        problem = f"{changed} while the refresh was being planned"
        raise TransientError("CONCURRENT_CHANGE", problem=problem)


def _within(planned: PlannedRefresh, lake: OpenLake) -> dict[str, str | None] | None:
    """The partition as the log spells it."""
    if planned.partition is None:
        return None
    files = lake.log_files(planned.table)
    physical = physical_names(files, planned.table.shape.delta_version)
    return {physical[name]: value for name, value in planned.partition.values}


@contextmanager
def _prepared(
    outlook: Outlook, workshop: Workshop
) -> Iterator[tuple[Outlook, Write, SparkRelations]]:
    planned = outlook.planned
    names = own_names(planned.dynamic_table, planned.table)
    giving = _giving(planned, workshop, names)
    reach = planned.reach
    if outlook.delta is not None:
        with ready_relations(outlook, workshop) as (ready, relations):
            assert ready.delta is not None
            write = incremental_write(ready.delta, names, relations)
            yield ready, giving.write(reach.bounded(write, names)), relations
        return
    with workshop.pinned() as text, ready_relations(outlook, workshop) as (_, relations):
        require_columns(planned.table, names, workshop.spark.columns_of(text))
        rows = text.text
        if outlook.rebuilt is not None:
            rows = named_rows(outlook.rebuilt.rows, names, relations)
        if not planned.hints.overwrites_all and planned.table.shape.partition_columns:
            write = replace(full_write(rows, names), produced_only=True)
        elif not outlook.overwrites and (
            reach.frozen is not None or is_followed(planned, workshop.lake)
        ):
            types = {f"{c.name}#0": ColumnType(c.type) for c in planned.table.shape.columns}
            write = difference_write(rows, names, replace(relations, types=types))
        else:
            write = full_write(rows, names)
        yield outlook, giving.write(reach.bounded(write, names)), relations


def _giving(planned: PlannedRefresh, workshop: Workshop, names: tuple[str, ...]) -> Giving:
    """What rows that come are given, if the table has such columns."""
    stored = register_table(workshop.lake, planned.table)
    return Giving(
        names,
        given_of(planned.dynamic_table),
        {column.name: column.type for column in planned.table.shape.columns},
        f"{stored} VERSION AS OF {planned.table.shape.delta_version}",
        workshop.spark.canonical,
    )


def _write_states(
    outlook: Outlook, workshop: Workshop, relations: SparkRelations, turn: Turn
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
                transaction=turn.state_transaction(planned.dynamic_table.id),
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


def require_columns(table: Table, names: tuple[str, ...], given: tuple[TableColumn, ...]) -> None:
    """Refuse types that the table has not.

    The query may give other types than when the table was made: columns of sources change."""
    wanted = [column.type for column in table.shape.columns if column.name in names]
    if [column.type for column in given] == wanted:
        return
    shown = ", ".join(f"{show_identifier(column.name)} {column.type}" for column in given)
    name = f"{table.schema}.{table.name}"
    raise SchemaError("REFRESH_COLUMNS_DIFFER", table=name, given=shown)
