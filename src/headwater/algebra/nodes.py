"""The relational tree of a SELECT: small frozen nodes over columns that need no table in front.

Invariant: a column has an id, `name#number`, that no other node of the tree gives out, and the ids
of a node's inputs are disjoint; so an expression names columns by id alone. Expressions are
sqlglot's, and are never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

Scalar = exp.Expression
ColumnId = str

WEIGHT: ColumnId = "#weight"
"""In a change: how many copies of a row came (+) or went (-)."""


class Snapshot(StrEnum):
    """Which of the two states of its sources a tree reads."""

    OLD = "OLD"
    NEW = "NEW"


class JoinKind(StrEnum):
    """RIGHT is a LEFT with its sides exchanged, CROSS an INNER without a condition.

    SEMI and ANTI give the left side's rows that have, or do not have, a match: columns of the left.
    """

    INNER = "INNER"
    LEFT = "LEFT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


@dataclass(frozen=True, slots=True)
class Named:
    """An expression and the id of the column it makes."""

    id: ColumnId
    value: Scalar


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a source under the id it has in the tree."""

    id: ColumnId
    name: str


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a source: `source` is the id of a table, `name` what users call it."""

    source: str
    name: str
    fields: tuple[Field, ...]
    at: Snapshot = Snapshot.NEW


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in a source between the two snapshots, with WEIGHT behind its columns."""

    source: str
    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows that the dynamic table holds now, or with `state` those of a state it keeps."""

    fields: tuple[Field, ...]
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """The rows of a part that is computed once and read in several places."""

    part: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Values:
    """Literal rows; none at all is the empty relation."""

    ids: tuple[ColumnId, ...]
    rows: tuple[tuple[Scalar, ...], ...]


@dataclass(frozen=True, slots=True)
class Project:
    """One row for each row."""

    input: Node
    outputs: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which `condition` is true, not false or NULL."""

    input: Node
    condition: Scalar


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows for which `condition` is true; None is true for all."""

    kind: JoinKind
    left: Node
    right: Node
    condition: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row for each distinct tuple of `keys`; NULL keys are equal.

    Keys are columns of the input and keep their ids; each call is one aggregate function. Without
    keys there is exactly one row, also for no input. DISTINCT has keys and no calls.
    """

    input: Node
    keys: tuple[ColumnId, ...]
    calls: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Each row with window functions over the rows of equal `partition`; each is an exp.Window.

    Every call's own PARTITION BY is exactly `partition`. Empty: all rows are one partition.
    """

    input: Node
    partition: tuple[ColumnId, ...]
    calls: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """UNION ALL: the rows of every branch, columns matched by position."""

    branches: tuple[Node, ...]
    ids: tuple[ColumnId, ...]


@dataclass(frozen=True, slots=True)
class Generate:
    """Each row with every row that a generator such as explode makes of it.

    With `outer` a row for which there is none stays, with NULLs.
    """

    input: Node
    generator: Scalar
    ids: tuple[ColumnId, ...]
    outer: bool = False


@dataclass(frozen=True, slots=True)
class TopK:
    """The first `limit` rows behind `offset` in an order; each of `order` is an exp.Ordered."""

    input: Node
    order: tuple[Scalar, ...]
    limit: Scalar | None
    offset: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Opaque:
    """A query that is not taken apart: its text in pieces, each number a scan of `scans`.

    Between the pieces stand whole relations, so the text reads the scans under their own names.
    """

    pieces: tuple[str | int, ...]
    scans: tuple[Scan, ...]
    ids: tuple[ColumnId, ...]


@dataclass(frozen=True, slots=True)
class Net:
    """A change with equal rows summed up to one, and those of weight 0 left out."""

    input: Node


Leaf = Scan | Changes | Stored | Shared | Values | Opaque
Node = Leaf | Project | Filter | Join | Aggregate | Window | Union | Generate | TopK | Net


@dataclass(frozen=True, slots=True)
class Query:
    """A whole SELECT: its tree, and the names users gave to the columns of its root, in order."""

    tree: Node
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnType:
    """Spark's short text for a type, such as `decimal(10,2)`, and whether NULL can occur."""

    type: str
    nullable: bool = True


Types = Mapping[ColumnId, ColumnType]
"""Of every column of a tree; asked of Spark, since ids are unique."""


def column(id: ColumnId) -> Scalar:
    """The expression for a column."""
    return exp.Column(this=exp.Identifier(this=id, quoted=True))


def columns_of(node: Node) -> tuple[ColumnId, ...]:
    """The ids of the columns a node gives, in order."""
    match node:
        case Scan(fields=fields) | Stored(fields=fields) | Shared(fields=fields):
            return tuple(field.id for field in fields)
        case Changes(fields=fields):
            return (*(field.id for field in fields), WEIGHT)
        case Values(ids=ids) | Union(ids=ids) | Opaque(ids=ids):
            return ids
        case Project(outputs=outputs):
            return tuple(named.id for named in outputs)
        case Filter(input=inner) | TopK(input=inner) | Net(input=inner):
            return columns_of(inner)
        case Join(kind=JoinKind.SEMI | JoinKind.ANTI, left=left):
            return columns_of(left)
        case Join(left=left, right=right):
            return columns_of(left) + columns_of(right)
        case Aggregate(keys=keys, calls=calls):
            return (*keys, *(named.id for named in calls))
        case Window(input=inner, calls=calls):
            return (*columns_of(inner), *(named.id for named in calls))
        case Generate(input=inner, ids=ids):
            return (*columns_of(inner), *ids)


def inputs_of(node: Node) -> tuple[Node, ...]:
    """The nodes a node reads."""
    match node:
        case Join(left=left, right=right):
            return (left, right)
        case Union(branches=branches):
            return branches
        case Opaque(scans=scans):
            return scans
        case Project() | Filter() | Aggregate() | Window() | Generate() | TopK() | Net():
            return (node.input,)
        case _:
            return ()
