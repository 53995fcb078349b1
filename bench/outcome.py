"""What a benchmark found: one line per case, with its target and whether it was met."""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.measure import Duel, Samples

_MILLISECONDS = 1000


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: what was measured, against what, and whether the target was met."""

    case: str
    ours: str
    theirs: str
    measured: str
    target: str
    passed: bool

    @property
    def verdict(self) -> str:
        """PASS or FAIL."""
        return "PASS" if self.passed else "FAIL"


@dataclass(frozen=True, slots=True)
class Findings:
    """All outcomes of a benchmark; `notes` are sentences on what the time went into."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = field(default=())


def shown(seconds: float) -> str:
    """A duration in the unit that suits it."""
    if abs(seconds) >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * _MILLISECONDS:.1f} ms"


def more_than_rival(case: str, found: Duel, *, most: float) -> Outcome:
    """The target is a difference: at most so many seconds more than the rival."""
    low, high = found.difference_quartiles
    return Outcome(
        case,
        shown(found.ours.median),
        shown(found.theirs.median),
        f"{shown(found.difference)} more ({shown(low)} to {shown(high)})",
        f"<= {shown(most)} more",
        found.difference <= most,
    )


def times_rival(case: str, found: Duel, *, most: float) -> Outcome:
    """The target is a ratio: at most so many times the rival's time."""
    low, high = found.ratio_quartiles
    return Outcome(
        case,
        shown(found.ours.median),
        shown(found.theirs.median),
        f"{found.ratio:.2f}x ({low:.2f} to {high:.2f})",
        f"<= {most:.2f}x",
        found.ratio <= most,
    )


def below(case: str, found: Samples, *, limit: float, rival: Samples | None = None) -> Outcome:
    """The target is a time; a rival only shows how fast the machine was."""
    low, high = found.quartiles
    return Outcome(
        case,
        shown(found.median),
        "" if rival is None else f"{shown(rival.median)} {rival.name}",
        f"{shown(found.median)} ({shown(low)} to {shown(high)})",
        f"< {shown(limit)}",
        found.median < limit,
    )
