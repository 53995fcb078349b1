"""Who waits for whom: between tasks, and between their instances by overlapping periods. Pure.

Law: an instance waits for every instance of an upstream task whose period overlaps its own. Of the
same cycle that is one, of a shorter one all inside, of a longer one the one around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from headwater.catalog.tasks import Task
from headwater.names import QualifiedName
from headwater.sql.task_cycle import Cycle, CycleUnit
from headwater.tasks.times import period_of, times_between

_INSTANT = timedelta(microseconds=1)
_DAY = timedelta(days=1)
After = Mapping[QualifiedName, Sequence[QualifiedName]]


@lru_cache(maxsize=4096)
def overlapping(cycle: Cycle, upstream: Cycle, plan_at: datetime) -> tuple[datetime, ...]:
    """The plan times of `upstream` that an instance of `cycle` waits for."""
    start, end = period_of(cycle, plan_at)
    # The period of an upstream instance may begin before, and its plan time be anywhere in it.
    reach = _DAY if upstream.unit is not CycleUnit.MINUTE else timedelta(hours=1)
    around = times_between(upstream, start - reach - _INSTANT, end + reach)
    return tuple(m for m in around if _overlap(period_of(upstream, m), (start, end)))


def _overlap(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def find_circle(after: After) -> list[QualifiedName] | None:
    """Tasks that wait for each other in a circle, the first one again at the end; None if none."""
    done = set[QualifiedName]()
    for start in after:
        path = list[QualifiedName]()
        circle = _walk(start, after, path, done)
        if circle is not None:
            return circle
    return None


def _walk(
    start: QualifiedName, after: After, path: list[QualifiedName], done: set[QualifiedName]
) -> list[QualifiedName] | None:
    # A stack of its own: chains of thousands are deeper than Python's.
    stack: list[Iterator[QualifiedName]] = [iter((start,))]
    on_path = set[QualifiedName]()
    while stack:
        name = next(stack[-1], None)
        if name is None:
            stack.pop()
            if path:
                left = path.pop()
                on_path.discard(left)
                done.add(left)
        elif name in on_path:
            return [*path[path.index(name) :], name]
        elif name not in done:
            path.append(name)
            on_path.add(name)
            stack.append(iter(after.get(name, ())))
    return None


def downstream_of(tasks: Iterable[Task], start: QualifiedName) -> list[Task]:
    """The tasks that wait for one, directly or not, those first that others wait for."""
    known = list(tasks)
    found: dict[QualifiedName, Task] = {}
    names, more = {start}, True
    while more:
        more = False
        for task in known:
            if task.name not in names and not names.isdisjoint(task.current.after):
                names.add(task.name)
                found[task.name] = task
                more = True
    return [found[name] for name in in_order({n: t.current.after for n, t in found.items()})]


def in_order(after: After) -> list[QualifiedName]:
    """The tasks, each behind those it waits for; of circles, in the order given."""
    placed: dict[QualifiedName, None] = {}
    left = list(after)
    while left:
        free = [n for n in left if all(a in placed or a not in after for a in after[n])]
        for name in free or left[:1]:
            placed[name] = None
        left = [name for name in left if name not in placed]
    return list(placed)
