"""The states of a dynamic table: Delta tables of their own, in a hidden folder of its own.

The frontier names the version of each. A refresh writes them before the table; if it dies between,
the frontier still names the old ones, and the next refresh takes the new ones back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from headwater.algebra.nodes import WEIGHT, Node, columns_of
from headwater.algebra.render import Relations, render
from headwater.catalog.dynamic_tables import Frontier
from headwater.catalog.objects import Table
from headwater.incremental.states import state_names
from headwater.lake.commits.writes import Change
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier
from headwater.runtime.open_lake import OpenLake

_FOLDER = "_state"
_KEY = "states"


@dataclass(frozen=True, slots=True)
class StateTable:
    """A state that was written: where it is, its version, and what it is a state of."""

    name: str
    location: str
    version: int
    signature: str

    @property
    def relation(self) -> str:
        """What stands after FROM."""
        return f"delta.{quote_identifier(self.location)} VERSION AS OF {self.version}"


def signature_of(text: str) -> str:
    """A short form of what a state is a state of."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def state_location(lake: OpenLake, table: Table, name: str) -> str:
    """Where a state of a table is."""
    return f"{lake.location(table)}/{_FOLDER}/{name}"


def recorded_states(
    lake: OpenLake, table: Table, frontier: Frontier | None
) -> dict[str, StateTable]:
    """The states that belong to the rows of a table."""
    found: Mapping[str, Any] = {} if frontier is None else frontier.detail.get(_KEY, {})
    return {
        name: StateTable(
            name, state_location(lake, table, name), int(body["version"]), body["signature"]
        )
        for name, body in found.items()
    }


def with_states(frontier: Frontier, states: Mapping[str, StateTable]) -> Frontier:
    """The frontier of rows to which these states belong."""
    body = {
        name: {"version": state.version, "signature": state.signature}
        for name, state in states.items()
    }
    return replace(frontier, detail={**frontier.detail, _KEY: body})


def rebuild_state(
    spark: SparkConnection, location: str, rows: Node, relations: Relations, *, signature: str
) -> StateTable:
    """Write all groups of a state."""
    version = spark.overwrite(location, _renamed(rows, relations))
    return StateTable(location.rpartition("/")[2], location, version, signature)


def change_state(
    spark: SparkConnection,
    state: StateTable,
    rows: Node,
    relations: Relations,
    *,
    transaction: tuple[str, int],
) -> StateTable:
    """Write what changed in a state, on top of the version that the frontier names."""
    if spark.version_of(state.location) != state.version:
        spark.restore(state.location, state.version)
    applied = spark.apply(
        state.location,
        Change(_renamed(rows, relations), WEIGHT),
        note=lambda inserted, deleted: "",
        transaction=transaction,
    )
    return replace(state, version=applied.delta_version)


def _renamed(rows: Node, relations: Relations) -> str:
    """Rows under the names their columns have in a state; a weight keeps its own."""
    pairs = zip(columns_of(rows), state_names(rows), strict=True)
    listed = ", ".join(
        f"{quote_identifier(id)} AS {quote_identifier(WEIGHT if id == WEIGHT else name)}"
        for id, name in pairs
    )
    return f"SELECT {listed} FROM ({render(rows, relations)})"  # noqa: S608 - ids are quoted
