"""Where the bars of a waterfall stand: each begins and ends as what it stands for. Pure.

Law: every bar lies within 0 and 100 per cent, and the last one that ends does so at 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.studio.job_lines import StageLine

_LEAST_WIDTH = 0.4


@dataclass(frozen=True, slots=True)
class Bar:
    """A stage and its bar, in per cent of the whole width."""

    stage: StageLine
    left: float
    width: float


def waterfall(stages: Sequence[StageLine]) -> list[Bar]:
    """The bars, in the order in which their stages began; stages that began early begin at 0."""
    ends = max((max(stage.after, 0.0) + stage.took for stage in stages), default=0.0)
    if ends <= 0:
        return [Bar(stage, 0.0, 100.0) for stage in stages]
    return [
        _bar(stage, 100 / ends) for stage in sorted(stages, key=lambda one: (one.after, one.id))
    ]


def _bar(stage: StageLine, scale: float) -> Bar:
    left = max(stage.after, 0.0) * scale
    width = max(stage.took * scale, _LEAST_WIDTH)
    left = min(left, 100 - width)
    return Bar(stage, round(left, 3), round(width, 3))
