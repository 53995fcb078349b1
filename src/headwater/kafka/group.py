"""The offsets of one consumer group, by a consumer that never joins it.

Why not the library's admin client: its questions about groups end the process (librdkafka 2.16)
when a broker answers that another one is in charge of the group, and when an answer comes too late
(librdkafka issue 4605).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, TopicPartition

_LOOK_SECONDS = 0.1


class GroupOffsets:
    """Reads and sets a group's offsets; `settings` are the library's. For one thread at a time.

    What goes wrong is the library's KafkaException, or TimeoutError.
    """

    def __init__(self, group_id: str, settings: Mapping[str, Any], timeout_seconds: float) -> None:
        from confluent_kafka import Consumer

        self._timeout_seconds = timeout_seconds
        self._answers: list[tuple[KafkaError | None, list[TopicPartition]]] = []
        self._unanswered = 0
        own = {"group.id": group_id, "enable.auto.commit": "false", "on_commit": self._answered}
        self._consumer = Consumer({**settings, **own})

    def read(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """What was committed for these partitions, each with an offset below 0 for nothing."""
        return self._consumer.committed(places, self._timeout_seconds)

    def commit(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """Sets offsets; partitions come back with the error that each met, if any."""
        from confluent_kafka import KafkaException

        deadline = time.monotonic() + self._timeout_seconds
        self._unanswered += 1
        # Waiting inside the library has no end while a broker does not answer.
        self._consumer.commit(offsets=places, asynchronous=True)
        while self._unanswered:
            self._consumer.poll(_LOOK_SECONDS)
            if time.monotonic() > deadline:
                raise TimeoutError
        error, answers = self._answers[-1]
        self._answers.clear()
        if error is not None and not any(place.error for place in answers):
            raise KafkaException(error)
        return answers

    def close(self) -> None:
        """Lets the consumer go; it waits for commits on the way, which nobody else should."""
        if self._unanswered:
            Thread(target=self._consumer.close, daemon=True).start()
        else:
            self._consumer.close()

    def _answered(self, error: KafkaError | None, places: list[TopicPartition]) -> None:
        self._unanswered -= 1
        self._answers.append((error, places))
