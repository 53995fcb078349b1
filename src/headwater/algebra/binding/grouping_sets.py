"""GROUPING SETS, ROLLUP and CUBE: each row once for every set, with the keys outside it NULL.

The sets come from a generator over their grouping ids, so no rows make no groups, also for the
empty set, as in Spark. Aggregate calls see the columns as they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from sqlglot import exp

from headwater.algebra.binding.rows import Ids, Rows, placeholder
from headwater.algebra.expressions import bare, call, number, without_parens
from headwater.algebra.functions import is_query, name_of
from headwater.algebra.nodes import ColumnId, Generate, Scalar, column
from headwater.algebra.refusal import Reason, refuse

Keys = tuple[exp.Expression, ...]
Sets = tuple[frozenset[int], ...]


def grouping_of(select: exp.Select) -> tuple[Keys, Sets | None]:
    """The keys of GROUP BY, and the sets of them that are grouped by; None for all at once."""
    group = select.args.get("group")
    if group is None:
        return (), None
    parts: list[list[Keys]] = []
    plain = True
    for item in group.expressions:
        sets = _sets(item)
        plain = plain and sets is None
        parts.append([(item,)] if sets is None else sets)
    for key, make in (("rollup", _rollup), ("cube", _cube)):
        for item in group.args.get(key) or ():
            plain = False
            if item.expressions:
                parts.append(make([_keys(part) for part in item.expressions]))
            else:
                # WITH ROLLUP is about the keys in front of it
                every = [keys for sets in parts for keys in sets]
                parts = [make(every)]
    for item in group.args.get("grouping_sets") or ():
        plain = False
        parts = _behind_the_keys(parts, _sets(item) or [])
    combined = [tuple(key for keys in choice for key in keys) for choice in product(*parts)]
    keys = _distinct(key for part in parts for keys in part for key in keys)
    if plain:
        return keys, None
    known = [without_parens(key) for key in keys]
    sets_of = tuple(
        frozenset(known.index(without_parens(key)) for key in choice) for choice in combined
    )
    return keys, sets_of


def _behind_the_keys(parts: list[list[Keys]], sets: list[Keys]) -> list[list[Keys]]:
    """`GROUP BY a, b GROUPING SETS (..)`: Hive's form, whose keys only give the order."""
    listed = {without_parens(key) for keys in sets for key in keys}
    given = [key for part in parts for keys in part for key in keys]
    if given and all(without_parens(key) in listed for key in given):
        return [sets]
    return [*parts, sets]


def expand(
    ids: Ids, keys: tuple[ColumnId, ...], sets: Sets, rows: Rows
) -> tuple[tuple[ColumnId, ...], tuple[ColumnId, ...], Rows]:
    """The keys as they are in each set, then what else to group by: grouping id, set's number."""
    places = ids.new("set")
    numbers = [number(at, "INT") for at in range(len(sets))]
    node = Generate(rows.node, call("explode", call("array", *numbers)), (places,))
    grouping_id = ids.named("grouping_id", _pick(places, [_bits(chosen, keys) for chosen in sets]))
    nulled = [
        ids.named("key", _where(places, [at in chosen for chosen in sets], column(id)))
        for at, id in enumerate(keys)
    ]
    made = rows.over(node).extended((*nulled, grouping_id))
    repeated = len(set(sets)) < len(sets)
    hidden = (grouping_id.id, places) if repeated else (grouping_id.id,)
    return tuple(key.id for key in nulled), hidden, made


def grouping_calls(
    values: Iterable[exp.Expression], keys: list[exp.Expression], grouping_id: ColumnId
) -> dict[exp.Expression, exp.Expression]:
    """What grouping() and grouping_id() of the expressions stand for."""
    found: dict[exp.Expression, exp.Expression] = {}
    for value in values:
        for node in _calls(value):
            found[without_parens(node)] = _grouping(
                node, keys, placeholder(("#hidden", grouping_id))
            )
    return found


def _grouping(
    node: exp.Expression, keys: list[exp.Expression], grouping_id: exp.Expression
) -> exp.Expression:
    arguments = [without_parens(argument) for argument in node.iter_expressions()]
    missing = name_of(node) == "grouping" and len(arguments) != 1
    if missing or any(argument not in keys for argument in arguments):
        raise refuse("grouping() of what is no key", Reason.SYNTAX_UNKNOWN, node)
    if name_of(node) == "grouping":
        bit = _bit(grouping_id, len(keys) - 1 - keys.index(arguments[0]))
        return exp.cast(bit, "TINYINT", dialect="spark")
    if arguments and arguments != keys:
        raise refuse("grouping_id() of some keys", Reason.SYNTAX_UNKNOWN, node)
    return grouping_id


def _bit(grouping_id: exp.Expression, place: int) -> exp.Expression:
    shifted = call("shiftright", grouping_id, exp.Literal.number(place))
    return exp.Paren(this=exp.BitwiseAnd(this=shifted, expression=number(1)))


def _calls(node: exp.Expression) -> list[exp.Expression]:
    if is_query(node):
        return []
    if name_of(node) in ("grouping", "grouping_id"):
        return [node]
    return [found for child in node.iter_expressions() for found in _calls(child)]


def _bits(chosen: frozenset[int], keys: tuple[ColumnId, ...]) -> Scalar:
    last = len(keys) - 1
    return number(sum(1 << (last - at) for at in range(len(keys)) if at not in chosen))


def _pick(places: ColumnId, values: list[Scalar]) -> Scalar:
    one_more = exp.Add(this=column(places), expression=number(1, "INT"))
    return call("element_at", call("array", *values), one_more)


def _where(places: ColumnId, kept: list[bool], value: Scalar) -> Scalar:
    """The value in some sets, a NULL of its type in the others."""
    flags: list[Scalar] = [exp.true() if flag else exp.false() for flag in kept]
    return call("if", _pick(places, flags), value, exp.null())


def _sets(item: exp.Expression) -> list[Keys] | None:
    if isinstance(item, exp.Rollup):
        return _rollup([_keys(part) for part in item.expressions])
    if isinstance(item, exp.Cube):
        return _cube([_keys(part) for part in item.expressions])
    if isinstance(item, exp.GroupingSets):
        found: list[Keys] = []
        for part in item.expressions:
            nested = _sets(part)
            found += [_keys(part)] if nested is None else nested
        return found
    return None


def _keys(part: exp.Expression) -> Keys:
    if isinstance(part, exp.Tuple):
        return tuple(part.expressions)
    return (bare(part),)


def _rollup(parts: list[Keys]) -> list[Keys]:
    return [tuple(key for part in parts[:end] for key in part) for end in range(len(parts), -1, -1)]


def _cube(parts: list[Keys]) -> list[Keys]:
    choices = product((True, False), repeat=len(parts))
    return [
        tuple(key for part, taken in zip(parts, choice, strict=True) if taken for key in part)
        for choice in choices
    ]


def _distinct(keys: Iterable[exp.Expression]) -> Keys:
    found: dict[exp.Expression, exp.Expression] = {}
    for key in keys:
        found.setdefault(without_parens(key), key)
    return tuple(found.values())
