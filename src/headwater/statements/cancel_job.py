"""CANCEL JOB: stop a running statement, of this process or another one."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.jobs import CancelJob
from headwater.statements.context import Context


def cancel_job(context: Context, statement: CancelJob) -> Result:
    """Ask for the cancellation; a job of another process hears of it with its next heartbeat."""
    job = context.store.jobs.get(statement.job_id)
    if job is None:
        raise UserError("JOB_NOT_FOUND", job_id=statement.job_id)
    if not context.store.jobs.request_cancel(job.id):
        raise UserError("JOB_IS_FINISHED", job_id=job.id, state=job.state.value)
    if job.instance == context.lake.instance.id:
        context.lake.cancel_job(job.id)
    return Result(message=f"job {job.id} is asked to stop")
