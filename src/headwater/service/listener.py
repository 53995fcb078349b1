"""What the lake's own work says, as events for whoever follows them."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.catalog.pipes import Pipe
from headwater.catalog.schedules import ScheduledTable
from headwater.catalog.tasks import Task as ScheduledTask
from headwater.catalog.tasks import TaskInstance
from headwater.pipes.batches import Batch
from headwater.pipes.loop import Told as PipesTold
from headwater.pipes.open_pipe import OpenPipe
from headwater.schedule.loop import Told as ScheduleTold
from headwater.service.events import Events
from headwater.upkeep.tasks import Task


@dataclass(slots=True)
class EventListener:
    """Publishes batches, refreshes and upkeep; keeps the newest word on who holds the lake."""

    events: Events
    waiting_for: str | None = None

    def show(self, told: PipesTold) -> None:
        """How the pipes stand."""
        self.waiting_for = told.waiting_for

    def loaded(self, pipe: OpenPipe, batch: Batch, message: str) -> None:
        """A batch is done."""
        name = f"{pipe.pipe.schema}.{pipe.pipe.name}"
        self.events.publish("batch", {"pipe": name, "number": batch.number, "message": message})

    def pipe_failed(self, pipe: Pipe) -> None:
        """A pipe failed, and tries again or has stopped."""
        body = {
            "pipe": f"{pipe.schema}.{pipe.name}",
            "status": pipe.status.value,
            "failures": pipe.failures,
            "message": pipe.invalid_reason or pipe.last_error,
        }
        self.events.publish("batch_failed", body)

    def show_schedule(self, told: ScheduleTold) -> None:
        """How the schedule stands; the metrics say it."""

    def refreshed(self, table: ScheduledTable, message: str) -> None:
        """A scheduled refresh is done."""
        self.events.publish("refresh", {"table": str(table.name), "message": message})

    def failed(self, table: ScheduledTable, message: str) -> None:
        """A scheduled refresh failed, or could not be begun."""
        self.events.publish("refresh_failed", {"table": str(table.name), "message": message})

    def task_ended(self, task: ScheduledTask, instance: TaskInstance) -> None:
        """An instance of a task is done, well or not."""
        body = {"task": str(task.name), "instance": instance.id, "state": instance.state.value}
        self.events.publish("task", body)

    def kept_up(self, task: Task, message: str) -> None:
        """A piece of upkeep is done."""
        self.events.publish("upkeep", {"message": message})
