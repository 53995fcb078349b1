"""Small queries by hand, and how a plan for them reads: its rules, and which leaves it reads."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    Changes,
    ColumnType,
    Field,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Query,
    Scalar,
    Scan,
    Shared,
    Stored,
    Types,
    column,
    columns_of,
)
from headwater.algebra.walk import nodes_of
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.incremental.plan import DeltaPlan, plan

TODAY = Dates(date(2026, 11, 16), date(2026, 11, 16))

ORDERS = Scan("o", "orders", (Field("city#1", "city"), Field("amount#2", "amount")))
CITIES = Scan("c", "cities", (Field("name#11", "name"), Field("land#12", "land")))

TYPES: Types = {
    "city#1": ColumnType("string"),
    "amount#2": ColumnType("bigint"),
    "name#11": ColumnType("string", nullable=False),
    "land#12": ColumnType("string"),
    "n#3": ColumnType("bigint", nullable=False),
    "total#4": ColumnType("bigint"),
    "k#5": ColumnType("bigint", nullable=False),
}

COUNT = Named("n#3", exp.Count(this=exp.Star()))
TOTAL = Named("total#4", exp.Sum(this=column("amount#2")))
COUNT_AMOUNT = Named("k#5", exp.Count(this=column("amount#2")))


def by_city(*calls: Named) -> Aggregate:
    """Orders grouped by city."""
    return Aggregate(ORDERS, ("city#1",), calls)


def joined(kind: JoinKind = JoinKind.INNER) -> Join:
    """Orders with their city."""
    return Join(kind, ORDERS, CITIES, equal("city#1", "name#11"))


def equal(left: str, right: str) -> Scalar:
    """Two columns compared."""
    return exp.EQ(this=column(left), expression=column(right))


def selected(node: Node, *ids: str) -> Project:
    """Some columns under new ids."""
    return Project(node, tuple(Named(f"{id}0", column(id)) for id in ids))


def planned(
    node: Node,
    *,
    orders: Change = Change.NONE,
    cities: Change = Change.NONE,
    dates: Dates = TODAY,
    types: Types = TYPES,
    whole: bool = True,
) -> DeltaPlan:
    """The plan when these sources changed."""
    query = Query(node, tuple(id.split("#")[0] for id in columns_of(node)))
    return plan(query, {"o": orders, "c": cities}, dates, types, whole=whole)


def reads(found: DeltaPlan) -> list[str]:
    """The leaves that a plan reads, each as often as it does, parts included."""
    nodes = [found.rows, *(part.node for part in found.parts)]
    texts = (_leaf(inner) for node in nodes for inner in nodes_of(node))
    return sorted(text for text in texts if text)


def relations(found: DeltaPlan) -> set[str]:
    """What a plan reads besides its own parts."""
    return {leaf for leaf in reads(found) if leaf not in {part.name for part in found.parts}}


def _leaf(node: Node) -> str:
    match node:
        case Scan(name=name, at=at):
            return f"{at.lower()} {name}"
        case Changes(name=name):
            return f"changes of {name}"
        case Stored():
            return "the table"
        case Shared(part=part):
            return part
        case _:
            return ""


def rules(found: DeltaPlan) -> list[str]:
    """The rule of each node in the order of the tree, with `stored` where the table is read."""
    return [
        f"{decision.rule}{' stored' if decision.stored else ''}" for decision in found.decisions
    ]
