"""A tree once more, with ids of its own, so that both may stand in one tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headwater.algebra.expressions import substituted
from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    Changes,
    ColumnId,
    Field,
    Generate,
    Named,
    Node,
    Opaque,
    Project,
    Scan,
    Shared,
    Stored,
    Union,
    Values,
    Window,
    column,
    columns_of,
)
from headwater.algebra.walk import nodes_of, transform, with_scalars

NewId = Callable[[str], ColumnId]


def fresh_copy(node: Node, new_id: NewId) -> tuple[Node, dict[ColumnId, ColumnId]]:
    """The copy, and what each id of the tree is called in it; `new_id` gets the name in an id."""
    ids = {id: id for id in (WEIGHT,)}
    for inner in nodes_of(node):
        for id in columns_of(inner):
            if id not in ids:
                ids[id] = new_id(id.rpartition("#")[0])
    values = {old: column(new) for old, new in ids.items()}

    def change(inner: Node) -> Node:
        return _renamed(with_scalars(inner, lambda scalar: substituted(scalar, values)), ids)

    return transform(node, change), ids


def _renamed(node: Node, ids: dict[ColumnId, ColumnId]) -> Node:
    def fields(old: tuple[Field, ...]) -> tuple[Field, ...]:
        return tuple(Field(ids[field.id], field.name) for field in old)

    def named(old: tuple[Named, ...]) -> tuple[Named, ...]:
        return tuple(Named(ids[item.id], item.value) for item in old)

    def all_of(old: tuple[ColumnId, ...]) -> tuple[ColumnId, ...]:
        return tuple(ids[id] for id in old)

    match node:
        case Scan() | Changes() | Stored() | Shared():
            return replace(node, fields=fields(node.fields))
        case Values() | Union() | Generate() | Opaque():
            return replace(node, ids=all_of(node.ids))
        case Project():
            return replace(node, outputs=named(node.outputs))
        case Aggregate():
            return replace(node, keys=all_of(node.keys), calls=named(node.calls))
        case Window():
            return replace(node, partition=all_of(node.partition), calls=named(node.calls))
        case _:
            return node
