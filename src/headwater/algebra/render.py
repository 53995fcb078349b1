"""A tree as SQL for Spark: one sub-query for each node, columns under their ids.

No sub-query needs an alias, because ids are unique; Spark's optimizer makes one plan of them all.
"""

from __future__ import annotations

from typing import Protocol

from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    Changes,
    ColumnId,
    Field,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    Net,
    Node,
    Opaque,
    Project,
    Query,
    Scalar,
    Scan,
    Shared,
    Stored,
    TopK,
    Union,
    Values,
    Window,
    columns_of,
)
from headwater.names import quote_identifier
from headwater.sql.dialect import Headwater

_JOINS = {
    JoinKind.INNER: "JOIN",
    JoinKind.LEFT: "LEFT JOIN",
    JoinKind.FULL: "FULL JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
}
_FEW = "`#few`"


class Relations(Protocol):
    """What stands after FROM for the leaves of a tree, and what needs to know types."""

    def scan(self, scan: Scan) -> str:
        """A source at a snapshot, with the columns it has there."""

    def changes(self, changes: Changes) -> str:
        """The changes of a source, its columns under their ids, and WEIGHT behind them."""

    def stored(self, stored: Stored) -> str:
        """The dynamic table itself, or a state of it."""

    def shared(self, shared: Shared) -> str:
        """A part that was computed before."""

    def few(self, join: Join) -> Node | None:
        """The side of a join that is small enough to be sent to all tasks, if Spark must be told.

        Of all but inner joins that can be the right side only.
        """

    def canonical(self, id: ColumnId) -> str:
        """An expression for a column, equal exactly where its values are, that can be grouped by.

        The column itself for most types.
        """

    @property
    def one_task(self) -> bool:
        """Whether so little is read that one task does it all: then no row is moved to another."""


def render_query(query: Query, relations: Relations) -> str:
    """The query with the names users know, to be run by Spark."""
    ids = columns_of(query.tree)
    outputs = ", ".join(
        f"{quote_identifier(id)} AS {quote_identifier(name)}"
        for id, name in zip(ids, query.names, strict=True)
    )
    return f"SELECT {outputs} FROM {_sub(query.tree, relations)}"


def render(node: Node, relations: Relations) -> str:
    """The SELECT of a node, whose columns have their ids for names."""
    match node:
        case Scan(fields=fields):
            return _leaf(fields, relations.scan(node), relations)
        case Stored(fields=fields):
            return _leaf(fields, relations.stored(node), relations)
        case Shared(fields=fields):
            return _leaf(fields, relations.shared(node), relations)
        case Changes():
            return f"SELECT {_together(relations)}* FROM {relations.changes(node)}"
        case Values(ids=ids, rows=rows):
            return _gathered(_values(ids, rows), relations)
        case Opaque():
            return _opaque(node, relations)
        case Project(input=inner, outputs=outputs):
            return f"SELECT {_named(outputs)} FROM {_sub(inner, relations)}"
        case Filter(input=inner, condition=condition):
            return f"SELECT * FROM {_sub(inner, relations)} WHERE {text_of(condition)}"
        case Join():
            return _join(node, relations)
        case Aggregate(input=inner, keys=keys, calls=calls):
            items = [*map(quote_identifier, keys), *([_named(calls)] if calls else [])]
            group = f" GROUP BY {_ids(keys)}" if keys else ""
            return f"SELECT {', '.join(items)} FROM {_sub(inner, relations)}{group}"
        case Window(input=inner, calls=calls):
            return f"SELECT *, {_named(calls)} FROM {_sub(inner, relations)}"
        case Union(branches=branches, ids=ids):
            whole = " UNION ALL ".join(_branch(branch, ids, relations) for branch in branches)
            return _gathered(whole, relations)
        case Generate(input=inner, generator=generator, ids=ids, outer=outer):
            view = f"LATERAL VIEW {'OUTER ' if outer else ''}{text_of(generator)}"
            return f"SELECT * FROM {_sub(inner, relations)} {view} `#generated` AS {_ids(ids)}"
        case TopK():
            return _top(node, relations)
        case Net(input=inner):
            return _net(inner, relations)


def text_of(scalar: Scalar) -> str:
    """An expression as Spark reads it."""
    return scalar.sql(dialect=Headwater)


