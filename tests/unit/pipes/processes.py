"""Processes of a lake that can be killed, all inside the process of the test.

Each has its own open lake. Killed, it never reaches its catalog again: the code behind the place
where it died may run, as far as it is in `finally` and `except`, and changes nothing. The clock and
the failpoints are the test's; Spark is the fake of `fake_spark`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from tests.unit.pipes.fake_spark import FakeSpark, Insert

from headwater.catalog.lease_rules import Instance
from headwater.catalog.pipes import Pipe
from headwater.config import load_config
from headwater.pipes.steps import Outcome, Stepper
from headwater.run_pipes import PipeSessions, pipe_loop
from headwater.runtime import clock, failpoints, open_lake, writer
from headwater.runtime.lake_folder import LakeFolder
from headwater.tables import recovery


class Killed(BaseException):
    """The process is dead."""


@dataclass(slots=True)
class World:
    """What all processes share: time, failpoints, and who lives."""

    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    offset: timedelta = timedelta()
    living: dict[str, Process] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    """Those that sleep: they live, and are taken for dead, as on another host."""
    current: Process | None = None
    dies_at: Callable[[str], bool] = lambda name: False
    reached: list[str] = field(default_factory=list)

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> World:
        """Let the processes of this test live in this world."""
        world = self

        def is_the_place(name: str) -> bool:
            world.reached.append(name)
            return world.dies_at(name)

        def kill() -> None:
            assert world.current is not None
            world.current.kill()
            raise Killed

        def alive(instance: Instance) -> bool:
            return instance.id in world.living.keys() - world.silent

        def wall(zone: Any) -> datetime:
            return datetime.now(zone) + world.offset

        monkeypatch.setattr(failpoints, "is_the_place", is_the_place)
        monkeypatch.setattr(failpoints, "end_here", kill)
        monkeypatch.setattr(clock, "datetime", types.SimpleNamespace(now=wall))
        monkeypatch.setattr(writer, "is_alive", alive)
        monkeypatch.setattr(recovery, "is_alive", alive)
        # Beats would come at times that no seed repeats.
        monkeypatch.setattr(writer.Heartbeat, "start", lambda self: None)
        return world

    def start(self) -> Process:
        """A new process."""
        before, open_lake._open = open_lake._open, {}
        try:
            process = Process(self)
        finally:
            open_lake._open = before
        self.living[process.lake.instance.id] = process
        return process

    def fall_asleep(self) -> None:
        """The process that runs stands still until its lease is over and it is taken for dead."""
        assert self.current is not None
        self.offset += timedelta(seconds=61)
        self.silent.add(self.current.lake.instance.id)

    def close(self) -> None:
        """End all that still live."""
        for process in list(self.living.values()):
            process.leave()


class Process:
    """One process with its open lake."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.dead = False
        config = load_config(world.folder, user="tester", time_zone="UTC", **world.settings)
        self.lake = open_lake.OpenLake(LakeFolder(world.folder), config)
        self.spark = FakeSpark(Insert.commit)
        self.spark.of(self.lake)
        self._open_lakes = {world.folder: (self.lake, 1)}
        self.sessions = PipeSessions(self.lake)
        self._steppers: dict[str, Stepper] = {}
        engine = self.lake.store._database._engine
        event.listen(engine, "before_cursor_execute", self._require_life)

    def _require_life(self, *about: Any) -> None:
        if self.dead:
            raise Killed

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Inside, this is the process that runs."""
        before = self.world.current, open_lake._open
        self.world.current, open_lake._open = self, self._open_lakes
        try:
            yield
        finally:
            self.world.current, open_lake._open = before

    def recover(self) -> None:
        """What a process does when it gets the lake; LAKE_LOCKED when it does not."""
        with self.turn():
            pipe_loop(self.lake, self.sessions)._hold_lake()
            self.lake.flush_background()

    def step(self, pipe: Pipe) -> Outcome:
        """One step of a pipe; Killed when the process died of it."""
        stepper = self._steppers.setdefault(
            pipe.id, Stepper(self.lake, pipe.id, self.sessions.run, patience=0)
        )
        with self.turn():
            return stepper.step()

    def kill(self) -> None:
        """From now on it does nothing any more."""
        self.dead = True
        self.world.living.pop(self.lake.instance.id, None)

    def leave(self) -> None:
        """End it in good order."""
        self.world.living.pop(self.lake.instance.id, None)
        with self.turn(), suppress(Killed):
            self.sessions.close()
            self.lake.close()
        assert not self.lake.engine.started
