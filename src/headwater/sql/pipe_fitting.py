"""Whether the properties of a pipe fit what it runs."""

from __future__ import annotations

from headwater.errors import Span, UserError
from headwater.sql.dml import Insert, Merge
from headwater.sql.pipe_body import KafkaSource, PipeBody, VolumeSource
from headwater.sql.pipe_properties import (
    KAFKA_PROPERTIES,
    VOLUME_PROPERTIES,
    IngestMode,
    PipeProperties,
)


def require_fitting(
    properties: PipeProperties, body: PipeBody, *, span: Span | None = None
) -> None:
    """Refuse what contradicts itself; `span` is where a property that is missing is missed."""
    if not isinstance(body.source, VolumeSource):
        _require_no_volume_words(properties, body)
        return
    for key, _ in properties.given:
        if key in KAFKA_PROPERTIES:
            raise _of_other_source(properties, key, owner="Kafka", source="a volume")
    _require_queue(properties, span)
    mode_span = properties.span_of("INGEST_MODE") or span
    if properties.ingest_mode is IngestMode.EVENT_NOTIFICATION:
        if body.purge:
            problem = "files are kept with EVENT_NOTIFICATION"
            raise UserError("PIPE_PURGE_NOT_ALLOWED", problem=problem, span=mode_span)
    elif isinstance(body.statement, Insert | Merge):
        word = "MERGE" if isinstance(body.statement, Merge) else "INSERT"
        raise UserError("PIPE_PURGE_NEEDS_COPY", statement=word, span=mode_span)
    elif not body.purge:
        raise UserError("PIPE_PURGE_MISSING", span=mode_span)


def _require_no_volume_words(properties: PipeProperties, body: PipeBody) -> None:
    source = "Kafka" if isinstance(body.source, KafkaSource) else "a stream"
    for key, _ in properties.given:
        if key in VOLUME_PROPERTIES:
            raise _of_other_source(properties, key, owner="a volume", source=source)
    if body.purge:
        problem = f"it deletes files, and the pipe reads {source}"
        raise UserError("PIPE_PURGE_NOT_ALLOWED", problem=problem)


def _require_queue(properties: PipeProperties, span: Span | None) -> None:
    queues = [key for key, _ in properties.given if key.endswith("_QUEUE")]
    if queues[1:]:
        second = properties.span_of(queues[1])
        raise UserError("CLAUSES_EXCLUDE", first=queues[0], second=queues[1], span=second)
    if properties.ingest_mode is None:
        raise UserError("PIPE_INGEST_MODE_MISSING", span=span)
    is_event = properties.ingest_mode is IngestMode.EVENT_NOTIFICATION
    if queues and not is_event:
        place = properties.span_of(queues[0])
        raise UserError("PIPE_QUEUE_NOT_ALLOWED", property=queues[0], span=place)
    if is_event and not queues:
        place = properties.span_of("INGEST_MODE") or span
        raise UserError("PIPE_QUEUE_MISSING", span=place)


def _of_other_source(properties: PipeProperties, key: str, *, owner: str, source: str) -> UserError:
    place = properties.span_of(key)
    return UserError(
        "PIPE_PROPERTY_OF_OTHER_SOURCE", property=key, owner=owner, source=source, span=place
    )
