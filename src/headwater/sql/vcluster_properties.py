"""The properties of a virtual cluster: which there are, what each may hold, which were given.

Law: `cluster_properties_of(p.given) == p`. What was typed is kept beside what it means, so that it
can be shown again and some of it can be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import did_you_mean, quote_literal
from headwater.sql.assignments import Assignment, require_once
from headwater.sql.option_values import Unfit
from headwater.sql.vcluster_values import (
    boolean,
    comma_list,
    ratio,
    size,
    suspend_seconds,
    whole,
)

Given = tuple[tuple[str, str], ...]
"""Keys in upper case with their values as text, in the order they were typed."""

_MOST_SECONDS = 2_147_483_647
_SIZE = "VCLUSTER_SIZE"
_LEAST_SIZE, _MOST_SIZE = "MIN_VCLUSTER_SIZE", "MAX_VCLUSTER_SIZE"
_RANGE = (_LEAST_SIZE, _MOST_SIZE)
_LEAST_REPLICAS, _MOST_REPLICAS = "MIN_REPLICAS", "MAX_REPLICAS"
_TYPE = "VCLUSTER_TYPE"
_SUSPEND = "AUTO_SUSPEND_IN_SECOND"


class ClusterType(StrEnum):
    """What a cluster is for; only GENERAL ones compact small files."""

    GENERAL = "GENERAL"
    ANALYTICS = "ANALYTICS"
    INTEGRATION = "INTEGRATION"


_ALIASES = {"GP": ClusterType.GENERAL, "AP": ClusterType.ANALYTICS}
_ELASTIC = (ClusterType.GENERAL, ClusterType.INTEGRATION)
_ANALYTICS = (ClusterType.ANALYTICS,)


@dataclass(frozen=True, slots=True)
class ClusterProperties:
    """What the properties mean; sizes are in CRU. `given` has those that were typed."""

    type: ClusterType = ClusterType.GENERAL
    size: float | None = None
    least_size: float | None = None
    most_size: float | None = None
    least_replicas: int = 1
    most_replicas: int = 1
    concurrency: int = 8
    """For ANALYTICS: how many jobs one replica runs at once."""
    suspend_seconds: int = 600
    """After how much idle time it is suspended; -1 is never."""
    auto_resume: bool = True
    runtime_seconds: int = 86_400
    resource_ratio: float = 1.0
    preload_tables: tuple[str, ...] = ()
    preload_seconds: int | None = None
    given: Given = ()

    @property
    def largest(self) -> float:
        """The size it has, or may grow to."""
        return self.most_size or self.size or 1

    @property
    def size_text(self) -> str:
        """The size as SHOW says it: one, or the range."""
        if self.least_size is not None and self.most_size is not None:
            return f"{self.least_size:g}-{self.most_size:g}"
        return f"{self.size or 1:g}"

    def to_sql(self) -> str:
        """The properties as they were given."""
        return properties_to_sql(self.given)


def properties_to_sql(given: Given) -> str:
    """Pairs as a statement has them."""
    return " ".join(f"{key} = {quote_literal(value)}" for key, value in given)


def _type(text: str) -> ClusterType:
    word = text.strip().upper()
    if word in _ALIASES:
        return _ALIASES[word]
    if word not in [*ClusterType]:
        raise Unfit("GENERAL, ANALYTICS or INTEGRATION")
    return ClusterType(word)


@dataclass(frozen=True, slots=True)
class _Property:
    field: str
    read: Callable[[str], object]
    types: tuple[ClusterType, ...] = tuple(ClusterType)


_PROPERTIES = {
    _TYPE: _Property("type", _type),
    _SIZE: _Property("size", size),
    _LEAST_SIZE: _Property("least_size", size, _ELASTIC),
    _MOST_SIZE: _Property("most_size", size, _ELASTIC),
    _LEAST_REPLICAS: _Property("least_replicas", whole(1, 10), _ANALYTICS),
    _MOST_REPLICAS: _Property("most_replicas", whole(1, 10), _ANALYTICS),
    "MAX_CONCURRENCY": _Property("concurrency", whole(1, 32), _ANALYTICS),
    _SUSPEND: _Property("suspend_seconds", suspend_seconds(0)),
    "AUTO_RESUME": _Property("auto_resume", boolean),
    "QUERY_RUNTIME_LIMIT_IN_SECOND": _Property("runtime_seconds", whole(1, _MOST_SECONDS)),
    "QUERY_RESOURCE_LIMIT_RATIO": _Property("resource_ratio", ratio, (ClusterType.GENERAL,)),
    "PRELOAD_TABLES": _Property("preload_tables", comma_list, _ANALYTICS),
    "AUTO_PRELOAD_IN_SECOND": _Property("preload_seconds", whole(1, _MOST_SECONDS), _ANALYTICS),
}
_SUSPEND_AT_CREATE = _Property("suspend_seconds", suspend_seconds(15))


@dataclass(frozen=True, slots=True)
class _Places:
    """Where names and values stand in the text."""

    names: Mapping[str, Span]
    values: Mapping[str, Span]


_NOWHERE = _Places({}, {})


def cluster_properties_of(given: Iterable[tuple[str, str]]) -> ClusterProperties:
    """The properties from pairs that were kept."""
    return _built(tuple((key.upper(), value) for key, value in given), _NOWHERE)


def created_properties(given: Sequence[Assignment]) -> ClusterProperties:
    """The properties of a new cluster."""
    pairs, places = _pairs(given)
    for key, text in pairs:
        if key == _SUSPEND:
            _read(key, _SUSPEND_AT_CREATE, text, places)
    _refuse_both_sizes(dict(pairs), places)
    return _built(pairs, places)


def checked_changes(given: Sequence[Assignment]) -> Given:
    """What SET is given, each checked alone: only the cluster knows whether all fit together."""
    pairs, places = _pairs(given)
    for key, text in pairs:
        known = _property(key, places)
        if key == _TYPE:
            span = places.names.get(key)
            raise UserError("VCLUSTER_PROPERTY_FIXED", property=key, span=span)
        _read(key, known, text, places)
    _refuse_both_sizes(dict(pairs), places)
    return pairs


def changed_properties(
    old: ClusterProperties, changes: Given, *, spans: Mapping[str, Span]
) -> ClusterProperties:
    """The properties with some changed; a size takes the place of a range, and the reverse."""
    changed = dict(changes)
    gone: tuple[str, ...] = _RANGE if _SIZE in changed else ()
    if set(_RANGE) & set(changed):
        gone = (_SIZE,)
    kept = {key: value for key, value in old.given if key not in gone}
    return _built(tuple((kept | changed).items()), _Places(spans, spans))


def _pairs(given: Sequence[Assignment]) -> tuple[Given, _Places]:
    require_once(given)
    pairs = tuple((item.name.upper(), item.value) for item in given)
    names = {item.name.upper(): item.name_span for item in given}
    values = {item.name.upper(): item.value_span for item in given}
    return pairs, _Places(names, values)


def _refuse_both_sizes(given: Mapping[str, str], places: _Places) -> None:
    for key in _RANGE:
        if _SIZE in given and key in given:
            span = places.names.get(key)
            raise UserError("VCLUSTER_SIZE_AND_RANGE", property=key, span=span)


def _built(given: Given, places: _Places) -> ClusterProperties:
    found: dict[str, Any] = {}
    for key, text in given:
        known = _property(key, places)
        found[known.field] = _read(key, known, text, places)
    kind = found.get("type", ClusterType.GENERAL)
    for key, text in given:
        _require_type(key, kind, places)
        if _PROPERTIES[key].read is size:
            _require_size(key, text, found[_PROPERTIES[key].field], kind, places)
    if _LEAST_REPLICAS in dict(given) and _MOST_REPLICAS not in dict(given):
        found["most_replicas"] = found["least_replicas"]
    properties = ClusterProperties(**found, given=given)
    _require_ranges(properties, places)
    return properties


def _require_type(key: str, kind: ClusterType, places: _Places) -> None:
    types = _PROPERTIES[key].types
    if kind not in types:
        raise UserError(
            "VCLUSTER_PROPERTY_OF_OTHER_TYPE",
            property=key,
            types=" or ".join(types),
            type=kind,
            span=places.names.get(key),
        )


def _require_size(key: str, text: str, value: float, kind: ClusterType, places: _Places) -> None:
    """INTEGRATION alone may be smaller than 1, and ANALYTICS must be a power of two."""
    if value < 1 and kind is not ClusterType.INTEGRATION:
        raise _unfit(key, text, "a whole number from 1 to 256, or XSMALL to X5LARGE", places)
    if kind is ClusterType.ANALYTICS and int(value) & (int(value) - 1):
        expected = "a power of two from 1 to 256 for an ANALYTICS cluster"
        raise _unfit(key, text, expected, places)


def _require_ranges(found: ClusterProperties, places: _Places) -> None:
    if (found.least_size is None) != (found.most_size is None):
        there, missing = _RANGE if found.most_size is None else reversed(_RANGE)
        span = places.names.get(there)
        raise UserError("VCLUSTER_RANGE_HALF", there=there, missing=missing, span=span)
    sizes = (found.least_size or 0, found.most_size or 0)
    replicas = (found.least_replicas, found.most_replicas)
    for (least, most), keys in ((sizes, _RANGE), (replicas, (_LEAST_REPLICAS, _MOST_REPLICAS))):
        if least > most:
            raise UserError(
                "VCLUSTER_RANGE_REVERSED",
                least=keys[0],
                most=keys[1],
                span=places.values.get(keys[0]) or places.values.get(keys[1]),
            )


def _property(key: str, places: _Places) -> _Property:
    known = _PROPERTIES.get(key)
    if known is not None:
        return known
    hint = did_you_mean(key, _PROPERTIES) or f"it has {', '.join(_PROPERTIES)}"
    span = places.names.get(key)
    raise UserError("UNKNOWN_PROPERTY", owner="a virtual cluster", name=key, span=span, hint=hint)


def _read(key: str, known: _Property, text: str, places: _Places) -> object:
    try:
        return known.read(text)
    except Unfit as error:
        expected = str(error)
    raise _unfit(key, text, expected, places)


def _unfit(key: str, text: str, expected: str, places: _Places) -> ValueRejected:
    span = places.values.get(key)
    return ValueRejected("PROPERTY_VALUE", name=key, value=text, expected=expected, span=span)
