"""The interface of a queue of messages, whichever cloud holds it.

Law: a message that is received and not deleted comes again. The same message may come twice, and
messages may come in any order; whoever reads a queue must not mind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """One message as it was received; `receipt` is of this delivery and soon ends."""

    id: str
    receipt: str
    body: str


class Queue(Protocol):
    """A queue of messages. Safe to use from several threads at once."""

    def receive(self, *, wait_seconds: int, most: int = 10) -> list[QueueMessage]:
        """The next messages, or none after `wait_seconds`; hidden from others for a while.

        A queue gives no more than its cloud does (SQS 10 messages and 20 seconds, MNS 16 and 30).
        """
        ...

    def delete(self, messages: Sequence[QueueMessage]) -> None:
        """Remove messages that are done with; a receipt that has ended is no error."""
        ...

    def close(self) -> None:
        """Give up connections; the queue opens new ones if it is used again."""
        ...
