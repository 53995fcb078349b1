"""Errors survive the way to a client, without what must stay behind."""

from __future__ import annotations

import json

import pytest

import headwater
from headwater.errors import (
    ConstraintViolated,
    HeadwaterError,
    InternalError,
    NotSupported,
    SchemaError,
    Span,
    TransientError,
    UserError,
    ValueRejected,
)
from headwater.wire.errors import error_body, error_from


@pytest.mark.parametrize(
    "kind",
    [
        ConstraintViolated,
        InternalError,
        NotSupported,
        SchemaError,
        TransientError,
        UserError,
        ValueRejected,
    ],
)
def test_an_error_comes_back_in_its_class_and_reads_the_same(kind: type[HeadwaterError]) -> None:
    there = kind("JOB_NOT_FOUND", job_id="{x}", hint="SHOW JOBS", span=Span(5, 8))
    there.statement = "DESC JOB 'x'"
    here = error_from(json.loads(json.dumps(error_body(there))))
    assert type(here) is kind
    assert str(here) == str(there)
    assert (here.condition, here.sqlstate, here.hint, here.span, here.kind) == (
        there.condition,
        there.sqlstate,
        there.hint,
        there.span,
        there.kind,
    )


def test_traces_and_parameters_stay_behind() -> None:
    there = InternalError("BUG", problem="shown", detail="at java.lang.Secret", other="hidden")
    body = json.dumps(error_body(there))
    assert "java" not in body
    assert "hidden" not in body


def test_an_error_of_a_newer_service_is_still_an_error() -> None:
    here = error_from({"condition": "NEW_ONE", "message": "something new", "type": "NewKind"})
    assert isinstance(here, headwater.DatabaseError)
    assert str(here) == "NEW_ONE: something new"
