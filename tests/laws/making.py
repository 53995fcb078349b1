"""Made-up trees, tables and changes, small enough that a case takes a millisecond.

All randomness comes from hypothesis, which prints how to repeat a failure and makes it small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnType,
    Field,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    Node,
    Opaque,
    Project,
    Scalar,
    Scan,
    TopK,
    Union,
    Values,
    Window,
    column,
    columns_of,
)
from headwater.incremental.deltas import Change
from tests.laws.engine import Bag, Rows

NAMES = ("a", "b", "c")
"""The columns of every table; `c` is never NULL."""


_VALUES = (None, 0, 1, 2)


def number(value: int) -> Scalar:
    """A literal."""
    return exp.Literal.number(value)


class Tables:
    """Tables and what happens to them, batch after batch."""

    def __init__(self, random: Random, kinds: dict[str, Change]) -> None:
        self._random = random
        self._kinds = kinds
        self.rows = {source: Rows(NAMES, self._bag(4)) for source in kinds}

    def change(self) -> dict[str, Rows]:
        """Move on to the next state; what changed in each table."""
        changes = {}
        for source, kind in self._kinds.items():
            before = self.rows[source].bag
            change = self._change(kind, before)
            after = Counter(before)
            for row, times in change.items():
                after[row[:-1]] += row[-1] * times
            assert min(after.values(), default=0) >= 0
            self.rows = {**self.rows, source: Rows(NAMES, +after)}
            changes[source] = Rows((*NAMES, "#weight"), change)
        return changes

    def _change(self, kind: Change, before: Bag) -> Bag:
        """Rows with weights; those of ANY change may cancel, or come as one of several copies."""
        if kind is Change.NONE:
            return Counter()
        came = self._bag(3)
        if kind is Change.INSERTS:
            return Counter({(*row, 1): times for row, times in came.items()})
        went = [row for row in before.elements() if self._random.randrange(3) == 0]
        change: Bag = Counter()
        for row, times in came.items():
            change[(*row, times)] += 1
        for row in went:
            change[(*row, -1)] += 1
        if self._random.randrange(3) == 0:
            for row in self._bag(2):
                change[(*row, 1)] += 1
                change[(*row, -1)] += 1
        return change

    def _bag(self, most: int) -> Bag:
        return Counter(self._row() for _ in range(self._random.randrange(most + 1)))

    def _row(self) -> tuple[int | None, ...]:
        drawn = self._random.randrange(32)
        return _VALUES[drawn % 4], _VALUES[drawn // 4 % 4], drawn // 16


class Trees:
    """Made-up trees, and the types of their columns."""

    def __init__(self, random: Random, sources: Sequence[str], *, dated: bool = False) -> None:
        self._random = random
        self._sources = tuple(sources)
        self._numbers = 0
        self._dated = dated
        self.types: dict[str, ColumnType] = {}

    # -- nodes

    def scan(self) -> Node:
        """A table, often not all of its columns."""
        source = self._random.choice(self._sources)
        names = NAMES if self._random.randrange(2) else self._random.choice((("a", "c"), NAMES[:2]))
        fields = tuple(Field(self._fresh(name, nullable=name != "c"), name) for name in names)
        return Scan(source, source, fields)

    def project(self, inner: Node) -> Node:
        """One to three columns."""
        outputs = [
            Named(self._fresh("p"), self.scalar(columns_of(inner)))
            for _ in range(1 + self._random.randrange(3))
        ]
        return Project(inner, tuple(outputs))

    def renamed(self, inner: Node) -> Node:
        """All columns, or all but one, in another order and under other ids."""
        ids = list(columns_of(inner))
        self._random.shuffle(ids)
        left = ids[1:] if len(ids) > 1 and self._random.randrange(3) == 0 else ids
        return Project(inner, tuple(Named(self._fresh("n"), column(id)) for id in left))

    def filter(self, inner: Node) -> Node:
        """Any condition."""
        return Filter(inner, self.condition(columns_of(inner)))

    def union(self, *branches: Node) -> Node:
        """As many columns of each as the narrowest has."""
        width = min(len(columns_of(branch)) for branch in branches)
        narrow = tuple(
            branch
            if len(columns_of(branch)) == width
            else Project(
                branch,
                tuple(Named(self._fresh("u"), column(id)) for id in columns_of(branch)[:width]),
            )
            for branch in branches
        )
        return Union(narrow, tuple(self._fresh("u") for _ in range(width)))

    def join(self, kind: JoinKind, left: Node, right: Node) -> Node:
        """Mostly by an equality, perhaps with more, or by anything."""
        ours, theirs = columns_of(left), columns_of(right)
        pick = self._random.choice
        equal: Scalar = exp.EQ(this=column(pick(ours)), expression=column(pick(theirs)))
        choice = self._random.randrange(6)
        if choice == 0:
            return Join(kind, left, right, self.condition((*ours, *theirs)))
        if choice == 1 and kind is JoinKind.INNER:
            return Join(kind, left, right, None)
        if choice == 2:
            equal = exp.And(this=equal, expression=self.comparison((*ours, *theirs)))
        return Join(kind, left, right, equal)

    def aggregate(self, inner: Node, *, keys: int | None = None) -> Node:
        """DISTINCT, GROUP BY, or without keys."""
        ids = columns_of(inner)
        count = self._random.randrange(3) if keys is None else keys
        chosen = tuple(id for id in ids if self._random.randrange(2))[:count]
        least = 0 if chosen else 1
        calls = [self._call(ids) for _ in range(max(least, self._random.randrange(4)))]
        return Aggregate(inner, chosen, tuple(calls))

    def window(self, inner: Node) -> Node:
        """One or two functions over zero to two columns of partition."""
        ids = columns_of(inner)
        partition = tuple(id for id in ids if self._random.randrange(2))[:2]
        calls = [self._window_call(ids, partition) for _ in range(1 + self._random.randrange(2))]
        return Window(inner, partition, tuple(calls))

    def top_rows(self, inner: Node) -> Node:
        """The first rows of each partition."""
        ids = columns_of(inner)
        partition = tuple(id for id in ids if self._random.randrange(2))[:2]
        function = self._random.choice((exp.RowNumber, exp.RowNumber, exp.Rank, exp.DenseRank))
        call = Named(self._fresh("r"), self._over(function(), ids, partition, ordered=True))
        first, limit = column(call.id), number(1 + self._random.randrange(2))
        compare = self._random.choice((exp.EQ, exp.LTE, exp.LT))
        condition: Scalar = compare(this=first, expression=limit)
        if self._random.randrange(4) == 0:
            condition = exp.And(this=condition, expression=self.comparison(ids))
        return Filter(Window(inner, partition, (call,)), condition)

    def generate(self, inner: Node) -> Node:
        """Each row once for each of up to two values."""
        items = [self.scalar(columns_of(inner)) for _ in range(self._random.randrange(3))]
        outer = bool(self._random.randrange(2))
        return Generate(
            inner, exp.Explode(this=exp.Array(expressions=items)), (self._fresh("g"),), outer
        )

    def top_k(self, inner: Node) -> Node:
        """The first one or two, perhaps behind another."""
        offset = number(1) if self._random.randrange(3) == 0 else None
        order = (self._ordered(columns_of(inner)),)
        return TopK(inner, order, number(1 + self._random.randrange(2)), offset)

    def values(self) -> Node:
        """Up to two literal rows of two columns."""
        ids = (self._fresh("v"), self._fresh("v"))
        rows = [(self.literal(), self.literal()) for _ in range(self._random.randrange(3))]
        return Values(ids, tuple(rows))

    def opaque(self) -> Node:
        """A query in its own text."""
        scan = self.scan()
        assert isinstance(scan, Scan)
        text = "SELECT CURRENT_DATE, .. FROM " if self._dated else "SELECT .. FROM "
        return Opaque((text, 0), (scan,), (self._fresh("o"), self._fresh("o")))

    # -- expressions

    def literal(self) -> Scalar:
        """NULL, the date, or a small number."""
        if self._dated and self._random.randrange(2):
            return exp.CurrentDate()
        if self._random.randrange(5) == 0:
            return exp.null()
        return number(self._random.randrange(3))

    def scalar(self, ids: Sequence[str]) -> Scalar:
        """A number made of columns."""
        choice = self._random.randrange(8)
        pick = column(self._random.choice(ids))
        match choice:
            case 0:
                return self.literal()
            case 1:
                return exp.Add(this=pick, expression=column(self._random.choice(ids)))
            case 2:
                return exp.Coalesce(this=pick, expressions=[self.literal()])
            case 3:
                when = exp.If(this=self.condition(ids), true=pick)
                return exp.Case(ifs=[when], default=self.literal())
            case _:
                return pick

    def comparison(self, ids: Sequence[str]) -> Scalar:
        """Two things compared."""
        kinds = (exp.EQ, exp.NEQ, exp.LT, exp.GTE, exp.NullSafeEQ)
        right = self.literal() if self._random.randrange(2) else column(self._random.choice(ids))
        return self._random.choice(kinds)(this=column(self._random.choice(ids)), expression=right)

    def condition(self, ids: Sequence[str]) -> Scalar:
        """Comparisons under AND, OR, NOT, IS NULL."""
        first = self.comparison(ids)
        match self._random.randrange(8):
            case 0:
                return exp.And(this=first, expression=self.comparison(ids))
            case 1:
                return exp.Or(this=first, expression=self.comparison(ids))
            case 2:
                return exp.Not(this=exp.Paren(this=first))
            case 3:
                return exp.Is(this=column(self._random.choice(ids)), expression=exp.null())
            case _:
                return first

    def _call(self, ids: Sequence[str]) -> Named:
        item = self.scalar(ids)
        condition = self.comparison(ids)
        calls: tuple[Scalar, ...] = (
            exp.Count(this=exp.Star()),
            exp.Count(this=item),
            exp.Sum(this=item),
            exp.Sum(this=column(self._random.choice(ids))),
            exp.Min(this=item),
            exp.Max(this=item),
            exp.Avg(this=item),
            exp.Count(this=exp.Distinct(expressions=[item])),
            exp.ArrayAgg(this=item),
            exp.CountIf(this=condition),
            exp.LogicalAnd(this=condition),
            exp.BitwiseXorAgg(this=item),
            exp.Filter(this=exp.Sum(this=item), expression=exp.Where(this=condition)),
            exp.Filter(this=exp.Count(this=item), expression=exp.Where(this=condition)),
        )
        call = self._random.choice(calls)
        # A sum of floating-point numbers is not merged; the numbers here are exact all the same.
        type = self._random.choice(("bigint", "bigint", "bigint", "decimal(20,2)", "double"))
        return Named(self._fresh("f", type=type), call)

    def _window_call(self, ids: Sequence[str], partition: Sequence[str]) -> Named:
        item = column(self._random.choice(ids))
        functions = (exp.RowNumber(), exp.Rank(), exp.Sum(this=item), exp.Count(this=exp.Star()))
        function = self._random.choice(functions)
        ordered = isinstance(function, exp.RowNumber | exp.Rank) or bool(self._random.randrange(2))
        return Named(self._fresh("w"), self._over(function, ids, partition, ordered=ordered))

    def _over(
        self, function: Scalar, ids: Sequence[str], partition: Sequence[str], *, ordered: bool
    ) -> Scalar:
        order = exp.Order(expressions=[self._ordered(ids)]) if ordered else None
        by = [column(id) for id in partition]
        return exp.Window(this=function, partition_by=by, order=order)

    def _ordered(self, ids: Sequence[str]) -> Scalar:
        falling = bool(self._random.randrange(2))
        return exp.Ordered(this=column(self._random.choice(ids)), desc=falling)

    def _fresh(self, name: str, *, nullable: bool = True, type: str = "bigint") -> str:
        self._numbers += 1
        id = f"{name}#{self._numbers}"
        self.types[id] = ColumnType(type, nullable)
        return id
