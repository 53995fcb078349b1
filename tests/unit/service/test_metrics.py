"""Metrics: those that are promised are there, and they count what happened."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from scripts import metrics_page
from tests.unit.catalog.samples import a_pipe, a_refresh, with_dynamic_table, with_schema

from headwater.catalog.dynamic_tables import RefreshKind, RefreshState, Schedule
from headwater.catalog.pipes import PipeKind
from headwater.pipes.latency import latency, latency_after_failure
from headwater.runtime.clock import now
from headwater.service.metrics import METRICS, PREFIX, MetricKind
from headwater.service.server import Server

OPERATIONS = Path(__file__).resolve().parents[3] / "docs" / "operations"
PROMISED = """
refresh_duration_seconds refresh_total lag_seconds target_lag_seconds delta_rows
full_fallback_total pipe_pending_files pipe_pending_bytes pipe_oldest_pending_seconds
pipe_rows_total pipe_offset_lag load_errors_total stream_seconds_to_stale lease_lost_total
scheduler_tick_seconds
""".split()


def values(http: httpx.Client) -> dict[str, float]:
    answer = http.get("/metrics")
    assert answer.status_code == 200
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_every_promised_metric_is_there() -> None:
    assert {metric.short_name for metric in METRICS} >= set(PROMISED)


def test_counters_are_called_total() -> None:
    for metric in METRICS:
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER)


def test_the_page_of_metrics_is_current() -> None:
    current = metrics_page.PAGE.read_text(encoding="utf-8") == metrics_page.page()
    assert current, "run: .venv/bin/python scripts/metrics_page.py"


def test_statements_are_counted_by_lane_and_state(http: httpx.Client) -> None:
    for sql in ("SHOW SCHEMAS", "SHOW SCHEMAS", "DESC nowhere", "CREATE SCHEMA a"):
        http.post("/api/v1/statements", json={"sql": sql})
    found = values(http)
    total = "headwater_statements_total"
    assert found[f'{total}{{lane="quick",state="SUCCEED"}}'] == 2
    assert found[f'{total}{{lane="quick",state="FAILED"}}'] == 1
    assert found[f'{total}{{lane="computing",state="SUCCEED"}}'] == 1
    assert found['headwater_statement_seconds_count{lane="quick"}'] == 3
    assert found["headwater_active"] == 1
    assert found["headwater_lease_lost_total"] == 0
    assert found['headwater_statements_waiting{lane="quick"}'] == 0


def test_refreshes_are_counted_once_when_they_have_ended(
    http: httpx.Client, server: Server
) -> None:
    store = server.service.lake.store
    begun = now()
    with_schema(store)
    table = with_dynamic_table(store, schedule=Schedule(target_lag_seconds=60))
    refresh = a_refresh(table, started_at=begun, job_id=run_job(http))
    running = store.refreshes.start(refresh)
    ended = replace(
        running,
        state=RefreshState.SUCCEED,
        kind=RefreshKind.INCREMENTAL,
        ended_at=begun + timedelta(seconds=2),
        rows_inserted=5,
        rows_deleted=2,
    )
    store.refreshes.finish(ended)
    for _ in range(2):
        found = values(http)
        assert found['headwater_refresh_total{state="SUCCEED"}'] == 1
        assert found['headwater_refresh_duration_seconds_sum{mode="INCREMENTAL"}'] == 2
        assert found['headwater_target_lag_seconds{table="wanda.public.totals"}'] == 60
        assert found['headwater_delta_rows{table="wanda.public.totals"}'] == 7
        assert found['headwater_refresh_duration_seconds_bucket{le="1.0",mode="INCREMENTAL"}'] == 0


def test_pipes_say_what_they_loaded_and_what_waits_for_them(
    http: httpx.Client, server: Server
) -> None:
    store = server.service.lake.store
    with_schema(store)
    files, messages = a_pipe("files"), a_pipe("messages", kind=PipeKind.KAFKA)
    for pipe in (files, messages):
        store.pipes.create(pipe)
    store.pipes.add_counts(files.id, rows=5, files=1)
    store.pipes.add_counts(files.id, rows=7, files=1)
    store.pipes.set_pending(files.id, files=3, bytes=400, oldest_at=now() - timedelta(seconds=100))
    store.pipes.add_counts(messages.id, rows=20)
    behind = latency({"orders": {0: 3, 1: 0}, "refunds": {0: 8}}, at=now(), last_batch_at=None)
    store.pipes.set_latency(messages.id, behind)
    found = values(http)
    assert found[of_pipe("rows_total", "files")] == 12
    assert found[of_pipe("rows_total", "messages")] == 20
    assert found[of_pipe("pending_files", "files")] == 3
    assert found[of_pipe("pending_bytes", "files")] == 400
    assert 100 <= found[of_pipe("oldest_pending_seconds", "files")] < 160
    assert found[of_pipe("offset_lag", "messages")] == 11
    # Files have no offsets.
    assert of_pipe("offset_lag", "files") not in found


def test_how_far_a_pipe_is_behind_is_left_out_until_it_is_known(
    http: httpx.Client, server: Server
) -> None:
    """While the brokers are away, what was known last is shown."""
    store = server.service.lake.store
    with_schema(store)
    pipe = a_pipe("messages", kind=PipeKind.KAFKA)
    store.pipes.create(pipe)
    assert of_pipe("offset_lag", "messages") not in values(http)
    store.pipes.set_latency(pipe.id, latency_after_failure(None))
    assert of_pipe("offset_lag", "messages") not in values(http)
    known = latency({"orders": {0: 4}}, at=now(), last_batch_at=None)
    store.pipes.set_latency(pipe.id, latency_after_failure(known))
    assert values(http)[of_pipe("offset_lag", "messages")] == 4


def of_pipe(what: str, name: str) -> str:
    return f'headwater_pipe_{what}{{pipe="wanda.public.{name}"}}'


def run_job(http: httpx.Client) -> str:
    done = http.post("/api/v1/statements", json={"sql": "SHOW SCHEMAS"}).json()
    return str(done["job_ids"][0])


@pytest.mark.parametrize("file", ["grafana-dashboard.json", "alert-rules.yml"])
def test_the_dashboard_and_the_rules_name_metrics_that_exist(file: str) -> None:
    text = (OPERATIONS / file).read_text(encoding="utf-8")
    known = {metric.name for metric in METRICS}
    known |= {f"{metric.name}_{part}" for metric in METRICS for part in ("bucket", "sum", "count")}
    named = set(re.findall(rf"\b{PREFIX}[a-z_]+\b", text))
    assert named
    assert named - known == set()


def test_the_dashboard_is_json_and_shows_every_promised_metric() -> None:
    text = (OPERATIONS / "grafana-dashboard.json").read_text(encoding="utf-8")
    assert json.loads(text)["panels"]
    assert [name for name in PROMISED if PREFIX + name not in text] == []


def test_there_are_eight_alert_rules() -> None:
    text = (OPERATIONS / "alert-rules.yml").read_text(encoding="utf-8")
    assert text.count("- alert:") >= 8
