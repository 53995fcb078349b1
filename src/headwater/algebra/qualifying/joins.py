"""USING and NATURAL joins with a condition, and which columns need no relation in front then."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.qualifying.scope import Scope, Visible
from headwater.algebra.refusal import Reason, refuse


def shared_names(join: exp.Join, left: Scope, right: Scope) -> tuple[str, ...] | None:
    """The names that USING lists or NATURAL finds, in lower case; None for other joins."""
    using = join.args.get("using")
    if using:
        return tuple(item.name.lower() for item in using)
    if (join.method or "").upper() != "NATURAL":
        return None
    there = {visible.name.lower() for visible in right.visible}
    return tuple(visible.name.lower() for visible in left.visible if visible.name.lower() in there)


def equal_names(left: Scope, right: Scope, names: tuple[str, ...]) -> exp.Expression | None:
    """The condition that columns of these names are equal on both sides, resolved."""
    condition: exp.Expression | None = None
    for name in names:
        values = _visible(left, name).value, _visible(right, name).value
        equal = exp.EQ(this=values[0].copy(), expression=values[1].copy())
        condition = equal if condition is None else exp.And(this=condition, expression=equal)
    return condition


def visible_behind(join: exp.Join, left: Scope, right: Scope, names: tuple[str, ...] = ()) -> Scope:
    """What is visible behind a join that makes one column of those of equal `names`."""
    if join.kind in ("SEMI", "ANTI"):
        return left
    merged = tuple(_merged(join.side, left, right, name) for name in names)
    rest = tuple(
        visible for visible in left.visible + right.visible if visible.name.lower() not in names
    )
    return Scope(left.relations + right.relations, merged + rest, left.outer)


def _merged(side: str, left: Scope, right: Scope, name: str) -> Visible:
    one, other = _visible(left, name), _visible(right, name)
    if side == "RIGHT":
        return Visible(one.name, other.value, other.type)
    if side == "FULL":
        both = exp.Coalesce(this=one.value.copy(), expressions=[other.value.copy()])
        return Visible(one.name, both, one.type)
    return one


def _visible(scope: Scope, name: str) -> Visible:
    found = [visible for visible in scope.visible if visible.name.lower() == name]
    if len(found) != 1:
        raise refuse(f"USING ({name})", Reason.NAME_UNKNOWN)
    return found[0]
