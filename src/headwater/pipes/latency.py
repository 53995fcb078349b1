"""How far a Kafka pipe is behind, as DESC PIPE shows it. Pure; times are milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from headwater.kafka.offsets import TopicOffsets

_UNKNOWN = -1


def latency(
    behind: TopicOffsets, *, at: datetime, last_batch_at: datetime | None
) -> dict[str, Any]:
    """By how many messages of each partition a pipe is behind, and since when."""
    several = len(behind) > 1
    lags = {
        f"{topic}-{partition}" if several else str(partition): count
        for topic, of_topic in behind.items()
        for partition, count in of_topic.items()
    }
    consumed = _ms(at) if not any(lags.values()) else _ms(last_batch_at)
    time_lag = _ms(at) - consumed if consumed != _UNKNOWN else _UNKNOWN
    return _shape(lags, consumed, sum(lags.values()), time_lag)


def latency_at(known: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    """What a look found, as it is at a later moment: time goes on while nobody looks."""
    kafka = known.get("kafka", {})
    consumed = kafka.get("lastConsumeTimestamp", _UNKNOWN)
    time_lag = kafka.get("timeLag", _UNKNOWN)
    if _UNKNOWN not in (consumed, time_lag):
        time_lag = max(_ms(at) - consumed, 0)
    return {"kafka": {**kafka, "timeLag": time_lag}}


def latency_after_failure(before: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was known last; how late it is now, nobody knows."""
    known = (before or {}).get("kafka", {})
    lags, consumed = known.get("lags", {}), known.get("lastConsumeTimestamp", _UNKNOWN)
    return _shape(lags, consumed, known.get("offsetLag", _UNKNOWN), _UNKNOWN)


def messages_behind(known: Mapping[str, Any] | None) -> int | None:
    """How many messages the last look that got an answer found unread; None without one."""
    count: int = (known or {}).get("kafka", {}).get("offsetLag", _UNKNOWN)
    return None if count == _UNKNOWN else count


def _shape(lags: Mapping[str, int], consumed: int, count: int, time_lag: int) -> dict[str, Any]:
    return {
        "kafka": {
            "lags": lags,
            "lastConsumeTimestamp": consumed,
            "offsetLag": count,
            "timeLag": time_lag,
        }
    }


def _ms(moment: datetime | None) -> int:
    return _UNKNOWN if moment is None else round(moment.timestamp() * 1000)
