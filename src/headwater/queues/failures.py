"""Turning what a queue's server answers into Headwater's kinds of error; pure.

Invariant: nothing that leaves here shows a secret. A server's own words are shortened and masked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.storage.failures import Refusal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QueueWords:
    """How one kind of queue is spoken of: its codes, and the rights that reading it takes."""

    rights: str
    missing_codes: frozenset[str]
    denied_codes: frozenset[str]
    busy_codes: frozenset[str]


def queue_refused(refusal: Refusal, words: QueueWords, *, queue: str) -> HeadwaterError:
    """The error to raise for a refusal; `queue` is what the user wrote."""
    if refusal.busy or refusal.code in words.busy_codes:
        return TransientError("QUEUE_BUSY", queue=queue, reason=refusal.text)
    if refusal.code in words.missing_codes:
        return UserError("QUEUE_NOT_FOUND", queue=queue)
    if refusal.status in (401, 403) or refusal.code in words.denied_codes:
        return UserError("QUEUE_DENIED", queue=queue, reason=refusal.text, rights=words.rights)
    return UserError("QUEUE_REFUSED", queue=queue, reason=refusal.text)


def not_understood(queue: str) -> TransientError:
    """An answer that is none of the queue's, such as the page of a proxy."""
    return TransientError("QUEUE_BUSY", queue=queue, reason="the answer cannot be understood")


def asked(queue: str, ask: Callable[[], T]) -> T:
    """What `ask` returns; that a server does not answer is said of the queue, not of a store."""
    try:
        return ask()
    except TransientError as error:
        if error.condition != "STORE_UNREACHABLE":
            raise
        raise TransientError(
            "QUEUE_UNREACHABLE",
            queue=queue,
            server=error.parameters["server"],
            reason=error.parameters["reason"],
        ) from None
