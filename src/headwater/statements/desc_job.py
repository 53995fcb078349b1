"""DESC JOB: everything that is known of one job."""

from __future__ import annotations

from datetime import timedelta

from headwater.catalog.jobs import Job, TableUse
from headwater.errors import UserError
from headwater.names import counted
from headwater.result import Result, Row, string_columns
from headwater.runtime.clock import now
from headwater.sql.jobs import DescJob
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.job_profile import JobProfile, profile_of
from headwater.statements.property_text import shown_properties


def desc_job(context: Context, statement: DescJob) -> Result:
    """One job, as rows of info_name and info_value."""
    context.lake.flush_background()
    job = context.store.jobs.get(statement.job_id)
    if job is None:
        raise UserError("JOB_NOT_FOUND", job_id=statement.job_id)
    rows = info_rows(
        name=job.id,
        creator=job.creator,
        created_time=context.session.local(job.started_at),
        last_modified_time=context.session.local(job.ended_at or job.started_at),
        comment="",
        workspace=job.workspace,
        job_id=job.id,
        status=job.state.value,
        start_time=context.session.local(job.started_at),
        end_time=context.session.local(job.ended_at),
        execution_time=job.execution_time(now()) // timedelta(milliseconds=1),
        priority=job.priority,
        vcluster_name=job.vcluster,
        vcluster_type=_cluster_type(context, job),
        job_text=job.text,
        query_tag=job.query_tag,
        hint=shown_properties(job.settings),
        input_tables=_tables(job.input_tables),
        output_tables=_tables(job.output_tables),
        **_counts(job),
        error_message=job.error,
    )
    rows += _profile(profile_of(context.store, job))
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _cluster_type(context: Context, job: Job) -> str:
    """The type of the job's cluster, if that is still there."""
    cluster = context.store.vclusters.get(job.workspace, job.vcluster)
    return "" if cluster is None else cluster.properties.type.value


def _counts(job: Job) -> dict[str, object]:
    return {
        "input_rows": job.input_rows,
        "input_bytes": job.input_bytes,
        "rows_produced": job.rows_produced,
        "rows_inserted": job.rows_inserted,
        "rows_updated": job.rows_updated,
        "rows_deleted": job.rows_deleted,
        "output_bytes": job.output_bytes,
    }


def _profile(profile: JobProfile) -> list[Row]:
    """How it went: what a refresh did and why, and Spark's part; one row for each line."""
    rows = list[Row]()
    if profile.refresh is not None:
        rows += info_rows(
            refresh_mode=profile.refresh.kind,
            refresh_reason=profile.refresh.detail.get("because"),
        )
    rows += [("incremental_plan", line) for line in profile.plan]
    rows += [("source", line) for line in profile.source_lines()]
    rows += [("stage", line) for line in profile.stage_lines()]
    return rows


def _tables(uses: tuple[TableUse, ...]) -> str:
    return ", ".join(_use(use) for use in uses)


def _use(use: TableUse) -> str:
    known = [counted(use.rows, "row")] if use.rows is not None else []
    known += [f"{use.bytes} bytes"] if use.bytes is not None else []
    return use.table + (f" ({', '.join(known)})" if known else "")
