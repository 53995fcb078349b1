"""Leaves of a query from leaves of a view, one function for each kind of node.

Law: as for `answer`. A condition that is left over is let through a node only where the node's
rows with and without it differ by the rows that the condition keeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.answering.answer import Answer, answer
from headwater.algebra.answering.normal import normal
from headwater.algebra.expressions import conjuncts, references
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Generate,
    Join,
    JoinKind,
    Named,
    Node,
    Scalar,
    Scan,
    TopK,
    Union,
    Values,
    Window,
    column,
    columns_of,
)


def leaf_answer(view: Node, query: Node) -> Answer | None:
    """A leaf of the query from a leaf of the view, or None."""
    match view, query:
        case Scan(), Scan():
            return _scan(view, query)
        case Aggregate(), Aggregate():
            return _groups(view, query)
        case Join(), Join() if view.kind is query.kind:
            return _outer_join(view, query)
        case Window(), Window():
            return _window(view, query)
        case Generate(), Generate() if view.outer is query.outer:
            return _generate(view, query)
        case Union(), Union() if len(view.branches) == len(query.branches):
            return _union(view, query)
        case TopK(), TopK():
            return _top(view, query)
        case Values(), Values() if _plain_rows(view) == _plain_rows(query):
            return _positions(view.ids, query.ids)
    return None


def rows_answer(view: Node, query: Node) -> Answer | None:
    """The rows of a node from those of another, both as a whole."""
    return answer(view, query, leaf_answer)


def same_rows(view: Node, query: Node) -> Answer | None:
    """Like `rows_answer`, where no row of the view is left out."""
    found = rows_answer(view, query)
    return None if found is None or found.conditions else found


def only_of(conditions: Sequence[Scalar], ids: Sequence[ColumnId]) -> bool:
    """Whether conditions decide about all rows with the same values of these columns at once."""
    return all(references(condition) <= set(ids) for condition in conditions)


def plain(scalar: Scalar | None) -> ColumnId | None:
    """The column that an expression is, if it is one."""
    return scalar.name if isinstance(scalar, exp.Column) else None


def _scan(view: Scan, query: Scan) -> Answer | None:
    if (view.source, view.at) != (query.source, query.at):
        return None
    ours = {field.name: field.id for field in view.fields}
    return Answer({f.id: column(ours[f.name]) for f in query.fields if f.name in ours})


def _groups(view: Aggregate, query: Aggregate) -> Answer | None:
    """The same groups; a condition on keys leaves whole groups out."""
    found = rows_answer(view.input, query.input)
    if found is None or not only_of(found.conditions, view.keys):
        return None
    if found.conditions and not view.keys:
        # Without keys there is a row also for no input.
        return None
    keys = {key: plain(found.columns.get(key)) for key in query.keys}
    if set(keys.values()) != set(view.keys):
        return None
    columns = {key: column(ours) for key, ours in keys.items() if ours is not None}
    return Answer({**columns, **_calls(view.calls, query.calls, found)}, found.conditions)


def _outer_join(view: Join, query: Join) -> Answer | None:
    """Rows of the left side may be left out, as long as they do not fill up the right one's."""
    left = (same_rows if view.kind is JoinKind.FULL else rows_answer)(view.left, query.left)
    right = same_rows(view.right, query.right)
    if left is None or right is None:
        return None
    both = Answer({**left.columns, **right.columns}, left.conditions)
    asked = conjuncts(query.condition)
    if not both.has(asked):
        return None
    ours = [normal(part) for part in conjuncts(view.condition)]
    theirs = [both.inside(part) for part in asked]
    if any(part not in ours for part in theirs) or any(part not in theirs for part in ours):
        return None
    # What is computed below a side that gets NULLs is NULL there, whatever it is computed of.
    filled = {JoinKind.LEFT: (right,), JoinKind.FULL: (left, right)}.get(view.kind, ())
    lost = {id for side in filled for id, v in side.columns.items() if plain(v) is None}
    return Answer({id: v for id, v in both.columns.items() if id not in lost}, both.conditions)


def _window(view: Window, query: Window) -> Answer | None:
    """The same partitions; a condition on what makes them leaves whole ones out."""
    found = rows_answer(view.input, query.input)
    if found is None or not only_of(found.conditions, view.partition):
        return None
    if {plain(found.columns.get(id)) for id in query.partition} != set(view.partition):
        return None
    return Answer({**found.columns, **_calls(view.calls, query.calls, found)}, found.conditions)


def _generate(view: Generate, query: Generate) -> Answer | None:
    found = rows_answer(view.input, query.input)
    if found is None or not found.has([query.generator]):
        return None
    if found.inside(query.generator) != normal(view.generator):
        return None
    made = {theirs: column(ours) for ours, theirs in zip(view.ids, query.ids, strict=False)}
    return Answer({**found.columns, **made}, found.conditions)


def _union(view: Union, query: Union) -> Answer | None:
    """Branch by branch; a column is had if it is at one and the same place in all of them."""
    found = [same_rows(a, b) for a, b in zip(view.branches, query.branches, strict=True)]
    columns: dict[ColumnId, Scalar] = {}
    for place, id in enumerate(query.ids):
        for at, ours in enumerate(view.ids):
            sides = zip(view.branches, query.branches, found, strict=True)
            if all(
                inner is not None
                and plain(inner.columns.get(columns_of(b)[place])) == columns_of(a)[at]
                for a, b, inner in sides
            ):
                columns.setdefault(id, column(ours))
    return None if None in found else Answer(columns)


def _top(view: TopK, query: TopK) -> Answer | None:
    found = same_rows(view.input, query.input)
    if found is None or not found.has(query.order):
        return None
    order = [found.inside(part) for part in query.order]
    same = order == [normal(part) for part in view.order]
    ends = (view.limit, view.offset) == (query.limit, query.offset)
    return found if same and ends else None


def _positions(ours: tuple[ColumnId, ...], theirs: tuple[ColumnId, ...]) -> Answer:
    return Answer({b: column(a) for a, b in zip(ours, theirs, strict=True)})


def _plain_rows(values: Values) -> list[list[Scalar]]:
    return [[normal(value) for value in row] for row in values.rows] or [
        [exp.null()] * len(values.ids)
    ]


def _calls(
    ours: tuple[Named, ...], theirs: tuple[Named, ...], found: Answer
) -> dict[ColumnId, Scalar]:
    """The calls of the query that the view makes too."""
    made = {normal(call.value): call.id for call in ours}
    columns: dict[ColumnId, Scalar] = {}
    for call in theirs:
        id = made.get(found.inside(call.value)) if found.has([call.value]) else None
        if id is not None:
            columns[call.id] = column(id)
    return columns
