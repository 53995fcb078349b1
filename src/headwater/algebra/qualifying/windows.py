"""Named windows: `OVER w` as what w stands for."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.functions import is_query
from headwater.algebra.refusal import Reason, refuse

_PARTS = ("partition_by", "order", "spec")


def inline_windows(select: exp.Select) -> None:
    """Replaces names of windows by their definitions, in place."""
    named = {window.this.name.lower(): window for window in select.args.get("windows") or ()}
    select.set("windows", None)
    for key in ("expressions", "qualify", "order"):
        part = select.args.get(key)
        for item in part if isinstance(part, list) else [part]:
            if item is not None:
                _inline(item, named)


def _inline(node: exp.Expression, named: dict[str, exp.Window]) -> None:
    if is_query(node):
        return
    if isinstance(node, exp.Window) and node.args.get("alias") is not None:
        base = _definition(node.args["alias"].name.lower(), named)
        node.set("alias", None)
        for key in _PARTS:
            if not node.args.get(key) and base.args.get(key):
                value = base.args[key]
                copies = [v.copy() for v in value] if isinstance(value, list) else value.copy()
                node.set(key, copies)
    for child in list(node.iter_expressions()):
        _inline(child, named)


def _definition(name: str, named: dict[str, exp.Window]) -> exp.Window:
    window = named.get(name)
    if window is None or window.args.get("alias") is not None:
        raise refuse(f"window {name}", Reason.NAME_UNKNOWN)
    return window
