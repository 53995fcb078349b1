"""The shapes of requests and answers, from which the API's own description is made."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

_MOST_WAIT = 60.0

SessionId = Field(default=None, max_length=64, description="A session; without it a new one.")


class Shape(BaseModel):
    """Names that are not known are refused: a wrong one would otherwise do nothing, silently."""

    model_config = ConfigDict(extra="forbid")


class NewStatement(Shape):
    """A statement, or a script of several, to be run.

    Nothing stands for something else in it: `true` is not one second, nor is `"no"` false.
    """

    model_config = ConfigDict(strict=True)

    sql: str = Field(description="One or several statements of SQL.")
    session: str | None = SessionId
    parameters: list[Any] | dict[str, Any] | None = Field(
        default=None, description="Values for `?` or `:name`."
    )
    wait_seconds: float = Field(
        default=10.0, ge=0.0, le=_MOST_WAIT, description="How long to wait for its end."
    )
    exchange: str | None = Field(
        default=None,
        max_length=64,
        description="Where PUT finds and GET leaves files; names in them are of the exchange.",
    )
    inline: bool = Field(
        default=False, description="Small results come with the answer, as Arrow in base64."
    )


class ExchangeShape(Shape):
    """An open exchange, and how much its files may take in all."""

    id: str
    most_bytes: int


class ErrorSpan(Shape):
    """A place in the text of a statement: start included, end excluded."""

    start: int
    end: int


class ErrorShape(Shape):
    """What went wrong, and the next thing to type."""

    condition: str
    message: str
    hint: str | None
    sqlstate: str
    kind: str
    type: str
    statement: str | None
    span: ErrorSpan | None


class ErrorAnswer(Shape):
    """Every answer from 400 on."""

    error: ErrorShape


class ColumnShape(Shape):
    """One column of a result; the type as SQL writes it."""

    name: str
    type: str


class ResultShape(Shape):
    """A result without its rows; `arrow` holds them where they were asked for and are few."""

    columns: list[ColumnShape]
    rowcount: int
    message: str
    job_id: str
    time_zone: str
    arrow: str | None = None


class StatementShape(Shape):
    """A statement and how far it is."""

    id: str
    state: str
    text: str
    session: str | None
    current_schema: str | None
    job_ids: list[str]
    progress: list[int]
    results: list[ResultShape]
    error: ErrorShape | None


class RowsShape(Shape):
    """Some rows of a result; `next_cursor` is null behind the last."""

    columns: list[ColumnShape]
    rows: list[list[Any]]
    next_cursor: str | None


class SessionShape(Shape):
    """An open session."""

    id: str
    current_schema: str


class JobEntryShape(Shape):
    """A job in a list."""

    id: str
    state: str
    creator: str
    priority: int
    started_at: datetime
    ended_at: datetime | None
    vcluster: str
    text: str
    query_tag: str


class TableUseShape(Shape):
    """A table that a job read or wrote."""

    table: str
    rows: int | None
    bytes: int | None


class JobShape(JobEntryShape):
    """All about a job."""

    workspace: str
    current_schema: str
    kind: str
    rows_produced: int | None
    rows_inserted: int | None
    rows_updated: int | None
    rows_deleted: int | None
    input_rows: int | None
    input_bytes: int | None
    output_bytes: int | None
    input_tables: list[TableUseShape]
    output_tables: list[TableUseShape]
    settings: dict[str, str]
    error: str | None


class SourceShape(Shape):
    """What a job read of a table; versions are told of a refresh."""

    table: str
    from_version: int | None
    to_version: int | None
    change: str | None
    rows: int | None
    bytes: int | None


class StageShape(Shape):
    """A stage of Spark's work for a job."""

    id: int
    spark_job: int
    name: str
    started_at: str
    started_after_seconds: float
    seconds: float
    tasks: int
    rows_in: int
    bytes_in: int
    rows_out: int
    bytes_out: int
    shuffled_bytes: int


class RefreshShape(Shape):
    """What a refresh did, why, and by which plan."""

    table: str
    mode: str | None
    reason: str | None
    because: str | None
    write: str | None
    plan: list[str]


class ProfileShape(Shape):
    """How a job went."""

    job_id: str
    state: str
    kind: str
    rows_produced: int | None
    rows_inserted: int | None
    rows_updated: int | None
    rows_deleted: int | None
    bytes_written: int | None
    sources: list[SourceShape]
    spark_jobs: list[int]
    stages: list[StageShape]
    refresh: RefreshShape | None


class JobsShape(Shape):
    """The newest jobs."""

    jobs: list[JobEntryShape]


class HealthShape(Shape):
    """The process answers."""

    state: str
    version: str
