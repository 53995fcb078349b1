"""The properties of a pipe: which there are, what each may hold, and which were given.

Law: `properties_of(p.given) == p`. What was typed is kept beside what it means, so that it can be
shown again and one of it can be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import did_you_mean, quote_literal
from headwater.sql.assignments import Assignment, require_once
from headwater.sql.job_hints import IGNORE_TMP_FILE, JobHint, hinted, read_job_hint
from headwater.sql.option_values import Unfit

Given = tuple[tuple[str, str], ...]
"""Keys in upper case with their values as text, in the order they were typed."""

_DAY = 86_400


class IngestMode(StrEnum):
    """How a pipe over a volume learns of new files, and whether it deletes them."""

    LIST_PURGE = "LIST_PURGE"
    EVENT_NOTIFICATION = "EVENT_NOTIFICATION"


class OnReplaced(StrEnum):
    """What a pipe does with a file that was loaded and has other contents now."""

    SKIP = "SKIP"
    LOAD = "LOAD"
    FAIL = "FAIL"


class OffsetPosition(StrEnum):
    """Where in its topics a new pipe starts; VALID keeps the group's offsets that still exist."""

    VALID = "valid"
    EARLIEST = "earliest"
    LATEST = "latest"
    TIMESTAMP = "timestamp"


@dataclass(frozen=True, slots=True)
class ResetOffsets:
    """RESET_KAFKA_GROUP_OFFSETS; 'none' is no reset at all."""

    position: OffsetPosition
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PipeProperties:
    """What the properties mean; `given` has those that were typed, `spans` where."""

    virtual_cluster: str
    ingest_mode: IngestMode | None = None
    mns_queue: str | None = None
    sqs_queue: str | None = None
    initial_delay_seconds: int = 0
    batch_interval_seconds: int = 60
    batch_size_per_partition: int = 500_000
    max_skip_batches: int = 30
    reset_offsets: ResetOffsets | None = None
    copy_job_hint: JobHint = ()
    on_replaced: OnReplaced = OnReplaced.SKIP
    given: Given = ()
    spans: tuple[tuple[str, Span], ...] = field(default=(), compare=False, repr=False)

    @property
    def ignore_tmp_file(self) -> bool:
        """Whether hidden files and those that are still being written are left out."""
        return (hinted(self.copy_job_hint, IGNORE_TMP_FILE) or "true").lower() == "true"

    def span_of(self, key: str) -> Span | None:
        """Where a property was typed, or None."""
        return dict(self.spans).get(key)

    def to_sql(self) -> str:
        """The properties as they were given, a line each."""
        return "\n".join(f"{key} = {quote_literal(value)}" for key, value in self.given)


def _not_empty(text: str) -> str:
    if not text.strip():
        raise Unfit("a text that is not empty")
    return text


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        digits = text.strip()
        # Numbers of thousands of digits are out of range before Python has to read them.
        if not digits.isascii() or not digits.isdigit() or len(digits.lstrip("0")) > len(str(most)):
            raise Unfit(f"a whole number from {least} to {most}")
        if not least <= int(digits) <= most:
            raise Unfit(f"a whole number from {least} to {most}")
        return int(digits)

    return read


def _ingest_mode(text: str) -> IngestMode:
    if text.upper() not in [*IngestMode]:
        raise Unfit(" or ".join(IngestMode))
    return IngestMode(text.upper())


def _on_replaced(text: str) -> OnReplaced:
    if text.upper() not in [*OnReplaced]:
        raise Unfit("SKIP, LOAD or FAIL")
    return OnReplaced(text.upper())


_EPOCH_MS = _number(0, 99_999_999_999_999)


def _reset_offsets(text: str) -> ResetOffsets | None:
    word = text.strip().lower()
    if word == "none":
        return None
    if word in (OffsetPosition.VALID, OffsetPosition.EARLIEST, OffsetPosition.LATEST):
        return ResetOffsets(OffsetPosition(word))
    try:
        return ResetOffsets(OffsetPosition.TIMESTAMP, _EPOCH_MS(word))
    except Unfit:
        raise Unfit("none, valid, earliest, latest or milliseconds since 1970") from None


@dataclass(frozen=True, slots=True)
class _Property:
    field: str
    read: Callable[[str], object]
    alterable: bool = False


