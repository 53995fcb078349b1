"""Who may run on a cluster: the rule alone, and thousands of random steps of it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from headwater.runtime.admission import Queue, Request, Rules, Started, admit


def queue(*jobs: str, running: tuple[str, ...] = ()) -> Queue:
    started = tuple(Started(Request(job), 0.0) for job in running)
    return Queue(started, tuple(Request(job) for job in jobs))


def running(found: Queue) -> list[str]:
    return [started.request.job for started in found.running]


def test_the_first_that_came_runs_first_up_to_the_limit() -> None:
    done = admit(queue("a", "b", "c", running=("x",)), Rules(limit=3), at=1.0)
    assert running(done.queue) == ["x", "a", "b"]
    assert [request.job for request in done.queue.waiting] == ["c"]


def test_a_smaller_limit_stops_nobody_and_starts_nobody() -> None:
    full = queue("a", running=("x", "y"))
    assert admit(full, Rules(limit=1), at=1.0).queue == full


def test_a_group_that_has_its_share_lets_others_pass() -> None:
    first, second, third = (Request(job, "batches", 1) for job in "abc")
    waiting = Queue((), (first, second, Request("query"), third))
    done = admit(waiting, Rules(limit=9), at=1.0)
    assert running(done.queue) == ["a", "query"]
    assert done.queue.waiting == (second, third)


def test_a_suspended_cluster_is_resumed_when_its_jobs_have_ended() -> None:
    rules = Rules(limit=2, suspended=True)
    draining = queue("a", running=("x",))
    assert admit(draining, rules, at=1.0).queue == draining
    done = admit(draining.without("x"), rules, at=1.0)
    assert done.resumed
    assert running(done.queue) == ["a"]


def test_a_suspended_cluster_without_auto_resume_refuses_those_that_wait() -> None:
    rules = Rules(limit=2, suspended=True, auto_resume=False)
    done = admit(queue("a", "b"), rules, at=1.0)
    assert [request.job for request in done.refused] == ["a", "b"]
    assert done.queue == Queue()
    assert not done.resumed


def test_nothing_resumes_a_cluster_that_nobody_wants() -> None:
    done = admit(Queue(), Rules(limit=2, suspended=True), at=1.0)
    assert not done.resumed


def test_overdue_are_those_that_have_run_too_long() -> None:
    found = Queue((Started(Request("old"), 1.0), Started(Request("new"), 9.0)))
    assert found.overdue(seconds=5.0, at=7.0) == ("old",)
    assert found.overdue(seconds=6.0, at=7.0) == ()


@dataclass(slots=True)
class Simulation:
    """A cluster under random jobs, limits and suspensions, with a clock of its own."""

    chance: random.Random
    queue: Queue = field(default_factory=Queue)
    rules: Rules = field(default_factory=lambda: Rules(limit=3))
    at: float = 0.0
    made: int = 0
    came: dict[str, float] = field(default_factory=dict)
    longest: float = 0.0

    def step(self) -> None:
        self.at += self.chance.random()
        act = self.chance.choices(
            (self.arrive, self.end, self.cancel, self.limit, self.suspend, self.resume),
            (40, 45, 4, 3, 4, 4),
        )[0]
        act()
        self.look()

    def arrive(self) -> None:
        self.made += 1
        batch = self.chance.random() < 0.4
        job = f"job{self.made}"
        request = Request(job, "batches", 2) if batch else Request(job)
        self.came[job] = self.at
        self.queue = self.queue.with_request(request)

    def end(self) -> None:
        if self.queue.running:
            ended = self.chance.choice(self.queue.running)
            self.queue = self.queue.without(ended.request.job)

    def cancel(self) -> None:
        if self.queue.waiting:
            self.queue = self.queue.without(self.chance.choice(self.queue.waiting).job)

    def limit(self) -> None:
        self.rules = Rules(self.chance.randint(1, 6), self.rules.suspended, self.rules.auto_resume)

    def suspend(self) -> None:
        self.rules = Rules(self.rules.limit, True, self.chance.random() < 0.7)

    def resume(self) -> None:
        self.rules = Rules(self.rules.limit, False, self.rules.auto_resume)

    def look(self) -> None:
        before, rules = self.queue, self.rules
        done = admit(before, rules, at=self.at)
        self.queue = done.queue
        self.check(before, rules, refused=[request.job for request in done.refused])
        if done.resumed:
            self.resume()

    def check(self, before: Queue, rules: Rules, *, refused: list[str]) -> None:
        after = self.queue
        started = [s for s in after.running if s not in before.running]
        jobs = [s.request for s in started]
        # the limit, and the shares
        assert not started or len(after.running) <= rules.limit
        assert sum(s.request.group == "batches" for s in after.running) <= 2
        # what ran goes on, and nobody is lost
        assert after.running[: len(before.running)] == before.running
        known = {r.job for r in (*jobs, *after.waiting)} | set(refused)
        assert known == {r.job for r in before.waiting}
        # first come, first served, within a kind
        for one in jobs:
            earlier = before.waiting[: before.waiting.index(one)]
            assert not [r for r in earlier if r in after.waiting and r.group == one.group]
        # suspended: nothing starts beside what runs, nothing at all without AUTO_RESUME
        if rules.suspended and (before.running or not rules.auto_resume):
            assert not started
        # nobody waits beside a free place that would be theirs
        open_now = not rules.suspended or not before.running
        if open_now and len(after.running) < rules.limit:
            assert all(r.group == "batches" for r in after.waiting)
        for s in started:
            self.longest = max(self.longest, self.at - self.came[s.request.job])

    def drain(self) -> None:
        """When no more come, everybody runs in the end."""
        self.rules = Rules(limit=1)
        steps = 0
        while self.queue != Queue():
            self.look()
            self.end()
            steps += 1
            assert steps <= self.made + 1


@pytest.mark.parametrize("seed", range(8))
def test_random_steps_keep_the_law(seed: int) -> None:
    print(f"seed {seed}")
    simulation = Simulation(random.Random(seed))
    for _ in range(3000):
        simulation.step()
    simulation.drain()
    assert simulation.made > 1000
    assert simulation.longest > 0.0
