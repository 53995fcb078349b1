"""UNION, INTERSECT and EXCEPT, with ALL or without."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.relations import output_names
from headwater.algebra.binding.subquery import Binding, Bound
from headwater.algebra.binding.top import bind_top, has_limit
from headwater.algebra.expressions import all_of, call, number
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Union,
    column,
)

Ids = tuple[ColumnId, ...]


def bind_set_operation(binding: Binding, query: exp.SetOperation) -> Bound:
    """The rows of a set operation, and the first of them if it has a LIMIT."""
    branches = _branches(binding, query)
    names = output_names(query)
    distinct = bool(query.args.get("distinct"))
    if isinstance(query, exp.Union):
        node, ids = _union(binding, branches, names, distinct=distinct)
    elif distinct:
        kind = JoinKind.SEMI if isinstance(query, exp.Intersect) else JoinKind.ANTI
        node, ids = _compared(branches, kind)
    else:
        node, ids = _counted(binding, query, branches, names)
    bound = Bound(node, tuple(Named(id, column(id)) for id in ids))
    if not has_limit(query):
        return bound
    by_name = dict(zip(names, ids, strict=True))
    return bind_top(query, bound, [_ordered(item, by_name) for item in _order(query)])


def _branches(binding: Binding, query: exp.SetOperation) -> list[tuple[Node, Ids]]:
    """UNION ALL of more than two is one node: sqlglot nests them to the left."""
    left = query.this
    same = (
        isinstance(query, exp.Union)
        and isinstance(left, exp.Union)
        and not query.args.get("distinct")
        and not left.args.get("distinct")
        and not has_limit(left)
    )
    first = _branches(binding, left) if same else [binding.query(left).projected(binding.ids)]
    return [*first, binding.query(query.expression).projected(binding.ids)]


def _union(
    binding: Binding, branches: list[tuple[Node, Ids]], names: list[str], *, distinct: bool
) -> tuple[Node, Ids]:
    ids = tuple(binding.ids.new(name) for name in names)
    node = Union(tuple(branch for branch, _ in branches), ids)
    return (Aggregate(node, ids), ids) if distinct else (node, ids)


def _compared(branches: list[tuple[Node, Ids]], kind: JoinKind) -> tuple[Node, Ids]:
    (left, ids), (right, others) = branches
    pairs = zip(ids, others, strict=True)
    equal = all_of(exp.NullSafeEQ(this=column(a), expression=column(b)) for a, b in pairs)
    return Join(kind, Aggregate(left, ids), right, equal), ids


def _counted(
    binding: Binding,
    query: exp.SetOperation,
    branches: list[tuple[Node, Ids]],
    names: list[str],
) -> tuple[Node, Ids]:
    """How often a row stands on each side, and then as often as the operation says."""
    marked = []
    for at, (node, ids) in enumerate(branches):
        counts = [binding.ids.named("copies", number(int(at == side))) for side in (0, 1)]
        kept = (Named(id, column(id)) for id in ids)
        marked.append(Project(node, (*kept, *counts)))
    ids = tuple(binding.ids.new(name) for name in names)
    counts_of = (binding.ids.new("left"), binding.ids.new("right"))
    both = Union(tuple(marked), (*ids, *counts_of))
    sums = [binding.ids.named("sum", exp.Sum(this=column(id))) for id in counts_of]
    grouped = Aggregate(both, ids, tuple(sums))
    left, right = (column(made.id) for made in sums)
    if isinstance(query, exp.Intersect):
        wanted = call("least", left, right)
    else:
        wanted = exp.Sub(this=left, expression=right)
    copies = binding.ids.named("copies", wanted)
    counted = Project(grouped, (*(Named(id, column(id)) for id in ids), copies))
    some = Filter(counted, exp.GT(this=column(copies.id), expression=number(0)))
    sequence = call("sequence", number(1), column(copies.id))
    return Generate(some, call("explode", sequence), (binding.ids.new("copy"),)), ids


def _order(query: exp.SetOperation) -> list[exp.Expression]:
    order = query.args.get("order")
    return [] if order is None else list(order.expressions)


def _ordered(item: exp.Expression, ids: dict[str, ColumnId]) -> exp.Expression:
    def change(node: exp.Expression) -> exp.Expression:
        return column(ids[node.name]) if isinstance(node, exp.Column) else node

    return item.copy().transform(change)
