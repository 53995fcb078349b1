"""Who may run on a virtual cluster now: a pure rule over its queue.

Law: no more jobs run than the limit; of two that wait and could run, the one that came first runs
first; a cluster that is suspended starts nothing, and is resumed only when nothing runs on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Request:
    """A job that wants to run. Of its `group` no more than `share` run at once."""

    job: str
    group: str = ""
    share: int | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What a cluster allows at a moment."""

    limit: int
    suspended: bool = False
    auto_resume: bool = True


@dataclass(frozen=True, slots=True)
class Started:
    """A job that runs, and since when."""

    request: Request
    since: float


@dataclass(frozen=True, slots=True)
class Queue:
    """The jobs of one cluster; those that wait stand in the order they came."""

    running: tuple[Started, ...] = ()
    waiting: tuple[Request, ...] = ()

    def runs(self, job: str) -> bool:
        """Whether a job runs."""
        return any(started.request.job == job for started in self.running)

    def waits(self, job: str) -> bool:
        """Whether a job waits."""
        return any(request.job == job for request in self.waiting)

    def with_request(self, request: Request) -> Queue:
        """The queue with one more at its end."""
        return replace(self, waiting=(*self.waiting, request))

    def without(self, job: str) -> Queue:
        """The queue without a job, whether it ran or waited."""
        running = tuple(started for started in self.running if started.request.job != job)
        waiting = tuple(request for request in self.waiting if request.job != job)
        return Queue(running, waiting)

    def overdue(self, *, seconds: float, at: float) -> tuple[str, ...]:
        """The jobs that have run for longer than allowed."""
        return tuple(s.request.job for s in self.running if at - s.since > seconds)


@dataclass(frozen=True, slots=True)
class Admission:
    """The queue after a look at it; `refused` found a cluster that does not resume by itself."""

    queue: Queue
    refused: tuple[Request, ...] = ()
    resumed: bool = False


def admit(queue: Queue, rules: Rules, *, at: float) -> Admission:
    """Start what may start now."""
    if not queue.waiting:
        return Admission(queue)
    if rules.suspended and queue.running:
        return Admission(queue)
    if rules.suspended and not rules.auto_resume:
        return Admission(replace(queue, waiting=()), refused=queue.waiting)
    running, left = list(queue.running), []
    for request in queue.waiting:
        if len(running) < rules.limit and _has_share(request, running):
            running.append(Started(request, at))
        else:
            left.append(request)
    return Admission(Queue(tuple(running), tuple(left)), resumed=rules.suspended)


def _has_share(request: Request, running: list[Started]) -> bool:
    if request.share is None:
        return True
    return sum(s.request.group == request.group for s in running) < request.share
