"""Two queries that differ in their columns alone: what of the rows of one is the answer of another.

Law: where `compare` gives a Replacement, the rows of the new query, without the columns that it
adds, are the rows of the old query, without the columns that it drops, at every state of the
sources. Where it cannot tell, it says what differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.dialect import parse_query
from headwater.algebra.functions import has_aggregate, is_generator
from headwater.algebra.refusal import NotIncremental
from headwater.sql.dialect import Headwater

_ROWS_DEPEND_ON_COLUMNS = ("distinct", "limit", "offset", "order")


@dataclass(frozen=True, slots=True)
class Added:
    """A column that only the new query has; `source` is the column it passes on, if it does."""

    name: str
    source: str | None


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a new query does to the columns, by the names they have in the table."""

    dropped: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    """Columns with a CAST around what they were."""
    added: tuple[Added, ...] = ()
    one_table: bool = False
    """Whether rows come from one table alone, without sub-queries."""
    worked_with: frozenset[str] = frozenset()
    """Columns of sources that are more than passed on, in lower case."""


def compare(
    old: str, new: str, *, old_names: Sequence[str], new_names: Sequence[str]
) -> Replacement | str:
    """What became of the columns, or why the rows may be others.

    The texts are queries with every name resolved, as `Qualified.to_sql` prints them; the names are
    those of their columns in the table.
    """
    found = _compared(old, new, old_names, new_names)
    same = old == new and _lower(old_names) == _lower(new_names)
    return Replacement() if same and isinstance(found, str) else found


def _compared(
    old: str, new: str, old_names: Sequence[str], new_names: Sequence[str]
) -> Replacement | str:
    try:
        before, after = parse_query(old), parse_query(new)
    except NotIncremental as refusal:
        return refusal.construct
    if not isinstance(before, exp.Select) or not isinstance(after, exp.Select):
        return "it is no plain SELECT"
    for key in _ROWS_DEPEND_ON_COLUMNS:
        if before.args.get(key) or after.args.get(key):
            return f"{key.upper()} makes rows depend on columns"
    for key in sorted({*before.args, *after.args} - {"expressions"}):
        if _clause(before, key) != _clause(after, key):
            return f"{_WORDS.get(key, key.upper())} differs"
    if len(before.expressions) != len(old_names) or len(after.expressions) != len(new_names):
        return "an item of the SELECT list makes several columns"
    return _columns(before, after, old_names, new_names)


_WORDS = {
    "from_": "FROM",
    "joins": "JOIN",
    "group": "GROUP BY",
    "laterals": "LATERAL VIEW",
}


def _columns(
    before: exp.Select, after: exp.Select, old_names: Sequence[str], new_names: Sequence[str]
) -> Replacement | str:
    old = {n.lower(): v.unalias() for n, v in zip(old_names, before.expressions, strict=True)}
    new = {n.lower(): v.unalias() for n, v in zip(new_names, after.expressions, strict=True)}
    for value in (*old.values(), *new.values()):
        if any(is_generator(node) for node in value.walk()):
            return "the SELECT list makes rows"
        if any(not column.table for column in value.find_all(exp.Column)):
            return "a column is worked out from another one of the list"
    dropped = [name for name in old_names if name.lower() not in new]
    if not before.args.get("group") and _aggregates(old) != _aggregates(new):
        return "only one of them is an aggregate of all rows"
    cast: list[str] = []
    for name in new_names:
        was, now = old.get(name.lower()), new[name.lower()]
        if was is None or _text(was) == _text(now):
            continue
        if not isinstance(now, exp.Cast) or _text(now.this) != _text(was):
            return f"column '{name}' is worked out differently"
        cast.append(name)
    added = [Added(name, _passed_on(new[name.lower()])) for name in new_names if _is_new(name, old)]
    return Replacement(
        tuple(dropped), tuple(cast), tuple(added), _is_one_table(after), _worked_with(after)
    )


def _aggregates(values: dict[str, exp.Expression]) -> bool:
    return any(has_aggregate(value) for value in values.values())


def _is_new(name: str, old: dict[str, exp.Expression]) -> bool:
    return name.lower() not in old


def _passed_on(value: exp.Expression) -> str | None:
    return value.name if isinstance(value, exp.Column) else None


def _is_one_table(select: exp.Select) -> bool:
    others = any(
        select.args.get(key) for key in ("joins", "laterals", "group", "having", "qualify")
    )
    source = select.args.get("from_")
    plain = source is not None and isinstance(source.this, exp.Table)
    inside = [node for node in select.find_all(exp.Query) if node is not select]
    calls = any(has_aggregate(value) for value in select.expressions)
    windows = select.find(exp.Window) is not None
    return plain and not others and not inside and not calls and not windows


def _worked_with(select: exp.Select) -> frozenset[str]:
    passed = {id(_inside_cast(value.unalias())) for value in select.expressions}
    columns = select.find_all(exp.Column)
    return frozenset(column.name.lower() for column in columns if id(column) not in passed)


def _inside_cast(value: exp.Expression) -> exp.Expression:
    return value.this if isinstance(value, exp.Cast) else value


def _lower(names: Sequence[str]) -> list[str]:
    return [name.lower() for name in names]


def _clause(select: exp.Select, key: str) -> list[str]:
    value = select.args.get(key)
    values = value if isinstance(value, list) else [value]
    return [_text(v) if isinstance(v, exp.Expression) else repr(v) for v in values if v]


def _text(node: exp.Expression) -> str:
    return node.sql(dialect=Headwater)
