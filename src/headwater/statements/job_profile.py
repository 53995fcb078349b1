"""What is known of how a job went: what DESC JOB shows in rows and the service gives as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from headwater.catalog.dynamic_tables import Refresh
from headwater.catalog.jobs import Job, SparkStage, TableUse
from headwater.catalog.store import Store
from headwater.names import counted

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class JobProfile:
    """A job with the refresh that it did, if it did one."""

    job: Job
    refresh: Refresh | None

    @property
    def spark_jobs(self) -> list[int]:
        """The numbers of Spark's jobs, as its own pages call them."""
        return sorted({stage.spark_job for stage in self.job.stages})

    @property
    def plan(self) -> list[str]:
        """The plan of the refresh that ran, line by line as EXPLAIN REFRESH would show it."""
        return [] if self.refresh is None else list(self.refresh.detail.get("plan", ()))

    @property
    def sources(self) -> list[dict[str, Any]]:
        """What each source gave: its rows and bytes, and the versions that a refresh read."""
        read = {use.table: use for use in self.job.input_tables}
        known = [] if self.refresh is None else list(self.refresh.detail.get("sources", ()))
        told = {_full(source["table"], self.job.workspace): source for source in known}
        names = [*told, *(name for name in read if name not in told)]
        return [_source(name, told.get(name, {}), read.get(name)) for name in names]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        job, refresh = self.job, self.refresh
        return {
            "job_id": job.id,
            "state": job.state.value,
            "kind": job.kind,
            "rows_produced": job.rows_produced,
            "rows_inserted": job.rows_inserted,
            "rows_updated": job.rows_updated,
            "rows_deleted": job.rows_deleted,
            "bytes_written": job.output_bytes,
            "sources": self.sources,
            "spark_jobs": self.spark_jobs,
            "stages": [self._stage(stage) for stage in job.stages],
            "refresh": None if refresh is None else _refresh(refresh, self.plan),
        }

    def _stage(self, stage: SparkStage) -> dict[str, Any]:
        after = round((stage.started_at - self.job.started_at) / _SECOND, 3)
        return {**stage.to_dict(), "started_after_seconds": after}

    def stage_lines(self) -> list[str]:
        """The stages for people: when each began, how long it took, what it read and wrote."""
        return [_stage_line(self._stage(stage)) for stage in self.job.stages]

    def source_lines(self) -> list[str]:
        """The sources for people."""
        return [_source_line(source) for source in self.sources]


def profile_of(store: Store, job: Job) -> JobProfile:
    """The profile of a job."""
    return JobProfile(job, store.refreshes.by_job(job.id))


def _full(name: str, workspace: str) -> str:
    """A refresh names the sources of its own workspace without it."""
    return name if name.count(".") > 1 else f"{workspace}.{name}"


def _source(name: str, told: dict[str, Any], read: TableUse | None) -> dict[str, Any]:
    return {
        "table": name,
        "from_version": told.get("from_version"),
        "to_version": told.get("to_version"),
        "change": told.get("change"),
        "rows": None if read is None else read.rows,
        "bytes": None if read is None else read.bytes,
    }


def _refresh(refresh: Refresh, plan: list[str]) -> dict[str, Any]:
    return {
        "table": f"{refresh.workspace}.{refresh.schema}.{refresh.name}",
        "mode": None if refresh.kind is None else refresh.kind.value,
        "reason": refresh.reason,
        "because": refresh.detail.get("because"),
        "write": refresh.detail.get("write"),
        "plan": plan,
    }


def _source_line(source: dict[str, Any]) -> str:
    known = [] if source["rows"] is None else [f"{counted(source['rows'], 'row')} read"]
    if source["from_version"] is not None:
        known.append(f"Delta versions {source['from_version']} to {source['to_version']}")
    elif source["to_version"] is not None:
        known.append(f"all of Delta version {source['to_version']}")
    return f"{source['table']}: {', '.join(known) or 'nothing read'}"


def _stage_line(stage: dict[str, Any]) -> str:
    parts = [
        f"stage {stage['id']} of Spark job {stage['spark_job']}",
        f"began after {stage['started_after_seconds']:.3f} s",
        f"took {stage['seconds']:.3f} s",
        counted(stage["tasks"], "task"),
        f"{counted(stage['rows_in'], 'row')} in",
        f"{counted(stage['rows_out'], 'row')} out",
    ]
    return ", ".join(parts)