def _sub(node: Node, relations: Relations) -> str:
    return f"({render(node, relations)})"


def _ids(ids: tuple[ColumnId, ...]) -> str:
    return ", ".join(quote_identifier(id) for id in ids)


def _named(items: tuple[Named, ...]) -> str:
    return ", ".join(f"{text_of(item.value)} AS {quote_identifier(item.id)}" for item in items)


def _together(relations: Relations) -> str:
    return "/*+ COALESCE(1) */ " if relations.one_task else ""


def _gathered(rows: str, relations: Relations) -> str:
    """Rows of several tasks in one, where everything is to be done by one."""
    return f"SELECT {_together(relations)}* FROM ({rows})" if relations.one_task else rows


def _leaf(fields: tuple[Field, ...], relation: str, relations: Relations) -> str:
    # A query that counts rows reads no column at all.
    columns = ", ".join(
        f"{quote_identifier(field.name)} AS {quote_identifier(field.id)}" for field in fields
    )
    return f"SELECT {_together(relations)}{columns or '1 AS `#row`'} FROM {relation}"


def _values(ids: tuple[ColumnId, ...], rows: tuple[tuple[Scalar, ...], ...]) -> str:
    if not rows:
        nothing = ", ".join(f"NULL AS {quote_identifier(id)}" for id in ids)
        return f"SELECT {nothing or '1 AS `#row`'} WHERE false"
    if not ids:
        return " UNION ALL ".join("SELECT 1 AS `#row`" for _ in rows)
    made = ", ".join(f"({', '.join(text_of(value) for value in row)})" for row in rows)
    return f"SELECT * FROM VALUES {made} AS `#values`({_ids(ids)})"


def _opaque(node: Opaque, relations: Relations) -> str:
    text = "".join(
        piece if isinstance(piece, str) else relations.scan(node.scans[piece])
        for piece in node.pieces
    )
    # A comment at the end of the text must not swallow the parenthesis.
    return f"SELECT {_together(relations)}* FROM ({text}\n) AS `#query`({_ids(node.ids)})"


def _join(node: Join, relations: Relations) -> str:
    on = "" if node.condition is None else f" ON {text_of(node.condition)}"
    if node.condition is None and node.kind is not JoinKind.INNER:
        on = " ON true"
    left, right = _sub(node.left, relations), _sub(node.right, relations)
    few = relations.few(node)
    if few is None:
        return f"SELECT * FROM {left} {_JOINS[node.kind]} {right}{on}"
    if few is node.left:
        left += f" AS {_FEW}"
    else:
        right += f" AS {_FEW}"
    return f"SELECT /*+ BROADCAST({_FEW}) */ * FROM {left} {_JOINS[node.kind]} {right}{on}"


def _branch(branch: Node, ids: tuple[ColumnId, ...], relations: Relations) -> str:
    pairs = zip(columns_of(branch), ids, strict=True)
    outputs = ", ".join(f"{quote_identifier(a)} AS {quote_identifier(b)}" for a, b in pairs)
    return f"SELECT {outputs or '1 AS `#row`'} FROM {_sub(branch, relations)}"


def _top(node: TopK, relations: Relations) -> str:
    parts = [f"SELECT * FROM {_sub(node.input, relations)}"]
    if node.order:
        parts.append("ORDER BY " + ", ".join(text_of(value) for value in node.order))
    if node.limit is not None:
        parts.append(f"LIMIT {text_of(node.limit)}")
    if node.offset is not None:
        parts.append(f"OFFSET {text_of(node.offset)}")
    return " ".join(parts)


def _net(inner: Node, relations: Relations) -> str:
    """Values are shown as they are, and grouped by a form of them that Spark can group by."""
    ids = tuple(id for id in columns_of(inner) if id != WEIGHT)
    keys = {id: relations.canonical(id) for id in ids}
    outputs = [
        quote_identifier(id)
        if keys[id] == quote_identifier(id)
        else f"any_value({quote_identifier(id)}) AS {quote_identifier(id)}"
        for id in ids
    ]
    weight = quote_identifier(WEIGHT)
    group = f" GROUP BY {', '.join(keys.values())}" if ids else ""
    return (
        f"SELECT {', '.join([*outputs, f'sum({weight}) AS {weight}'])}"
        f" FROM {_sub(inner, relations)}{group} HAVING sum({weight}) <> 0"
    )
