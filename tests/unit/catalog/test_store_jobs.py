"""Jobs in the store: their record, and the states they may go through."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.catalog.samples import FakeClock, a_job, at

from headwater.catalog.jobs import FINAL_STATES, Job, JobState, TableUse, may_follow
from headwater.catalog.store import Store
from headwater.errors import InternalError

# Each example makes a job of its own, so the examples may share one store.
SHARED_STORE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_a_job_reads_back_as_it_was_written(store: Store) -> None:
    job = a_job(
        state=JobState.RUNNING,
        kind="MERGE_INTO",
        query_tag="nightly",
        priority=-3,
        rows_produced=0,
        rows_inserted=1,
        rows_updated=2,
        rows_deleted=3,
        input_rows=2**40,
        input_bytes=2**60,
        output_bytes=5,
        input_tables=(TableUse("public.a", 1, 2), TableUse("public.b")),
        output_tables=(TableUse("public.c", rows=7),),
        settings={"query_tag": "nightly"},
    )
    store.jobs.start(job)
    assert store.jobs.get(job.id) == job
    done = replace(job, state=JobState.FAILED, ended_at=at(9), error="no such table")
    store.jobs.finish(done)
    assert store.jobs.get(job.id) == done
    assert store.jobs.get("unknown") is None


def test_a_finished_job_without_an_end_ends_now(store: Store, clock: FakeClock) -> None:
    job = a_job()
    store.jobs.start(job)
    ended_at = clock.advance(3)
    store.jobs.finish(replace(job, state=JobState.SUCCEED))
    found = store.jobs.get(job.id)
    assert found is not None
    assert found.ended_at == ended_at


@SHARED_STORE
@given(text=st.text(), error=st.none() | st.text())
def test_no_text_is_too_strange_to_be_recorded(store: Store, text: str, error: str | None) -> None:
    job = a_job(text=text, error=error, settings={text: text})
    store.jobs.start(job)
    found = store.jobs.get(job.id)
    assert found is not None
    assert len(found.text) == len(text)
    assert found.settings == job.settings
    if not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text + (error or "")):
        assert found == job


@SHARED_STORE
@given(first=st.sampled_from(JobState), walk=st.lists(st.sampled_from(JobState), max_size=6))
def test_a_job_moves_only_along_legal_transitions(
    store: Store, first: JobState, walk: list[JobState]
) -> None:
    job = a_job(state=first)
    store.jobs.start(job)
    expected = first
    for state in walk:
        store_move = store.jobs.finish if state in FINAL_STATES else store.jobs.advance
        if may_follow(expected, state):
            store_move(replace(job, state=state))
            expected = state
        else:
            with pytest.raises(InternalError) as caught:
                store_move(replace(job, state=state))
            assert caught.value.condition == "JOB_STATE_ILLEGAL"
            assert caught.value.parameters["before"] == expected
        found = store.jobs.get(job.id)
        assert found is not None
        assert found.state is expected


@pytest.mark.parametrize("state", sorted(set(JobState) - FINAL_STATES))
def test_a_job_does_not_finish_in_a_state_that_is_not_final(store: Store, state: JobState) -> None:
    job = a_job()
    store.jobs.start(job)
    with pytest.raises(InternalError, match="JOB_STATE_ILLEGAL"):
        store.jobs.finish(replace(job, state=state))


def test_an_unknown_job_does_not_finish(store: Store) -> None:
    with pytest.raises(InternalError, match="unknown and cannot become SUCCEED"):
        store.jobs.finish(a_job(state=JobState.SUCCEED))


def test_an_id_is_started_only_once(store: Store) -> None:
    job = a_job()
    store.jobs.start(job)
    with pytest.raises(InternalError):
        store.jobs.start(replace(job, text="SELECT 2"))
    assert store.jobs.get(job.id) == job


def test_jobs_are_listed_newest_first_from_a_time_on(store: Store) -> None:
    jobs = [a_job(id=f"j{n}", started_at=at(n)) for n in range(5)]
    for job in jobs:
        store.jobs.start(job)
    newest_first = jobs[::-1]
    assert store.jobs.list() == newest_first
    assert store.jobs.list(limit=2) == newest_first[:2]
    assert store.jobs.list(since=at(3)) == newest_first[:2]
    assert store.jobs.list(since=at(1), limit=1) == newest_first[:1]


def started(store: Store, state: JobState, **changes: object) -> Job:
    job = a_job(state=state, **changes)
    store.jobs.start(job)
    return job


def test_unfinished_jobs_are_found_oldest_first(store: Store) -> None:
    second = started(store, JobState.RUNNING, started_at=at(2))
    started(store, JobState.SUCCEED, started_at=at(1))
    first = started(store, JobState.QUEUED, started_at=at(0))
    assert store.jobs.unfinished() == [first, second]


def test_only_an_unfinished_job_can_be_asked_to_cancel(store: Store) -> None:
    running = started(store, JobState.RUNNING)
    done = started(store, JobState.SUCCEED)
    assert store.jobs.request_cancel(running.id)
    assert store.jobs.request_cancel(running.id)
    assert not store.jobs.request_cancel(done.id)
    assert not store.jobs.request_cancel("unknown")


def test_a_process_sees_the_cancel_requests_for_its_own_unfinished_jobs(store: Store) -> None:
    mine = started(store, JobState.RUNNING)
    other = started(store, JobState.RUNNING, instance="i2")
    started(store, JobState.RUNNING)
    for job in (mine, other):
        store.jobs.request_cancel(job.id)
    assert store.jobs.cancel_requested("i1") == [mine.id]
    store.jobs.finish(replace(mine, state=JobState.CANCELLED))
    assert store.jobs.cancel_requested("i1") == []


def test_only_jobs_that_ended_before_a_time_are_deleted(store: Store) -> None:
    started(store, JobState.SUCCEED, started_at=at(0), ended_at=at(1))
    long_one = started(store, JobState.SUCCEED, started_at=at(0), ended_at=at(9))
    running = started(store, JobState.RUNNING, started_at=at(0))
    assert store.jobs.delete_before(at(5)) == 1
    assert {job.id for job in store.jobs.list()} == {long_one.id, running.id}


def test_a_job_that_starts_later_is_found_by_whoever_asks(store: Store) -> None:
    asked = {
        "get": lambda: [store.jobs.get("late0")],
        "list": store.jobs.list,
        "listing": lambda: store.jobs.listing(since=at(-1), limit=10),
        "unfinished": store.jobs.unfinished,
    }
    for number, (how, found) in enumerate(asked.items()):
        late = a_job(id=f"late{number}", state=JobState.RUNNING)
        store.jobs.start_later(late)
        assert late.id in {job.id for job in found() if job is not None}, how
    store.jobs.start_later(a_job(id="cancelled", state=JobState.RUNNING))
    assert store.jobs.request_cancel("cancelled")


def test_a_job_that_starts_later_is_stored_once_with_its_end(url: str, store: Store) -> None:
    other = Store.open(url, clock=FakeClock())
    late = a_job(state=JobState.RUNNING, instance="mine")
    store.jobs.start_later(late)
    assert other.jobs.get(late.id) is None
    done = replace(late, state=JobState.SUCCEED, ended_at=at(9))
    store.jobs.finish(done)
    assert other.jobs.get(late.id) == done
    with pytest.raises(InternalError, match="JOB_STATE_ILLEGAL"):
        store.jobs.finish(done)
    other.close()


def test_a_job_that_takes_longer_than_a_heartbeat_is_there_for_other_processes(
    url: str, store: Store
) -> None:
    other = Store.open(url, clock=FakeClock())
    late = a_job(state=JobState.RUNNING, instance="mine")
    store.jobs.start_later(late)
    assert store.jobs.cancel_requested("mine") == []
    assert other.jobs.get(late.id) == late
    assert other.jobs.request_cancel(late.id)
    assert store.jobs.cancel_requested("mine") == [late.id]
    done = replace(late, state=JobState.CANCELLED, ended_at=at(9))
    store.jobs.finish(done)
    assert other.jobs.get(late.id) == done
    other.close()
