"""Values that READ_KAFKA and Kafka tables share: brokers, topics, offsets, times, settings.

No message repeats the value of a setting: it may be a password.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from headwater.sql.option_values import Unfit

_HOST = r"(?:[\w.\-]+|\[[0-9A-Fa-f:.]+\])"
_BROKERS = re.compile(rf"{_HOST}:\d{{1,5}}(?:,{_HOST}:\d{{1,5}})*")
_TOPIC = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._\-]{1,249}")
_EPOCH_MS = re.compile(r"[0-9]{1,14}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", re.ASCII)
_PARTITION = re.compile(r"[0-9]{1,9}")
_EARLIEST_OFFSET, _LATEST_OFFSET = -2, -1
_LARGEST_OFFSET = 2**63 - 1

RETRY_SETTINGS = (
    "cz.kafka.fetch.retry.enable",
    "cz.kafka.fetch.retry.times",
    "cz.kafka.fetch.retry.intervalMs",
)
SETTING_PREFIX = "kafka."
_CHOICES = {
    "kafka.security.protocol": ("PLAINTEXT", "SASL_PLAINTEXT"),
    "kafka.sasl.mechanism": ("PLAIN",),
    "kafka.auto.offset.reset": ("earliest", "latest", "none"),
    "cz.kafka.fetch.retry.enable": ("true", "false"),
}
_ARGUMENTS = {"kafka.bootstrap.servers": "argument 1", "kafka.group.id": "argument 4"}


def brokers(text: str) -> str:
    """Hosts with their ports, joined by commas."""
    found = ",".join(part.strip() for part in text.split(","))
    if not _BROKERS.fullmatch(found):
        raise Unfit("brokers with their ports, such as 'host1:9092,host2:9092'")
    return found


def topics(text: str) -> tuple[str, ...]:
    """One or more topics, each once."""
    found = tuple(part.strip() for part in text.split(","))
    if not all(_TOPIC.fullmatch(topic) for topic in found):
        raise Unfit(
            "topics, such as 'orders' or 'orders,refunds': letters, digits, dots, underscores and"
            " hyphens"
        )
    if len(set(found)) < len(found):
        raise Unfit("each topic once")
    return found


def offsets(text: str, known_topics: tuple[str, ...]) -> str:
    """'earliest', 'latest' or a JSON object of topics, partitions and offsets."""
    word = text.strip().lower()
    if word in ("earliest", "latest"):
        return word
    expected = 'earliest, latest or offsets, such as {"orders": {"0": 5, "1": -2}}'
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Unfit(expected) from None
    if not isinstance(found, dict) or not all(map(_is_offsets, found.values())):
        raise Unfit(expected)
    if not set(found) <= set(known_topics):
        raise Unfit(f"offsets of the topics {', '.join(known_topics)} alone")
    return text


def _is_offsets(partitions: Any) -> bool:
    if not isinstance(partitions, dict):
        return False
    return all(
        _PARTITION.fullmatch(partition)
        and type(offset) is int
        and _EARLIEST_OFFSET <= offset <= _LARGEST_OFFSET
        for partition, offset in partitions.items()
    )


def moment(text: str) -> str:
    """Milliseconds since 1970, or a time of the session's zone."""
    found = text.strip()
    if _EPOCH_MS.fullmatch(found) or (_TIME.fullmatch(found) and _is_time(found)):
        return found
    raise Unfit("milliseconds since 1970, or a time such as '2024-01-31 12:00:00'")


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def require_setting(key: str, value: str) -> None:
    """Refuse a setting that no consumer has, or one that stands elsewhere."""
    if not (key in RETRY_SETTINGS or (key.startswith(SETTING_PREFIX) and key != SETTING_PREFIX)):
        names = ", ".join(RETRY_SETTINGS)
        raise Unfit(f"settings that start with {SETTING_PREFIX}, and {names}")
    if key in _ARGUMENTS:
        raise Unfit(f"{key} as {_ARGUMENTS[key]}, not as a setting")
    choices = _CHOICES.get(key)
    if choices is not None and value not in choices:
        raise Unfit(f"{key} as {' or '.join(choices)} only")
    if key in RETRY_SETTINGS[1:] and not _PARTITION.fullmatch(value):
        raise Unfit(f"{key} as a whole number")