_PROPERTIES = {
    "VIRTUAL_CLUSTER": _Property("virtual_cluster", _not_empty, alterable=True),
    "INGEST_MODE": _Property("ingest_mode", _ingest_mode),
    "ALICLOUD_MNS_QUEUE": _Property("mns_queue", _not_empty),
    "AWS_SQS_QUEUE": _Property("sqs_queue", _not_empty),
    "INITIAL_DELAY_IN_SECONDS": _Property("initial_delay_seconds", _number(0, _DAY)),
    "BATCH_INTERVAL_IN_SECONDS": _Property(
        "batch_interval_seconds", _number(10, _DAY), alterable=True
    ),
    "BATCH_SIZE_PER_KAFKA_PARTITION": _Property(
        "batch_size_per_partition", _number(1, 1_000_000_000), alterable=True
    ),
    "MAX_SKIP_BATCH_COUNT_ON_ERROR": _Property(
        "max_skip_batches", _number(0, 1_000_000), alterable=True
    ),
    "RESET_KAFKA_GROUP_OFFSETS": _Property("reset_offsets", _reset_offsets),
    "COPY_JOB_HINT": _Property("copy_job_hint", read_job_hint, alterable=True),
    "ON_REPLACED": _Property("on_replaced", _on_replaced, alterable=True),
}
KAFKA_PROPERTIES = (
    "INITIAL_DELAY_IN_SECONDS",
    "BATCH_INTERVAL_IN_SECONDS",
    "BATCH_SIZE_PER_KAFKA_PARTITION",
    "MAX_SKIP_BATCH_COUNT_ON_ERROR",
    "RESET_KAFKA_GROUP_OFFSETS",
)
VOLUME_PROPERTIES = ("INGEST_MODE", "ALICLOUD_MNS_QUEUE", "AWS_SQS_QUEUE", "ON_REPLACED")
ALTERABLE = tuple(key for key, known in _PROPERTIES.items() if known.alterable)
PAUSED = "PIPE_EXECUTION_PAUSED"


def properties_of(given: Iterable[tuple[str, str]]) -> PipeProperties:
    """The properties from pairs that were kept."""
    return _built(tuple((key.upper(), value) for key, value in given), {}, {}, None)


def assigned_properties(given: Sequence[Assignment], *, span: Span) -> PipeProperties:
    """The properties from a statement; `span` is where one that is missing is missed."""
    require_once(given)
    pairs = tuple((item.name.upper(), item.value) for item in given)
    names = {item.name.upper(): item.name_span for item in given}
    values = {item.name.upper(): item.value_span for item in given}
    return _built(pairs, names, values, span)


def with_property(properties: PipeProperties, key: str, value: str) -> PipeProperties:
    """The properties with one of them changed, in the place where it stood."""
    require_alterable(key, value)
    name = key.upper()
    if name in dict(properties.given):
        return properties_of((k, value if k == name else v) for k, v in properties.given)
    return properties_of((*properties.given, (name, value)))


def require_alterable(
    key: str, value: str, *, span: Span | None = None, value_span: Span | None = None
) -> None:
    """Refuse what ALTER PIPE cannot set."""
    known = _property(key, span, also=(PAUSED,))
    if not known.alterable:
        raise UserError("PIPE_PROPERTY_FIXED", property=key.upper(), span=span)
    _read(key, known, value, value_span)


def _built(
    given: Given, names: Mapping[str, Span], values: Mapping[str, Span], end: Span | None
) -> PipeProperties:
    found: dict[str, Any] = {}
    for key, text in given:
        known = _property(key, names.get(key))
        found[known.field] = _read(key, known, text, values.get(key))
    if "virtual_cluster" not in found:
        raise UserError("PIPE_CLUSTER_MISSING", span=end)
    if "mns_queue" in found or "sqs_queue" in found:
        # The documents also create pipes that name the queue alone.
        found.setdefault("ingest_mode", IngestMode.EVENT_NOTIFICATION)
    return PipeProperties(**found, given=given, spans=tuple(names.items()))


def _property(key: str, span: Span | None, *, also: tuple[str, ...] = ()) -> _Property:
    known = _PROPERTIES.get(key.upper())
    if known is not None:
        return known
    names = (*_PROPERTIES, *also)
    hint = did_you_mean(key, names) or f"it has {', '.join(names)}"
    if key.upper() == PAUSED:
        hint = f"create the pipe, then write ALTER PIPE <pipe> SET {PAUSED} = TRUE"
    raise UserError("UNKNOWN_PROPERTY", owner="a pipe", name=key, span=span, hint=hint)


def _read(key: str, known: _Property, text: str, span: Span | None) -> object:
    try:
        return known.read(text)
    except Unfit as error:
        expected = str(error)
    raise ValueRejected(
        "PROPERTY_VALUE", name=key.upper(), value=text, expected=expected, span=span
    )
