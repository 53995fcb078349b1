"""Trees evaluated on bags in plain Python: it knows what nodes mean, and nothing of deltas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    Changes,
    Field,
    Filter,
    Generate,
    Join,
    JoinKind,
    Net,
    Node,
    Opaque,
    Project,
    Scan,
    Shared,
    Snapshot,
    Stored,
    TopK,
    Union,
    Values,
    Window,
    columns_of,
)
from tests.laws.calls import aggregate_call, order_of, whole, window_call
from tests.laws.scalars import Row, Value, compiled

Bag = Counter[Row]


@dataclass(frozen=True)
class Rows:
    """Rows of a source under the names of its columns."""

    names: tuple[str, ...]
    bag: Bag


@dataclass
class World:
    """What the leaves of a tree stand for.

    `today` is for trees in which no date was put yet; a query's text asks the `clock`.
    """

    new: Mapping[str, Rows]
    old: Mapping[str, Rows] = field(default_factory=dict)
    changes: Mapping[str, Rows] = field(default_factory=dict)
    stored: Rows | None = None
    parts: dict[str, Rows] = field(default_factory=dict)
    states: Mapping[str, Rows] = field(default_factory=dict)
    today: int | None = None
    clock: int = 0


class Engine:
    """Evaluates trees; keeps what it made of their expressions."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def bag(self, node: Node, world: World) -> Bag:
        """The rows of a node, each with how often it is there."""
        match node:
            case Scan(source=source, fields=fields, at=at):
                return _fields((world.new if at is Snapshot.NEW else world.old)[source], fields)
            case Changes(source=source, fields=fields):
                return _fields(world.changes[source], (*fields, Field(WEIGHT, WEIGHT)))
            case Stored(fields=fields, state=state):
                stored = world.stored if state is None else world.states[state]
                assert stored is not None
                return _fields(stored, fields)
            case Shared(part=part, fields=fields):
                return _fields(world.parts[part], fields)
            case Values(rows=rows):
                return Counter(
                    tuple(self._value(value, (), world)(()) for value in row) for row in rows
                )
            case Opaque():
                return self._opaque(node, world)
            case Project(input=inner, outputs=outputs):
                ids = columns_of(inner)
                values = [self._value(named.value, ids, world) for named in outputs]
                return _counted(
                    (tuple(value(row) for value in values), number)
                    for row, number in self.bag(inner, world).items()
                )
            case Filter(input=inner, condition=condition):
                passes = self._value(condition, columns_of(inner), world)
                found = self.bag(inner, world)
                return Counter({row: n for row, n in found.items() if passes(row) is True})
            case Join():
                return self._join(node, world)
            case Aggregate():
                return self._aggregate(node, world)
            case Window():
                return self._window(node, world)
            case Union(branches=branches):
                found = (self.bag(branch, world).items() for branch in branches)
                return _counted(item for items in found for item in items)
            case Generate():
                return self._generate(node, world)
            case TopK():
                return self._top(node, world)
            case Net(input=inner):
                sums: Bag = Counter()
                for row, number in self.bag(inner, world).items():
                    sums[row[:-1]] += row[-1] * number
                return Counter({(*row, weight): 1 for row, weight in sums.items() if weight})

    def _value(self, scalar: exp.Expression, ids: Sequence[str], world: World) -> Value:
        return self._once(compiled, scalar, ids, world)

    def _once(self, make: Any, scalar: exp.Expression, ids: Sequence[str], world: World) -> Any:
        key = (make, id(scalar), tuple(ids), world.today)
        if key not in self._made:
            # The expression is kept with it: its identity is part of the key.
            self._made[key] = (scalar, make(scalar, ids, world.today))
        return self._made[key][1]

    def _join(self, node: Join, world: World) -> Bag:
        left, right = self.bag(node.left, world), self.bag(node.right, world)
        ids = (*columns_of(node.left), *columns_of(node.right))
        assert len(set(ids)) == len(ids), "the ids of two inputs are disjoint"
        condition = exp.true() if node.condition is None else node.condition
        matches = self._value(condition, ids, world)
        pairs = [(a, b) for a in left for b in right if matches(a + b) is True]
        if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
            matched = {a for a, _ in pairs}
            wanted = node.kind is JoinKind.SEMI
            return Counter({a: n for a, n in left.items() if (a in matched) is wanted})
        found = Counter({a + b: left[a] * right[b] for a, b in pairs})
        if node.kind in (JoinKind.LEFT, JoinKind.FULL):
            nulls = (None,) * len(columns_of(node.right))
            matched = {a for a, _ in pairs}
            found.update({a + nulls: n for a, n in left.items() if a not in matched})
        if node.kind is JoinKind.FULL:
            nulls = (None,) * len(columns_of(node.left))
            matched = {b for _, b in pairs}
            found.update({nulls + b: n for b, n in right.items() if b not in matched})
        return found

    def _aggregate(self, node: Aggregate, world: World) -> Bag:
        ids = columns_of(node.input)
        places = [ids.index(key) for key in node.keys]
        groups: dict[Row, list[Row]] = {} if node.keys else {(): []}
        for row in self.bag(node.input, world).elements():
            groups.setdefault(tuple(row[place] for place in places), []).append(row)
        calls = [self._once(aggregate_call, named.value, ids, world) for named in node.calls]
        return Counter((*key, *(call(rows) for call in calls)) for key, rows in groups.items())

    def _window(self, node: Window, world: World) -> Bag:
        ids = columns_of(node.input)
        places = [ids.index(id) for id in node.partition]
        partitions: dict[Row, list[Row]] = {}
        for row in sorted(self.bag(node.input, world).elements(), key=whole):
            partitions.setdefault(tuple(row[place] for place in places), []).append(row)
        calls = [self._once(window_call, named.value, ids, world) for named in node.calls]
        found: Bag = Counter()
        for rows in partitions.values():
            columns = [call(rows) for call in calls]
            found.update((*row, *more) for row, *more in zip(rows, *columns, strict=True))
        return found

    def _generate(self, node: Generate, world: World) -> Bag:
        assert isinstance(node.generator, exp.Explode)
        array = self._value(node.generator.this, columns_of(node.input), world)
        found: Bag = Counter()
        for row, number in self.bag(node.input, world).items():
            made = array(row) or ((None,) if node.outer else ())
            for value in made:
                found[(*row, value)] += number
        return found

    def _top(self, node: TopK, world: World) -> Bag:
        key = order_of(node.order, columns_of(node.input), world.today)
        rows = sorted(self.bag(node.input, world).elements(), key=whole)
        rows.sort(key=key)
        start = int(node.offset.name) if node.offset is not None else 0
        stop = start + int(node.limit.name) if node.limit is not None else None
        return Counter(rows[start:stop])

    def _opaque(self, node: Opaque, world: World) -> Bag:
        """Stands for a query that nobody takes apart: the rows of its scans, counted."""
        found: Bag = Counter()
        text = "".join(piece for piece in node.pieces if isinstance(piece, str))
        if "CURRENT_DATE" in text:
            found[(world.clock, None)] += 1
        for scan in node.scans:
            for row, number in self.bag(scan, world).items():
                found[(row[0], number % 2)] += 1
        return found


def _fields(rows: Rows, fields: Sequence[Field]) -> Bag:
    if tuple(field.name for field in fields) == rows.names:
        return rows.bag
    places = [rows.names.index(field.name) for field in fields]
    return _counted((tuple(row[place] for place in places), n) for row, n in rows.bag.items())


def _counted(items: Iterator[tuple[Row, int]]) -> Bag:
    found: Bag = Counter()
    for row, number in items:
        found[row] += number
    return found
