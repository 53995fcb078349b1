"""Turning what Kafka answers, or that it does not answer, into Headwater's kinds of error.

Invariant: nothing that leaves here shows a secret. The library's own words are shortened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError, TransientError, UserError

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

_LONGEST_REASON = 200
# Names, because the library that knows the numbers is loaded only when it is needed.
_REFUSED = frozenset(
    {"_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "UNSUPPORTED_SASL_MECHANISM"}
    | {"TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"}
)
_UNREACHABLE = frozenset(
    {"_TIMED_OUT", "_TIMED_OUT_QUEUE", "_TRANSPORT", "_RESOLVE", "_ALL_BROKERS_DOWN", "_SSL"}
)
_BUSY = frozenset(
    {"LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "BROKER_NOT_AVAILABLE"}
    | {"REPLICA_NOT_AVAILABLE", "NETWORK_EXCEPTION", "REQUEST_TIMED_OUT", "_WAIT_COORD"}
    | {"COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR"}
    | {"NOT_CONTROLLER", "OFFSET_NOT_AVAILABLE", "UNKNOWN_LEADER_EPOCH", "FENCED_LEADER_EPOCH"}
    | {"KAFKA_STORAGE_ERROR", "THROTTLING_QUOTA_EXCEEDED", "UNSTABLE_OFFSET_COMMIT"}
)
_GROUP_IN_USE = frozenset(
    {"NON_EMPTY_GROUP", "UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS"}
)


def failed(error: KafkaError, *, servers: str, topic: str = "", group: str = "") -> HeadwaterError:
    """The error to raise for what the library reports; `servers` are the bootstrap servers."""
    code, reason = error.name(), reason_of(error)
    if code in _REFUSED:
        return UserError("KAFKA_REFUSED", servers=servers, reason=reason)
    if code in _UNREACHABLE:
        return TransientError("KAFKA_UNREACHABLE", servers=servers, reason=reason)
    if code in _BUSY:
        return TransientError("KAFKA_BUSY", servers=servers, reason=reason)
    if code == "UNKNOWN_TOPIC_OR_PART":
        return UserError("KAFKA_TOPIC_NOT_FOUND", topic=topic, servers=servers)
    if code == "TOPIC_EXCEPTION":
        return UserError("KAFKA_TOPIC_NAME_REFUSED", topic=topic)
    if code in _GROUP_IN_USE:
        return UserError("KAFKA_GROUP_IN_USE", group=group)
    return UserError("KAFKA_REQUEST_FAILED", servers=servers, reason=reason)


def is_refusal(error: KafkaError) -> bool:
    """Whether to wait longer is of no use."""
    return error.name() in _REFUSED


def reason_of(error: KafkaError) -> str:
    """What to show of the library's words."""
    return " ".join(error.str().split())[:_LONGEST_REASON]
