"""A tree as an indented outline: one line for each node, inputs below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater.algebra.nodes import (
    Aggregate,
    Changes,
    ColumnId,
    Field,
    Filter,
    Generate,
    Join,
    Named,
    Net,
    Node,
    Opaque,
    Project,
    Scalar,
    Scan,
    Shared,
    Snapshot,
    Stored,
    TopK,
    Union,
    Values,
    Window,
    inputs_of,
)
from headwater.algebra.render import text_of


def outline(node: Node) -> str:
    """The tree, two spaces further in for each level."""
    return "\n".join(_lines(node, 0))


def _lines(node: Node, depth: int) -> Iterator[str]:
    yield "  " * depth + line_of(node)
    for inner in inputs_of(node):
        yield from _lines(inner, depth + 1)


def line_of(node: Node) -> str:
    """A node alone, without its inputs."""
    match node:
        case Scan(name=name, fields=fields, at=at):
            old = " old" if at is Snapshot.OLD else ""
            return f"Scan {name}{old} [{_fields(fields)}]"
        case Changes(name=name, fields=fields):
            return f"Changes {name} [{_fields(fields)}]"
        case Stored(fields=fields, state=state):
            return f"Stored {state or ''} [{_fields(fields)}]".replace("  ", " ")
        case Shared(part=part, fields=fields):
            return f"Shared {part} [{_fields(fields)}]"
        case Values(ids=ids, rows=rows):
            return f"Values [{', '.join(ids)}] {len(rows)} rows"
        case Opaque(ids=ids):
            return f"Opaque [{', '.join(ids)}]"
        case Project(outputs=outputs):
            return f"Project [{_named(outputs)}]"
        case Filter(condition=condition):
            return f"Filter {_text(condition)}"
        case Join(kind=kind, condition=condition):
            return f"Join {kind}" + ("" if condition is None else f" {_text(condition)}")
        case Aggregate(keys=keys, calls=calls):
            return f"Aggregate by [{', '.join(keys)}]" + (f" [{_named(calls)}]" if calls else "")
        case Window(partition=partition, calls=calls):
            return f"Window by [{', '.join(partition)}] [{_named(calls)}]"
        case Union(ids=ids):
            return f"Union [{', '.join(ids)}]"
        case Generate(generator=generator, ids=ids, outer=outer):
            return f"Generate{' outer' if outer else ''} {_text(generator)} [{', '.join(ids)}]"
        case TopK(order=order, limit=limit, offset=offset):
            return "TopK" + _top(order, limit, offset)
        case Net():
            return "Net"


def _fields(fields: Iterable[Field]) -> str:
    return ", ".join(field.id for field in fields)


def _named(items: Iterable[Named]) -> str:
    return ", ".join(_item(item.id, item.value) for item in items)


def _item(id: ColumnId, value: Scalar) -> str:
    text = _text(value)
    return id if text == id else f"{id} = {text}"


def _top(order: tuple[Scalar, ...], limit: Scalar | None, offset: Scalar | None) -> str:
    by = f" by [{', '.join(map(_text, order))}]" if order else ""
    first = "" if limit is None else f" limit {_text(limit)}"
    return by + first + ("" if offset is None else f" offset {_text(offset)}")


def _text(scalar: Scalar) -> str:
    return text_of(scalar).replace("`", "")
