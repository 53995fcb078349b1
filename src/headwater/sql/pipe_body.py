"""What a pipe runs for each batch: one statement that reads exactly one source of new rows.

The source is a volume, topics of Kafka, or a stream. Which of the tables that a text names is a
stream is known to the catalog alone, so that a text with neither of the others has candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from headwater.errors import Span, UserError
from headwater.names import ObjectName
from headwater.sql.copy_into_table import CopyIntoTable
from headwater.sql.copy_into_volume import CopyIntoVolume, parse_copy
from headwater.sql.cursor import Cursor
from headwater.sql.dml import Insert, Merge, parse_insert, parse_merge
from headwater.sql.file_selection import ALL_FILES, FileSelection
from headwater.sql.read_kafka import ARGUMENTS, ReadKafka
from headwater.sql.relations import Relations, find_relations
from headwater.sql.tokens import Token, tokenize
from headwater.sql.volume_refs import VolumeKind
from headwater.sql.volume_relation import VolumeRelation

PipeStatement: TypeAlias = CopyIntoTable | Insert | Merge


@dataclass(frozen=True, slots=True)
class VolumeSource:
    """The files of an external or named volume."""

    relation: VolumeRelation
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """The messages of READ_KAFKA."""

    relation: ReadKafka
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class StreamSource:
    """The relations that are read by name, each once, in the order of the text: one is a stream."""

    candidates: tuple[ObjectName, ...]
    spans: tuple[Span, ...] = field(default=(), compare=False)


PipeSource: TypeAlias = VolumeSource | KafkaSource | StreamSource


@dataclass(frozen=True, slots=True)
class PipeBody:
    """The text behind AS and what it says; all places are places in `text`.

    The text may hold a password of Kafka's: it is shown only through `masking.mask`.
    """

    text: str = field(repr=False)
    statement: PipeStatement = field(repr=False)
    source: PipeSource

    @property
    def target(self) -> ObjectName:
        """The table that is written."""
        return self.statement.target

    @property
    def purge(self) -> bool:
        """Whether the statement says that loaded files are deleted."""
        return isinstance(self.statement, CopyIntoTable) and self.statement.purge


def pipe_body(text: str, *, start: int = 0) -> PipeBody:
    """Read the text behind AS; `start` is its place in the statement that errors point into."""
    try:
        statement = _statement(text)
        return PipeBody(text, statement, _source(text, statement))
    except UserError as error:
        error.span = _moved(error.span, start)
        raise


def _statement(text: str) -> PipeStatement:
    cursor = Cursor(text)
    first = cursor.token
    statement: PipeStatement | CopyIntoVolume
    match first.upper:
        case "COPY":
            statement = parse_copy(cursor)
        case "INSERT":
            statement = parse_insert(cursor)
        case "MERGE":
            statement = parse_merge(cursor)
        case _:
            raise UserError("PIPE_BODY", found=first.text, span=first.span)
    if isinstance(statement, CopyIntoVolume):
        raise UserError("PIPE_BODY", found="COPY INTO a volume", span=first.span)
    if not isinstance(statement, Merge) and statement.overwrite:
        raise UserError("PIPE_OVERWRITES", span=cursor.tokens[1].span)
    _require_no_replacing(cursor.tokens)
    return statement


def _require_no_replacing(tokens: list[Token]) -> None:
    """INSERT INTO t REPLACE WHERE .. deletes what earlier batches wrote."""
    for token, after in pairwise(tokens):
        if tokens[0].upper == "INSERT" and (token.upper, after.upper) == ("REPLACE", "WHERE"):
            raise UserError("PIPE_OVERWRITES", span=Span(token.start, after.end))


def _source(text: str, statement: PipeStatement) -> PipeSource:
    if isinstance(statement, CopyIntoTable) and statement.source is not None:
        _require_whole_volume(statement.source, 0)
        return VolumeSource(statement.source, statement.source_span)
    found, shift = _relations(text, statement)
    volumes: list[VolumeSource] = []
    topics: list[KafkaSource] = []
    for item in found.own:
        span = Span(item.span.start + shift, item.span.end + shift)
        if isinstance(item.relation, VolumeRelation):
            volumes.append(VolumeSource(item.relation, span))
        elif isinstance(item.relation, ReadKafka):
            topics.append(KafkaSource(item.relation, span))
    if volumes and topics:
        raise UserError("PIPE_VOLUME_AND_KAFKA", span=topics[0].span)
    if volumes[1:]:
        raise UserError("PIPE_TWO_VOLUMES", span=volumes[1].span)
    if topics[1:]:
        raise UserError("PIPE_TWO_TOPICS", span=topics[1].span)
    if volumes:
        _require_whole_volume(volumes[0].relation, shift)
        return volumes[0]
    if topics:
        _require_resumable(topics[0].relation, shift)
        return topics[0]
    return _candidates(text, found, shift)


def _relations(text: str, statement: PipeStatement) -> tuple[Relations, int]:
    """What the statement reads, and how far the places in it are from those in the text."""
    if isinstance(statement, CopyIntoTable) and statement.query is not None:
        shift = statement.query_span.start if statement.query_span is not None else 0
        try:
            return find_relations(statement.query, tokenize(statement.query)), shift
        except UserError as error:
            error.span = _moved(error.span, shift)
            raise
    return find_relations(text, tokenize(text)), 0


def _candidates(text: str, found: Relations, shift: int) -> StreamSource:
    names: dict[ObjectName, Span] = {}
    for relation in found.named:
        if relation.role == "read":
            span = Span(relation.span.start + shift, relation.span.end + shift)
            names.setdefault(relation.name, span)
    if not names:
        raise UserError("PIPE_SOURCE_MISSING", span=Span(0, len(text)))
    return StreamSource(tuple(names), tuple(names.values()))


def _require_whole_volume(relation: VolumeRelation, shift: int) -> None:
    volume, selection = relation.volume, relation.selection
    if volume.kind is not VolumeKind.NAMED:
        span = _moved(volume.span, shift)
        raise UserError("PIPE_VOLUME_KIND", volume=volume.to_sql(), span=span)
    if selection != ALL_FILES:
        clause, span = _clause(selection), _moved(selection.span, shift)
        raise UserError("PIPE_SELECTS_FILES", clause=clause, span=span)


def _clause(selection: FileSelection) -> str:
    if selection.files:
        return "FILES"
    return "SUBDIRECTORY" if selection.subdirectory is not None else "REGEXP"


def _require_resumable(relation: ReadKafka, shift: int) -> None:
    positions = zip(relation.positions, relation.position_spans, ARGUMENTS[4:8], strict=True)
    for value, span, name in positions:
        if value:
            raise UserError("PIPE_KAFKA_POSITION", name=name, span=_moved(span, shift))
    if not relation.group_id.strip():
        raise UserError("PIPE_GROUP_MISSING", span=_moved(relation.spans[3], shift))


def _moved(span: Span | None, shift: int) -> Span | None:
    return None if span is None else Span(span.start + shift, span.end + shift)
