"""Pipes, batches and messages as rows, both ways. Invariant: what is read is what was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, select

from headwater.catalog.pipes import (
    AsideMessage,
    BatchState,
    Pipe,
    PipeBatch,
    PipeCounters,
    PipeKind,
    PipeStatus,
)
from headwater.catalog.store.model import schemas, workspaces
from headwater.catalog.store.pipe_model import pipes

_FROM_ITS_SCHEMA = ("workspace", "schema")
_STORED = tuple(field.name for field in fields(Pipe) if field.name not in _FROM_ITS_SCHEMA)
_BATCH = tuple(field.name for field in fields(PipeBatch))


@cache
def select_pipes() -> Select[Any]:
    """The query for pipes, of which the rest is to say which ones."""
    return (
        select(
            pipes,
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
        )
        .join_from(pipes, schemas)
        .join(workspaces)
    )


def pipe_values(pipe: Pipe) -> dict[str, Any]:
    """A pipe's columns, without its schema."""
    return {
        **{name: getattr(pipe, name) for name in _STORED},
        "properties": [list(pair) for pair in pipe.properties],
        "offsets": _plain_offsets(pipe.offsets),
        "latency": None if pipe.latency is None else dict(pipe.latency),
        "counters": _counters_as_json(pipe.counters),
    }


def pipe_from(row: Row[Any]) -> Pipe:
    """The pipe of a row of `select_pipes`."""
    stored = {name: getattr(row, name) for name in _STORED}
    stored["kind"] = PipeKind(row.kind)
    stored["status"] = PipeStatus(row.status)
    stored["properties"] = tuple((key, value) for key, value in row.properties)
    stored["counters"] = _counters_from_json(row.counters)
    return Pipe(workspace=row.workspace_name, schema=row.schema_name, **stored)


def batch_values(batch: PipeBatch) -> dict[str, Any]:
    """A batch's columns."""
    return {
        **{name: getattr(batch, name) for name in _BATCH},
        "payload": dict(batch.payload),
    }


def batch_from(row: Row[Any]) -> PipeBatch:
    """The batch of a row."""
    stored = {name: getattr(row, name) for name in _BATCH}
    return PipeBatch(**{**stored, "state": BatchState(row.state)})


def message_from(row: Row[Any]) -> AsideMessage:
    """The message of a row."""
    return AsideMessage(row.pipe_id, row.message_id, row.body, row.reason, row.at)


def _plain_offsets(offsets: Mapping[str, Mapping[str, int]] | None) -> dict[str, Any] | None:
    if offsets is None:
        return None
    return {topic: dict(partitions) for topic, partitions in offsets.items()}


def _counters_as_json(counters: PipeCounters) -> dict[str, Any]:
    oldest = counters.oldest_pending_at
    return {
        **asdict(counters),
        "oldest_pending_at": None if oldest is None else oldest.isoformat(),
    }


def _counters_from_json(stored: Mapping[str, Any]) -> PipeCounters:
    oldest = stored.get("oldest_pending_at")
    return PipeCounters(
        **{
            **stored,
            "oldest_pending_at": None if oldest is None else datetime.fromisoformat(oldest),
        }
    )
