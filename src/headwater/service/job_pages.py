"""The pages of jobs: one's own, and those of others for who sees everything."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from headwater.catalog.jobs import Job
from headwater.catalog.store import Store
from headwater.errors import UserError
from headwater.runtime.clock import now
from headwater.service.answers import ERRORS, JsonAnswer
from headwater.service.identity import Identity
from headwater.service.reach import TheIdentity, TheService
from headwater.service.shapes import JobShape, JobsShape, ProfileShape
from headwater.statements.job_profile import profile_of

router = APIRouter(prefix="/api/v1", tags=["jobs"], responses=ERRORS)

_DAYS = 7


@router.get("/jobs", response_model=JobsShape)
def list_jobs(
    service: TheService,
    identity: TheIdentity,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
    days: Annotated[int, Query(ge=1, le=3650)] = _DAYS,
) -> JsonAnswer:
    """The newest jobs."""
    since = now() - timedelta(days=days)
    own = None if identity.sees_all else identity.user
    entries = service.lake.store.jobs.listing(since=since, limit=limit, creator=own)
    return JsonAnswer({"jobs": [_plain(asdict(entry)) for entry in entries]})


@router.get("/jobs/{id}/profile", response_model=ProfileShape)
def get_job_profile(
    id: Annotated[str, Path(max_length=64)], service: TheService, identity: TheIdentity
) -> JsonAnswer:
    """How a job went: what each source gave, Spark's stages, and what a refresh did and why."""
    store = service.lake.store
    return JsonAnswer(profile_of(store, _job(store, id, identity)).to_dict())


@router.get("/jobs/{id}", response_model=JobShape)
def get_job(
    id: Annotated[str, Path(max_length=64)], service: TheService, identity: TheIdentity
) -> JsonAnswer:
    """All about one job."""
    body: dict[str, Any] = asdict(_job(service.lake.store, id, identity))
    body["current_schema"] = body.pop("schema")
    del body["instance"]
    # The profile has them.
    del body["stages"]
    for uses in (body["input_tables"], body["output_tables"]):
        for use in uses:
            del use["table_id"]
    return JsonAnswer(_plain(body))


def _job(store: Store, id: str, identity: Identity) -> Job:
    """A job that somebody may see; another one is as if it were not there."""
    job = store.jobs.get(id)
    if job is None or not (identity.sees_all or identity.user == job.creator):
        raise UserError("JOB_NOT_FOUND", job_id=id)
    return job


def _plain(body: dict[str, Any]) -> dict[str, Any]:
    """What JSON can hold."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in body.items()
    }
