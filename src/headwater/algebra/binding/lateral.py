"""LATERAL with a sub-query: a join on what ties its rows to those on the left of it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.scalar_subquery import outputs_of_group
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.binding.top import with_outputs
from headwater.algebra.expressions import all_of, conjuncts
from headwater.algebra.functions import is_query
from headwater.algebra.nodes import Join, JoinKind, Named
from headwater.algebra.refusal import Reason, refuse


def bind_lateral(binding: Binding, join: exp.Join, rows: Rows, names: list[str]) -> Rows:
    """The rows of the left side, each with those that the sub-query has for it."""
    query, alias = join.this.this, join.this.args["alias"].name
    on = [part for part in conjuncts(join.args.get("on")) if part != exp.true()]
    if any(is_query(node) for part in on for node in part.walk()):
        raise refuse("a sub-query in the condition of such a join", Reason.SUBQUERY, join)
    bound = binding.query(query, rows)
    if join.side == "LEFT" and not (bound.one_row and not on):
        if bound.one_row:
            raise refuse("a condition on such a LEFT JOIN LATERAL", Reason.LATERAL_SUBQUERY, join)
        # Where there is no row all outputs are NULL, also those that are literals.
        right = with_outputs(bound)
        both = _named(rows, alias, names, bound.outputs)
        ties = [*bound.conditions, *map(both.bound, on)]
        return both.over(Join(JoinKind.LEFT, rows.node, right, all_of(ties)))
    kind, outputs = JoinKind.INNER, bound.outputs
    if bound.one_row and bound.conditions:
        kind, outputs = JoinKind.LEFT, outputs_of_group(bound, query)
    joined = rows.over(Join(kind, rows.node, bound.node, all_of(bound.conditions)))
    joined = _named(joined.extended(outputs), alias, names, outputs)
    return joined.filtered(map(joined.bound, on))


def _named(rows: Rows, alias: str, names: list[str], outputs: Iterable[Named]) -> Rows:
    pairs = zip(names, outputs, strict=True)
    return rows.with_names({(alias, name): output.id for name, output in pairs})
