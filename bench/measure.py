"""Measuring contenders in turn: A B A B, so that a noisy moment of the machine hits both.

Everything said about a measurement comes from medians, and spreads are quartiles, because the mean
of a shared machine says more about its neighbours than about the program.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FEWEST_ROUNDS = 3
_FIRST_QUARTER, _LAST_QUARTER = 0, -1


def _nothing() -> None:
    """A contender that leaves no work behind has nothing to wait for."""


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to be timed; `settle` runs untimed afterwards, so that A leaves nothing to B."""

    name: str
    run: Callable[[], object]
    settle: Callable[[], object] = _nothing


@dataclass(frozen=True, slots=True)
class Samples:
    """How long a contender took, round by round."""

    name: str
    seconds: tuple[float, ...]
    own_cpu: tuple[float, ...] = ()
    """CPU seconds of the measuring thread alone: no waiting, so neighbours hardly change them."""

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Half of the rounds lie between these two."""
        return quartiles(self.seconds)


@dataclass(frozen=True, slots=True)
class Duel:
    """Two contenders that took turns."""

    ours: Samples
    theirs: Samples

    @property
    def ratio(self) -> float:
        """The median over rounds of ours divided by theirs.

        Two runs side by side saw the same machine; the medians of a long run may not have.
        """
        return statistics.median(self._ratios)

    @property
    def ratio_quartiles(self) -> tuple[float, float]:
        """Half of the rounds had a ratio between these two."""
        return quartiles(self._ratios)

    @property
    def difference(self) -> float:
        """The median over rounds of ours minus theirs, in seconds."""
        return statistics.median(self._differences)

    @property
    def difference_quartiles(self) -> tuple[float, float]:
        """Half of the rounds had a difference between these two."""
        return quartiles(self._differences)

    @property
    def _pairs(self) -> list[tuple[float, float]]:
        return list(zip(self.ours.seconds, self.theirs.seconds, strict=True))

    @property
    def _ratios(self) -> list[float]:
        return [a / b for a, b in self._pairs]

    @property
    def _differences(self) -> list[float]:
        return [a - b for a, b in self._pairs]


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The first and the third quartile."""
    if len(values) < 2:
        return values[0], values[0]
    cuts = statistics.quantiles(values, n=4, method="inclusive")
    return cuts[_FIRST_QUARTER], cuts[_LAST_QUARTER]


def interleave(
    contenders: Sequence[Contender],
    *,
    rounds: int,
    warm_ups: int = 0,
    most_seconds: float = 60.0,
) -> list[Samples]:
    """Time the contenders in turn; a machine too slow for all rounds does as many as fit."""
    for _ in range(warm_ups):
        for contender in contenders:
            _timed(contender)
    taken: list[list[_Taken]] = [[] for _ in contenders]
    deadline = time.monotonic() + most_seconds
    for done in range(rounds):
        if done >= FEWEST_ROUNDS and time.monotonic() > deadline:
            break
        for contender, times in zip(contenders, taken, strict=True):
            times.append(_timed(contender))
    return [
        Samples(
            contender.name,
            tuple(t.seconds for t in times),
            own_cpu=tuple(t.own_cpu for t in times),
        )
        for contender, times in zip(contenders, taken, strict=True)
    ]


def duel(
    ours: Contender,
    theirs: Contender,
    *,
    rounds: int,
    warm_ups: int = 0,
    most_seconds: float = 60.0,
) -> Duel:
    """Time two contenders in turn."""
    both = interleave([ours, theirs], rounds=rounds, warm_ups=warm_ups, most_seconds=most_seconds)
    return Duel(*both)


@dataclass(frozen=True, slots=True)
class _Taken:
    seconds: float
    own_cpu: float


def _timed(contender: Contender) -> _Taken:
    started, cpu = time.perf_counter(), time.thread_time()
    contender.run()
    taken = _Taken(time.perf_counter() - started, time.thread_time() - cpu)
    contender.settle()
    return taken
