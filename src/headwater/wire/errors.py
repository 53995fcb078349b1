"""An error as JSON, and back. Law: what a reader sees of an error is the same on both sides.

Traces (`detail`) and parameters stay where they are: they may hold what nobody else should see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

_CLASSES: dict[str, type[HeadwaterError]] = {
    known.__name__: known
    for known in (
        ConstraintViolated,
        InternalError,
        NotSupported,
        SchemaError,
        TransientError,
        UserError,
        ValueRejected,
    )
}


def error_body(error: HeadwaterError) -> dict[str, Any]:
    """For JSON."""
    span = error.span
    return {
        "condition": error.condition,
        "message": error.message,
        "hint": error.hint,
        "sqlstate": error.sqlstate,
        "kind": error.kind,
        "type": type(error).__name__,
        "statement": error.statement,
        "span": None if span is None else {"start": span.start, "end": span.end},
    }


def error_from(body: Mapping[str, Any]) -> HeadwaterError:
    """What `error_body` wrote, in the same class."""
    kind = _CLASSES.get(str(body.get("type")), InternalError)
    condition = str(body.get("condition") or "BUG")
    error = kind(
        condition,
        text=str(body.get("message") or condition),
        hint=body.get("hint"),
        sqlstate=body.get("sqlstate"),
    )
    span = body.get("span")
    error.span = None if span is None else Span(int(span["start"]), int(span["end"]))
    error.statement = body.get("statement")
    return error
