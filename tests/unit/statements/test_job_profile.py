"""The profile of a job: what it read, from which version to which, and Spark's stages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headwater.catalog.dynamic_tables import Refresh, RefreshKind
from headwater.catalog.jobs import Job, JobState, SparkStage, TableUse
from headwater.statements.job_profile import JobProfile

START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def job(*stages: SparkStage, reads: tuple[TableUse, ...] = ()) -> Job:
    return Job(
        "j1",
        JobState.SUCCEED,
        "w",
        "public",
        "ada",
        "REFRESH DYNAMIC TABLE d",
        START,
        "i",
        input_tables=reads,
        stages=stages,
    )


def stage(id: int, spark_job: int, after: float) -> SparkStage:
    at = START + timedelta(seconds=after)
    return SparkStage(id, spark_job, "write", at, 0.25, 2, rows_in=3, rows_out=1)


def refresh(*sources: dict[str, object]) -> Refresh:
    detail = {"because": "rows only came", "sources": list(sources), "plan": ["Plan:", "  Scan"]}
    return Refresh(
        "t1", 1, "w", "public", "d", "DEFAULT", START, "j1", kind=RefreshKind.INCREMENTAL,
        reason="ROWS_ADDED", detail=detail,
    )  # fmt: skip


def test_a_query_shows_what_each_table_gave():
    profile = JobProfile(job(reads=(TableUse("w.public.t", 5, 100),)), None)
    assert profile.source_lines() == ["w.public.t: 5 rows read"]
    assert profile.plan == []
    assert profile.to_dict()["refresh"] is None


def test_a_refresh_shows_the_versions_beside_the_rows():
    told = {"table": "public.t", "from_version": 3, "to_version": 7, "change": "INSERT_ONLY"}
    profile = JobProfile(job(reads=(TableUse("w.public.t", 5, 100),)), refresh(told))
    assert profile.source_lines() == ["w.public.t: 5 rows read, Delta versions 3 to 7"]
    assert profile.to_dict()["refresh"]["because"] == "rows only came"
    assert profile.to_dict()["refresh"]["plan"] == ["Plan:", "  Scan"]


def test_a_source_that_was_not_read_and_a_table_that_is_no_source_are_shown_too():
    whole = {"table": "public.t", "from_version": None, "to_version": 7}
    profile = JobProfile(job(reads=(TableUse("w.public.d", 1, 10),)), refresh(whole))
    assert profile.source_lines() == [
        "w.public.t: all of Delta version 7",
        "w.public.d: 1 row read",
    ]


def test_stages_say_when_they_began_and_whose_they_are():
    profile = JobProfile(job(stage(4, 2, 1.5), stage(5, 3, 2)), None)
    assert profile.spark_jobs == [2, 3]
    assert profile.stage_lines() == [
        "stage 4 of Spark job 2, began after 1.500 s, took 0.250 s, 2 tasks, 3 rows in, 1 row out",
        "stage 5 of Spark job 3, began after 2.000 s, took 0.250 s, 2 tasks, 3 rows in, 1 row out",
    ]
    assert profile.to_dict()["stages"][0]["started_after_seconds"] == 1.5


def test_a_stage_survives_being_stored():
    assert SparkStage.from_dict(stage(4, 2, 1.5).to_dict()) == stage(4, 2, 1.5)
