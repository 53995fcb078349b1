"""What Spark says when Kafka's brokers are away or messages are gone, as errors that pass. Pure.

Spark has no condition for brokers that do not answer, and hides the one for messages that are gone:
both are known by the words of an exception somewhere below. Messages that are gone are known before
the next try, which leaves them out.
"""

from __future__ import annotations

import re

from headwater.errors import TransientError

GONE = "KAFKA_DATA_LOSS"
"""How Spark's conditions of messages that are gone begin."""
_GONE = re.compile(
    r"Some data may have been lost because they are not available in Kafka any more;"
    r".*?Reason: (.*?)(?:\s+with consumer group|\n\s*at |$)",
    re.DOTALL,
)
_NO_ANSWER = re.compile(
    r"org\.apache\.kafka\.common\.errors\.(?:Timeout|Disconnect)Exception: ([^\n]+)"
    r"|java\.util\.concurrent\.TimeoutException: (Cannot fetch record for offset [^\n]+)"
)


def kafka_trouble(trace: str, *, detail: str) -> TransientError | None:
    """The error for what a trace says about Kafka; None if it says nothing of that."""
    gone = _GONE.search(trace)
    if gone is not None:
        return TransientError("KAFKA_MESSAGES_GONE", problem=_words(gone[1]), detail=detail)
    away = _NO_ANSWER.search(trace)
    if away is not None:
        return TransientError("KAFKA_NO_ANSWER", reason=_words(away[1] or away[2]), detail=detail)
    return None


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
