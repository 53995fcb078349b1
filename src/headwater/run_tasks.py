"""Tasks over sessions: each statement of a script runs as a job of the task's owner.

Invariant: an attempt has a session of its own, so that nothing that one script sets is seen by the
next.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from headwater.catalog.tasks import TaskDefinition, TaskKind
from headwater.errors import HeadwaterError
from headwater.names import ObjectName
from headwater.result import Result
from headwater.run_python import CA_FILE, LAKE, TOKEN, run_python
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.session import Session
from headwater.sql.dynamic_tables import RefreshDynamicTable
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.sql.split import split
from headwater.statements.owner_rights import owner_identity
from headwater.tasks.attempt import Attempt
from headwater.tasks.open_script import opened_script
from headwater.tasks.parameters import filled, values_of

INSTANCE = "task_instance"
"""The setting by which a job tells its instance."""
_DEFAULT_CLUSTER = "DEFAULT"
_LOOKED_AT = 200


@dataclass(slots=True)
class TaskRunner:
    """Runs attempts, from any thread."""

    lake: OpenLake

    def run(self, attempt: Attempt) -> None:
        """Run an attempt to its end; raises what goes wrong."""
        instance, definition = attempt.instance, attempt.definition
        attempt.say(f"attempt {instance.attempt}, plan time {instance.plan_at:%Y-%m-%d %H:%M} UTC")
        if definition.kind is TaskKind.PYTHON:
            self._run_python(attempt)
            return
        if definition.kind is TaskKind.DYNAMIC_TABLE:
            statements = [self._refresh(definition)]
        else:
            statements = [piece.text for piece in split(self._script(attempt))]
        session = Session.beside(self.lake)
        try:
            _dress(session, attempt)
            attempt.stoppable(session.cancel)
            for statement in statements:
                attempt.require_wanted()
                attempt.say(statement)
                result = self._statement(session, attempt, statement)
                said = result.message or f"{max(result.rowcount, 0)} rows"
                attempt.say(f"{said} (job {result.job_id})", job_id=result.job_id)
        finally:
            attempt.stoppable(None)
            session.close()

    def _statement(self, session: Session, attempt: Attempt, statement: str) -> Result:
        started = now()
        try:
            return session.run(statement)
        except HeadwaterError:
            # Only the job itself knows its id when it failed.
            for job in self.lake.store.jobs.list(since=started, limit=_LOOKED_AT):
                if job.settings.get(INSTANCE) == attempt.instance.id:
                    attempt.say(f"job {job.id} failed", job_id=job.id)
                    break
            raise

    def _run_python(self, attempt: Attempt) -> None:
        definition = attempt.definition
        values = values_of(
            dict(definition.parameters),
            attempt.instance.plan_at,
            time_zone=definition.cycle.time_zone or self.lake.config.time_zone,
            unchecked=definition.unchecked,
        )
        passes, script = self.lake.passes, self._script(attempt)
        if passes.address is None:
            run_python(script, values, attempt, reach={LAKE: str(self.lake.folder.path)})
            return
        task, store = attempt.task, self.lake.store
        with passes.given(lambda: owner_identity(store, task.owner, f"task {task.name}")) as own:
            trusted = {CA_FILE: os.environ[CA_FILE]} if CA_FILE in os.environ else {}
            run_python(script, values, attempt, reach={LAKE: passes.address, TOKEN: own, **trusted})

    def _script(self, attempt: Attempt) -> str:
        definition = attempt.definition
        return filled(
            opened_script(self.lake, definition, attempt.task.id),
            dict(definition.parameters),
            attempt.instance.plan_at,
            time_zone=definition.cycle.time_zone or self.lake.config.time_zone,
            unchecked=definition.unchecked,
        )

    def _refresh(self, definition: TaskDefinition) -> str:
        target = definition.target
        assert target is not None
        stored = self.lake.store.tables.get(target.workspace, target.schema, target.name)
        # One that is gone is refused by its statement.
        words = stored.kind.words if stored is not None else RefreshedKind.DYNAMIC_TABLE
        name = ObjectName(target.name, target.schema, target.workspace)
        return RefreshDynamicTable(name, kind=RefreshedKind(words)).to_sql()


def _dress(session: Session, attempt: Attempt) -> None:
    """Make a session the task's: its owner, its names, its tag, its virtual cluster."""
    name, state, definition = attempt.task.name, session.state, attempt.definition
    state.become(owner_identity(state.lake.store, attempt.task.owner, f"task {name}"))
    state.workspace, state.schema = name.workspace, definition.schema
    state.vcluster = definition.vcluster or _DEFAULT_CLUSTER
    state.settings[INSTANCE] = attempt.instance.id
    state.settings["query_tag"] = f"task.{name.workspace}.{name.schema}.{name.name}"
