"""What a refresh would cost incrementally and in full, in seconds, from what the logs say. Pure.

The figures below were taken on two cores; a table's own history corrects them: what its refreshes
of a kind took, against what they had been expected to take.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.algebra.nodes import (
    Aggregate,
    Changes,
    Join,
    Node,
    Scan,
    Stored,
    TopK,
    Window,
)
from headwater.algebra.walk import nodes_of
from headwater.catalog.dynamic_tables import RefreshKind
from headwater.incremental.plan import DeltaPlan, Outcome
from headwater.refresh.facts import SourceFacts

_FULL_BASE = 0.2
_BASE = 0.3
_NODE = 0.03
"""Of planning: every node of a plan is a sub-query that Spark takes apart and compiles."""
_PART = 0.15
_SEARCH = 0.35
"""Looking for rows that go in a table that is not written anew: three Spark jobs."""
_READ = 1 / 200e6
"""A byte of compressed files, of which most queries read some columns."""
_SHUFFLE = 1 / 100e6
"""A byte that joins, groups or sorts move in full."""
_WRITE = 1 / 20e6
_COMPARED = 6
"""How often a byte is moved that is compared whole, with all columns."""
_SMALL = 4 << 20
_TINY = 256 << 10
_RECENT = 5
_LEAST, _MOST = 0.2, 5.0


@dataclass(frozen=True, slots=True)
class Took:
    """What an earlier refresh was expected to take, and took, in seconds."""

    kind: RefreshKind
    expected: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Costs:
    """Expected seconds of both ways."""

    incremental: float
    full: float
    small: bool = False
    """So little is to be read that neither way can be much slower than the other."""
    overwrites: bool = False
    """Whether the full way writes all rows anew although others follow the table."""

    @property
    def full_is_cheaper(self) -> bool:
        """Whether working everything out anew is expected to be quicker."""
        return not self.small and self.full < self.incremental

    @property
    def words(self) -> str:
        """Both figures, for people."""
        return f"expected {self.full:.1f} s against {self.incremental:.1f} s"


def costs(
    tree: Node,
    plan: DeltaPlan,
    sources: Mapping[str, SourceFacts],
    stored_bytes: int,
    history: Sequence[Took] = (),
    *,
    small: bool = True,
    followed: bool = False,
    loss: float = math.inf,
) -> Costs:
    """What both ways of a refresh are expected to take.

    A table that is `small` is written anew by a change. Of one that is `followed` a full refresh
    writes only what differs from the rows there are, or all of them: then its readers lose so many
    seconds.
    """
    worked_out = _worked_out(tree, sources)
    corrected = _correction(RefreshKind.FULL, history)
    overwritten = (worked_out + stored_bytes * _WRITE) * corrected
    # All rows of then and of now meet; those that went are looked for once more.
    compared = worked_out + _BASE + _SEARCH
    compared += stored_bytes * (2 * _READ + 2 * _COMPARED * _SHUFFLE)
    overwrites = overwritten + loss <= compared * corrected
    full = compared * corrected if followed else overwritten
    return Costs(
        _incremental(plan, sources, stored_bytes, small=small)
        * _correction(RefreshKind.INCREMENTAL, history),
        overwritten + loss if followed and overwrites else full,
        small=_too_small_to_ask(sources),
        overwrites=followed and overwrites,
    )


def _too_small_to_ask(sources: Mapping[str, SourceFacts]) -> bool:
    """Whether so little is read that it does not matter; of what was overwritten it soon does."""
    bytes = sum(source.bytes for source in sources.values())
    # All its rows went, and as many came.
    overwritten = any(source.share > 1 for source in sources.values())
    return bytes < (_TINY if overwritten else _SMALL)


def _worked_out(tree: Node, sources: Mapping[str, SourceFacts]) -> float:
    nodes = list(nodes_of(tree))
    read = sum(_size(node, sources) for node in nodes if isinstance(node, Scan))
    moved = read if any(_moves(node) for node in nodes) else 0
    return _FULL_BASE + _NODE * len(nodes) + read * _READ + moved * _SHUFFLE


def _incremental(
    plan: DeltaPlan, sources: Mapping[str, SourceFacts], stored_bytes: int, *, small: bool
) -> float:
    nodes = [*nodes_of(plan.rows), *(node for part in plan.parts for node in nodes_of(part.node))]
    scanned = sum(_size(node, sources) for node in nodes if isinstance(node, Scan))
    changed = [sources[node.source] for node in nodes if isinstance(node, Changes)]
    stored = stored_bytes if any(isinstance(node, Stored) for node in nodes) else 0
    share = max((source.share for source in sources.values()), default=0.0)
    # What is read besides the change is thinned out by its keys, the more the smaller it is.
    moved = sum(source.share * source.bytes for source in changed)
    moved += (scanned + stored) * min(1.0, 4 * share)
    read = (scanned + stored + sum(source.changed_bytes for source in changed)) * _READ
    written = stored_bytes * min(1.0, 4 * share) * _WRITE
    fixed = _BASE + _NODE * len(nodes) + _PART * len(plan.parts)
    if plan.kind is Outcome.CHANGE and not small:
        fixed += _SEARCH
    return fixed + read + moved * _SHUFFLE + written


def _size(scan: Scan, sources: Mapping[str, SourceFacts]) -> int:
    return sources[scan.source].bytes


def _moves(node: Node) -> bool:
    return isinstance(node, Join | Aggregate | Window | TopK)


def _correction(kind: RefreshKind, history: Sequence[Took]) -> float:
    """How much longer, or shorter, than expected the newest refreshes of a kind took."""
    ratios = [took.seconds / took.expected for took in history if took.kind is kind][:_RECENT]
    return min(_MOST, max(_LEAST, statistics.median(ratios))) if ratios else 1.0
