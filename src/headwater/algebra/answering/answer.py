"""The rows of one tree from the rows of another: what remains to be filtered and computed.

Law: where `answer` gives an Answer, the rows of the query are, as a bag, those of the view, paired
with those of the rest, for which all `conditions` are true, with `columns` computed of them. The
ids of the two trees are disjoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.answering.blocks import Block, block_of
from headwater.algebra.answering.implication import implies
from headwater.algebra.answering.normal import normal
from headwater.algebra.expressions import references, replaced, substituted
from headwater.algebra.nodes import ColumnId, Node, Scalar, column, columns_of

_MOST_LEAVES = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """What the query is in columns of the view; those that cannot be had are left out.

    `rest` are leaves of the query that the view does not read; their columns stand as they are.
    """

    columns: Mapping[ColumnId, Scalar]
    conditions: tuple[Scalar, ...] = ()
    rest: tuple[Node, ...] = ()

    def has(self, scalars: Sequence[Scalar]) -> bool:
        """Whether all columns in these can be had."""
        return all(references(scalar) <= self.columns.keys() for scalar in scalars)

    def inside(self, scalar: Scalar) -> Scalar:
        """An expression of the query in columns of the view, in the form to compare."""
        return normal(substituted(scalar, self.columns))


LeafAnswer = Callable[[Node, Node], Answer | None]
"""Of a leaf of the view and one of the query."""


def answer(view: Node, query: Node, leaf: LeafAnswer, *, partly: bool = False) -> Answer | None:
    """The query from the view, or None; `partly` lets the query join more than the view does."""
    ours, theirs = block_of(view), block_of(query)
    if not partly and len(ours.leaves) != len(theirs.leaves):
        return None
    if len(theirs.leaves) > _MOST_LEAVES:
        return None
    for found in _assignments(ours.leaves, theirs.leaves, leaf):
        answered = _answered(ours, theirs, found)
        if answered is not None:
            return answered
    return None


def _assignments(
    ours: Sequence[Node],
    theirs: Sequence[Node],
    leaf: LeafAnswer,
    taken: Mapping[int, Answer] | None = None,
) -> Iterator[Mapping[int, Answer]]:
    """Every way to find the leaves of the view among those of the query, by their places."""
    known = taken or {}
    if not ours:
        yield known
        return
    for place, node in enumerate(theirs):
        found = None if place in known else leaf(ours[0], node)
        if found is not None:
            yield from _assignments(ours[1:], theirs, leaf, {**known, place: found})


def _answered(ours: Block, theirs: Block, found: Mapping[int, Answer]) -> Answer | None:
    known = {id: value for leaf in found.values() for id, value in leaf.columns.items()}
    read = {id for place in found for id in columns_of(theirs.leaves[place])}
    lost = read - known.keys()

    def inside(scalar: Scalar) -> Scalar | None:
        return None if references(scalar) & lost else substituted(scalar, known)

    asked = [inside(condition) for condition in theirs.conditions]
    asked += [condition for leaf in found.values() for condition in leaf.conditions]
    facts = [condition for condition in asked if condition is not None]
    if not all(implies(facts, condition) for condition in ours.conditions):
        return None
    stored = _Stored.of(ours)
    held = [normal(condition) for condition in ours.conditions]
    conditions = [
        None if condition is None else stored.expressed(condition)
        for condition in asked
        if condition is None or normal(condition) not in held
    ]
    values = {id: inside(value) for id, value in theirs.values.items()}
    columns = {id: stored.expressed(v) for id, v in values.items() if v is not None}
    kept = [condition for condition in conditions if condition is not None]
    if len(kept) < len(conditions):
        return None
    rest = tuple(leaf for place, leaf in enumerate(theirs.leaves) if place not in found)
    return Answer({id: v for id, v in columns.items() if v is not None}, tuple(kept), rest)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the columns of the view hold, to be found by it; `hidden` are those below."""

    columns: Mapping[Scalar, ColumnId]
    hidden: frozenset[ColumnId]

    @classmethod
    def of(cls, block: Block) -> _Stored:
        found: dict[Scalar, ColumnId] = {}
        for id, value in block.values.items():
            # A constant is no reason to read a column.
            if references(value):
                found.setdefault(normal(value), id)
        return cls(found, frozenset(id for leaf in block.leaves for id in columns_of(leaf)))

    def expressed(self, scalar: Scalar) -> Scalar | None:
        """An expression over leaves of the view in columns of the view, if it can be."""
        missing: list[ColumnId] = []

        def change(node: exp.Expression) -> exp.Expression:
            id = self.columns.get(normal(node))
            if id is not None:
                return column(id)
            if isinstance(node, exp.Column) and node.name in self.hidden:
                missing.append(node.name)
            return node

        made = replaced(scalar, change)
        return None if missing else made
