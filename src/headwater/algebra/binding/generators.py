"""Generators in the SELECT list: one Generate below, their columns in the list."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Rows, placeholder
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import bare
from headwater.algebra.functions import is_generator
from headwater.algebra.nodes import Generate
from headwater.algebra.refusal import Reason, refuse

Expressions = tuple[exp.Expression, ...]


def bind_generators(
    binding: Binding, items: Expressions, names: list[tuple[str, ...]], rows: Rows
) -> tuple[Expressions, Rows]:
    """One expression for each column; `names` are those that each item gives."""
    made: list[exp.Expression] = []
    for item, columns in zip(items, names, strict=True):
        inner = bare(item)
        if not is_generator(inner):
            if any(is_generator(node) for node in item.walk()):
                raise refuse("a generator inside an expression", Reason.SYNTAX_UNKNOWN, item)
            made.append(item)
            continue
        ids = tuple(binding.ids.new(name) for name in columns)
        node = Generate(rows.node, rows.bound(inner), ids)
        rows = rows.over(node).with_names({("#generated", id): id for id in ids})
        made += [placeholder(("#generated", id)) for id in ids]
    return tuple(made), rows
