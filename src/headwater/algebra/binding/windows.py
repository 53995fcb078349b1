"""Window functions: one node for each distinct PARTITION BY, its expressions columns before."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Name, Rows, as_columns, placeholder
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import replaced, without_parens
from headwater.algebra.functions import function_of, is_query, name_of
from headwater.algebra.nodes import Named, Window, column
from headwater.algebra.refusal import Reason, refuse

Expressions = tuple[exp.Expression, ...]


def bind_windows(
    binding: Binding, values: Expressions, rows: Rows, *, tied: bool
) -> tuple[Expressions, Rows]:
    """The expressions with window functions as columns."""
    found = list(dict.fromkeys(window for value in values for window in _windows(value)))
    if not found:
        return values, rows
    if tied:
        raise refuse("a window in a correlated sub-query", Reason.CORRELATION, found[0])
    partitions: dict[Expressions, list[exp.Window]] = {}
    for window in found:
        by = tuple(without_parens(part) for part in window.args.get("partition_by") or ())
        partitions.setdefault(by, []).append(window)
    names: dict[exp.Expression, Name] = {}
    for by, windows in partitions.items():
        rows = _bind_partition(binding, by, windows, rows, names)
    return tuple(_behind(value, names) for value in values), rows


def _bind_partition(
    binding: Binding,
    by: Expressions,
    windows: list[exp.Window],
    rows: Rows,
    names: dict[exp.Expression, Name],
) -> Rows:
    keys, rows = as_columns(binding.ids, map(rows.bound, by), rows, name="partition")
    calls: list[Named] = []
    found: dict[Name, str] = {}
    for window in windows:
        call = rows.bound(window)
        call.set("partition_by", [column(id) for id in keys])
        calls.append(binding.ids.named(name_of(function_of(window.this)), call))
        names[window] = ("#window", str(len(names)))
        found[names[window]] = calls[-1].id
    partition = tuple(dict.fromkeys(keys))
    return rows.over(Window(rows.node, partition, tuple(calls))).with_names(found)


def _windows(node: exp.Expression) -> list[exp.Window]:
    if is_query(node):
        return []
    if isinstance(node, exp.Window):
        return [node]
    return [window for child in node.iter_expressions() for window in _windows(child)]


def _behind(value: exp.Expression, names: dict[exp.Expression, Name]) -> exp.Expression:
    def change(node: exp.Expression) -> exp.Expression:
        return placeholder(names[node]) if node in names else node

    return replaced(value, change)
