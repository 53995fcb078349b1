"""What a refresh writes, as SQL for Spark: the rows of the query, or the change of the rows."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    ColumnId,
    Field,
    Named,
    Net,
    Node,
    Opaque,
    Project,
    Stored,
    Union,
    column,
    columns_of,
)
from headwater.algebra.render import Relations, render
from headwater.incremental.plan import DeltaPlan, Outcome
from headwater.lake.commits.writes import Append, Change, Nothing, Overwrite, Rewrite, Write
from headwater.names import quote_identifier


def incremental_write(plan: DeltaPlan, names: tuple[str, ...], relations: Relations) -> Write:
    """The write of a plan, its columns under the names of the table."""
    if plan.kind is Outcome.NOTHING:
        return Nothing()
    if plan.kind is Outcome.APPEND:
        return Append(named_rows(plan.rows, names, relations))
    if plan.kind is Outcome.REWRITE:
        fate = _further("__fate", names)
        return Rewrite(named_rows(plan.rows, (*names, fate), relations), fate)
    return _change(plan.rows, names, relations)


def full_write(text: str, names: tuple[str, ...]) -> Overwrite:
    """All rows of a query, whatever is there."""
    return Overwrite(named_select(text, names))


def difference_write(text: str, names: tuple[str, ...], relations: Relations) -> Write:
    """All rows of a query less those that are there, so that whoever reads changes sees few."""
    return _change(difference(text, names), names, relations)


def difference(text: str, names: tuple[str, ...]) -> Node:
    """What turns the stored rows into those of a query."""
    ids = tuple(_id(name) for name in names)
    fields = tuple(Field(f"{id}'", name) for id, name in zip(ids, names, strict=True))
    query = Opaque((named_select(text, names),), (), ids)
    sides = (_weighted(query, 1), _weighted(Stored(fields), -1))
    return Net(Union(sides, (*ids, WEIGHT)))


def _id(name: str) -> ColumnId:
    return f"{name}#0"


def _weighted(node: Node, weight: int) -> Node:
    kept = tuple(Named(id, column(id)) for id in columns_of(node))
    sign = exp.Cast(this=exp.Literal.number(weight), to=exp.DataType.build("bigint"))
    return Project(node, (*kept, Named(WEIGHT, sign)))


def named_select(text: str, names: tuple[str, ...]) -> str:
    """A query, its columns under the names of the table."""
    listed = ", ".join(quote_identifier(name) for name in names)
    # A comment at the end of the text must not swallow the parenthesis.
    return f"SELECT * FROM ({text}\n) AS `#query`({listed})"  # noqa: S608 - the user's own query


def _change(rows: Node, names: tuple[str, ...], relations: Relations) -> Change:
    weight = _further("__weight", names)
    return Change(named_rows(rows, (*names, weight), relations), weight)


def _further(name: str, names: tuple[str, ...]) -> str:
    """A name that no column of the table has."""
    while name.lower() in {known.lower() for known in names}:
        name += "_"
    return name


def named_rows(node: Node, names: tuple[str, ...], relations: Relations) -> str:
    """The rows of a node under the names of the table."""
    pairs = zip(columns_of(node), names, strict=True)
    listed = ", ".join(f"{quote_identifier(id)} AS {quote_identifier(name)}" for id, name in pairs)
    return f"SELECT {listed} FROM ({render(node, relations)})"  # noqa: S608 - names are quoted
