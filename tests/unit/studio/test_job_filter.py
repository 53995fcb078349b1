"""SHOW JOBS for what somebody looks for."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from headwater.sql.jobs import ShowJobs
from headwater.sql.parse import parse
from headwater.sql.row_filter import compile_filter
from headwater.statements.show_jobs import FILTERED_COLUMNS
from headwater.studio.job_filter import JobFilter

_AT = datetime(2026, 11, 16, 12)


def _found(filter: JobFilter, texts: list[str], **more: str) -> list[str]:
    statement = parse(filter.statement())
    assert isinstance(statement, ShowJobs)
    where = statement.filter.where
    if where is None:
        return texts
    keep = compile_filter(where, FILTERED_COLUMNS, now=_AT.astimezone(), offset=0)
    shown = {"status": "SUCCEED", "creator": "ann", "query_tag": "nightly", **more}
    return [text for text in texts if keep(_job(text, **shown))]


def _job(text: str, *, status: str, creator: str, query_tag: str) -> tuple[object, ...]:
    return ("id", status, creator, 0, _AT, _AT, timedelta(), "DEFAULT", text, query_tag)


def test_what_only_looks_is_left_out_unless_asked_for() -> None:
    texts = ["SHOW JOBS", "desc t", "SELECT 1"]
    assert _found(JobFilter(), texts) == ["SELECT 1"]
    assert _found(JobFilter(metadata=True), texts) == texts


def test_a_text_is_found_in_any_case_and_stands_for_itself() -> None:
    texts = ["INSERT INTO Orders", "SELECT 50% of", "SELECT 500 of", "a_b", "aXb", "c\\d", "it's"]
    assert _found(JobFilter(text="orders"), texts) == ["INSERT INTO Orders"]
    assert _found(JobFilter(text="50%"), texts) == ["SELECT 50% of"]
    assert _found(JobFilter(text="a_b"), texts) == ["a_b"]
    assert _found(JobFilter(text="c\\d"), texts) == ["c\\d"]
    assert _found(JobFilter(text="it's"), texts) == ["it's"]


@pytest.mark.parametrize("hostile", ["' OR 1 = 1 --", "x' LIMIT 1; DROP TABLE t", "\\' OR true"])
def test_what_is_looked_for_is_a_value(hostile: str) -> None:
    assert _found(JobFilter(user=hostile), ["SELECT 1"]) == []
    assert _found(JobFilter(user=hostile), ["SELECT 1"], creator=hostile) == ["SELECT 1"]
    assert _found(JobFilter(text=hostile), ["SELECT 1", hostile]) == [hostile]


def test_everything_that_is_given_has_to_fit() -> None:
    texts = ["SELECT 1"]
    assert _found(JobFilter(state="SUCCEED", user="ann", query_tag="nightly"), texts) == texts
    assert _found(JobFilter(state="FAILED", user="ann"), texts) == []
    assert _found(JobFilter(query_tag="daily"), texts) == []
