"""Groups from finer groups that are stored: sums of sums, sums of counts, the least of the least.

Law: the rows of the node are those of the query. Sums of floats are not added up, because they
would come out in other digits; DISTINCT and what else cannot be put together is no roll-up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.answering.answer import Answer
from headwater.algebra.answering.blocks import block_of
from headwater.algebra.answering.leaves import only_of, plain, rows_answer
from headwater.algebra.answering.normal import normal
from headwater.algebra.answering.views import StoredView
from headwater.algebra.expressions import all_of, references, substituted
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Named,
    Node,
    Project,
    Scalar,
    column,
)

_ADDED_EXACTLY = ("bigint", "decimal")


@dataclass(frozen=True, slots=True)
class _Part:
    """A column of groups: a call over finer groups, which becomes it with `type`.

    `counts` is said of a count, which is 0 and not NULL where there is nothing to add.
    """

    call: Scalar
    type: str | None = None
    counts: bool = False


def rolled_up(view: StoredView, query: Node) -> Node | None:
    """A grouping from the finer groups of a view, or None."""
    block = block_of(view.tree)
    fine = block.leaves[0]
    if not isinstance(query, Aggregate) or not isinstance(fine, Aggregate):
        return None
    if len(block.leaves) > 1 or block.conditions:
        return None
    found = rows_answer(fine.input, query.input)
    if found is None:
        return None
    stored: dict[ColumnId, ColumnId] = {}
    for id, value in block.values.items():
        stored.setdefault(plain(value) or "", id)
    keys = {id: column(stored[id]) for id in fine.keys if id in stored}
    asked = [found.columns.get(key) for key in query.keys]
    known = [value for value in asked if value is not None]
    if len(known) < len(asked) or not only_of([*known, *found.conditions], tuple(keys)):
        return None
    parts = {}
    for call in query.calls:
        part = _rolled(call.value, found, fine, keys, stored, view)
        if part is None:
            return None
        parts[call.id] = part
    conditions = [substituted(condition, keys) for condition in found.conditions]
    named = {key: substituted(value, keys) for key, value in zip(query.keys, known, strict=True)}
    return _built(view, query, conditions, named, parts)


def _built(
    view: StoredView,
    query: Aggregate,
    conditions: list[Scalar],
    keys: Mapping[ColumnId, Scalar],
    parts: Mapping[ColumnId, _Part],
) -> Node:
    read = [*conditions, *keys.values(), *(part.call for part in parts.values())]
    rows: Node = view.scan({id for scalar in read for id in references(scalar)})
    condition = all_of(conditions)
    if condition is not None:
        rows = Filter(rows, condition)
    used = sorted({id for part in parts.values() for id in references(part.call)})
    rows = Project(
        rows,
        (
            *(Named(key, value) for key, value in keys.items()),
            *(Named(f"{id}'", column(id)) for id in used),
        ),
    )
    again = {id: column(f"{id}'") for id in used}
    calls = tuple(Named(f"{id}'", substituted(part.call, again)) for id, part in parts.items())
    groups = Aggregate(rows, query.keys, calls)
    outputs = (
        *(Named(key, column(key)) for key in query.keys),
        *(Named(id, _typed(column(f"{id}'"), part)) for id, part in parts.items()),
    )
    return Project(groups, outputs)


def _typed(value: Scalar, part: _Part) -> Scalar:
    """A sum of sums has more digits than the sum that it is."""
    if part.counts:
        value = exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])
    if part.type is None:
        return value
    return exp.Cast(this=value, to=exp.DataType.build(part.type, dialect="spark"))


def _rolled(
    call: Scalar,
    found: Answer,
    fine: Aggregate,
    keys: Mapping[ColumnId, Scalar],
    stored: Mapping[ColumnId, ColumnId],
    view: StoredView,
) -> _Part | None:
    """A call over all rows as one over the rows of finer groups."""
    if not found.has([call]):
        return None
    # The normal form is not one to print.
    given = substituted(call, found.columns)
    wanted, of = _normal(normal(given)), given.this
    if _is_least_or_most(wanted) and references(of) and only_of([of], tuple(keys)):
        return _Part(type(wanted)(this=substituted(of, keys)))
    same = (c.id for c in fine.calls if _normal(normal(c.value)) == wanted)
    id = next((stored[id] for id in same if id in stored), None)
    if id is None or isinstance(of, exp.Distinct):
        return None
    kind = view.type_of(id)
    match wanted:
        case exp.Sum() if kind.startswith(_ADDED_EXACTLY):
            return _Part(exp.Sum(this=column(id)), kind)
        case exp.Count():
            return _Part(exp.Sum(this=column(id)), kind, counts=True)
        case _ if _is_least_or_most(wanted):
            return _Part(type(wanted)(this=column(id)))
    return None


def _is_least_or_most(call: Scalar) -> bool:
    """MIN or MAX of one thing; with DISTINCT it is the same, and rare."""
    plain_call = isinstance(call, exp.Min | exp.Max) and not call.expressions
    return plain_call and not isinstance(call.this, exp.Distinct)


def _normal(call: Scalar) -> Scalar:
    """COUNT(1) counts what COUNT(*) counts."""
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Literal):
        return exp.Count(this=exp.Star(), big_int=call.args.get("big_int"))
    return call
