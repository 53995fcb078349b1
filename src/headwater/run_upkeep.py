"""Upkeep over a session: each task runs as a job, tagged, with the smallest share of the cores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.runtime.open_lake import OpenLake
from headwater.session import Session
from headwater.session_pool import SessionPool
from headwater.upkeep.tasks import Task

TAG = "upkeep"
_POOL = "headwater-upkeep"


@dataclass(slots=True)
class UpkeepSession:
    """The session of upkeep; it has the settings of its task and no others."""

    lake: OpenLake
    tell: Callable[[Task, str], None] = lambda task, message: None
    _pool: SessionPool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = SessionPool(self.lake)

    def run(self, task: Task) -> None:
        """Run a task."""
        with self._pool.session(TAG) as session:
            _dress(session, task)
            result = session.run(task.text)
        self.tell(task, result.message or "done")

    def cancel(self) -> None:
        """Cancel the task that runs now."""
        self._pool.cancel()

    def close(self) -> None:
        """Give the session back."""
        self._pool.close()


def _dress(session: Session, task: Task) -> None:
    """Make a session the task's."""
    state = session.state
    session.pool = _POOL
    state.only_at = task.only_at
    for key in [key for key in state.settings if key not in task.settings]:
        del state.settings[key]
    state.settings.update(task.settings, query_tag=TAG)
    if state.spark_started:
        spark = state.spark()
        for key, value in task.settings.items():
            if key.startswith("spark."):
                spark.set(key, value)
