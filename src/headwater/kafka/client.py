"""Asking Kafka's brokers about topics and offsets, without reading a message.

`latest` is the end that a consumer with the same `isolation.level` reaches: by default the end of
the log, with `read_committed` the last offset before an open transaction. Spark's reader waits in
vain for offsets beyond that, so both must be given the same setting.

One client stays open, and does nothing between two questions but keep its connection. It is the
library's admin client, which asks for all partitions at once; a consumer asks for one at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

from headwater.errors import TransientError, UserError
from headwater.kafka.failures import failed, is_refusal, reason_of
from headwater.kafka.group import GroupOffsets
from headwater.kafka.offsets import TopicOffsets
from headwater.kafka.settings import for_librdkafka

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, TopicPartition
    from confluent_kafka.admin import AdminClient, OffsetSpec

_LOOK_SECONDS = 0.1
_PAUSE_SECONDS = 0.2
_NO_ANSWER = "it did not answer in time"
_QUIET = {
    # Only what ends the process; everything else comes to us as an error.
    "log_level": "0",
    "log.connection.close": "false",
    # Brokers that are back are found again within a second.
    "reconnect.backoff.max.ms": "1000",
}

T = TypeVar("T")
Futures = Mapping[Any, "Future[Any]"]


class KafkaClient:
    """One cluster, as one consumer group sees it; for one thread at a time.

    `settings` are those of Kafka's Java consumer, without the prefix `kafka.`. Every question is
    answered, or fails, within `timeout_seconds`.
    """

    def __init__(
        self,
        bootstrap: str,
        settings: Mapping[str, str] | None = None,
        group_id: str = "",
        *,
        timeout_seconds: float = 10.0,
    ) -> None:
        self._bootstrap = bootstrap
        self._settings = dict(settings or {})
        self._group_id = group_id
        self._timeout_seconds = timeout_seconds
        self._admin: AdminClient | None = None
        self._group: GroupOffsets | None = None
        self._trouble: KafkaError | None = None
        """The last thing that went wrong with a connection; it may have been mended since."""

    def __repr__(self) -> str:
        return f"KafkaClient({self._bootstrap!r}, group_id={self._group_id!r})"

    def partitions(self, topics: Iterable[str]) -> dict[str, list[int]]:
        """The partitions of each topic, in order; it is an error if there is no such topic."""
        from confluent_kafka import TopicCollection

        names = sorted(set(topics))
        if not all(names):
            raise UserError("KAFKA_TOPIC_NAME_REFUSED", topic="")
        described = self._ask(
            lambda admin: admin.describe_topics(TopicCollection(names), **self._limits())
        )
        return {
            topic: sorted(partition.id for partition in described[topic].partitions)
            for topic in names
        }

    def earliest(self, topics: Iterable[str]) -> TopicOffsets:
        """The offset of the oldest message of each partition; the end where there is none."""
        return _by_topic(self._list_offsets(topics, lambda spec: spec.earliest()), "offset")

    def latest(self, topics: Iterable[str]) -> TopicOffsets:
        """The offset that the next message of each partition gets; see the head of the module."""
        return _by_topic(self._list_offsets(topics, lambda spec: spec.latest()), "offset")

    def offsets_at(self, topics: Iterable[str], epoch_ms: int) -> TopicOffsets:
        """The offset of the first message at or after that moment; the end where there is none."""
        names = list(topics)
        # Negative numbers mean something else to the library.
        moment = max(0, epoch_ms)
        answers = self._list_offsets(names, lambda spec: spec.for_timestamp(moment))
        found = _by_topic(answers, "offset")
        if all(offset >= 0 for offsets in found.values() for offset in offsets.values()):
            return found
        ends = self.latest(names)
        return {
            topic: {
                partition: offset if offset >= 0 else ends[topic][partition]
                for partition, offset in offsets.items()
            }
            for topic, offsets in found.items()
        }

    def newest_times(self, topics: Iterable[str]) -> TopicOffsets:
        """The newest time (milliseconds since 1970) in each partition that has messages."""
        answers = self._list_offsets(topics, lambda spec: spec.max_timestamp())
        return {
            topic: {partition: ms for partition, ms in of_topic.items() if ms >= 0}
            for topic, of_topic in _by_topic(answers, "timestamp").items()
        }

    def group_offsets(self, topics: Iterable[str]) -> TopicOffsets:
        """What the group committed in these topics; partitions without an offset are left out."""
        from confluent_kafka import TopicPartition

        places = [
            TopicPartition(topic, partition)
            for topic, partitions in self.partitions(topics).items()
            for partition in partitions
        ]
        offsets: dict[str, dict[int, int]] = {}
        for place in self._ask_group(lambda group: group.read(places)):
            if place.offset >= 0:
                offsets.setdefault(place.topic, {})[place.partition] = place.offset
        return offsets

    def commit_group_offsets(self, offsets: TopicOffsets) -> None:
        """Makes these the group's offsets, for tools that show how far behind a group is."""
        from confluent_kafka import TopicPartition

        places = [
            TopicPartition(topic, partition, offset)
            for topic, of_topic in offsets.items()
            for partition, offset in of_topic.items()
        ]
        if places:
            # Tells a refused password and a wrong topic apart from a group that is slow.
            self.partitions(offsets)
            self._ask_group(lambda group: group.commit(places))

    def close(self) -> None:
        """Ends the connections; a further question would open them again."""
        if self._group is not None:
            self._group.close()
        self._admin = self._group = None

    def _list_offsets(
        self, topics: Iterable[str], which: Callable[[Any], OffsetSpec]
    ) -> Mapping[TopicPartition, Any]:
        from confluent_kafka import OFFSET_INVALID, IsolationLevel, TopicPartition
        from confluent_kafka.admin import OffsetSpec

        committed = self._settings.get("isolation.level") == "read_committed"
        isolation = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        request = {
            TopicPartition(topic, partition): which(OffsetSpec)
            for topic, partitions in self.partitions(topics).items()
            for partition in partitions
        }
        answers = self._ask(
            lambda admin: admin.list_offsets(request, isolation_level=isolation, **self._limits())
        )
        # This is how the library says that the broker of a partition did not answer.
        if any(info.offset == OFFSET_INVALID for info in answers.values()):
            raise self._unreachable(_NO_ANSWER)
        return answers

    def _limits(self) -> dict[str, float]:
        return {"request_timeout": self._timeout_seconds}

    def _ask_group(
        self, question: Callable[[GroupOffsets], list[TopicPartition]]
    ) -> list[TopicPartition]:
        from confluent_kafka import KafkaException

        if self._group is None:
            settings = self._library_settings()
            self._group = GroupOffsets(self._group_id, settings, self._timeout_seconds)
        group = self._group

        def ask() -> list[TopicPartition]:
            try:
                answers = question(group)
            except KafkaException as raised:
                raise self._failed(raised.args[0], None) from None
            except TimeoutError:
                raise self._unreachable(_NO_ANSWER) from None
            for place in answers:
                if place.error is not None:
                    raise self._failed(place.error, place)
            return answers

        return self._patiently(ask)

    def _ask(self, question: Callable[[AdminClient], Futures]) -> dict[Any, Any]:
        """Every answer to a question, or the error that one of them is."""
        return self._patiently(lambda: self._ask_once(question))

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Brokers that are busy, as those are that have just started, are asked again."""
        deadline = time.monotonic() + self._timeout_seconds
        while True:
            try:
                return ask()
            except TransientError as error:
                if error.condition != "KAFKA_BUSY" or time.monotonic() > deadline:
                    raise
            time.sleep(_PAUSE_SECONDS)

    def _ask_once(self, question: Callable[[AdminClient], Futures]) -> dict[Any, Any]:
        from confluent_kafka import KafkaException

        admin = self._open()
        # Connections break while nobody looks; that is of no interest any more.
        admin.poll(0)
        self._trouble = None
        futures = question(admin)
        self._wait(admin, futures)
        answers = {}
        for about, future in futures.items():
            try:
                answers[about] = future.result(0)
            except KafkaException as raised:
                # Without the library's exception, whose words were not looked through.
                error: KafkaError = raised.args[0]
                raise self._failed(error, about) from None
        return answers

    def _wait(self, admin: AdminClient, futures: Futures) -> None:
        """Until all are answered; a refused password is not waited for, as the library would."""
        # The library ends a question itself; this is for the case that it does not.
        deadline = time.monotonic() + self._timeout_seconds + 1
        while wait(futures.values(), timeout=_LOOK_SECONDS).not_done:
            admin.poll(0)
            if self._trouble is not None and is_refusal(self._trouble):
                raise failed(self._trouble, servers=self._bootstrap)
            if time.monotonic() > deadline:
                raise self._unreachable(_NO_ANSWER)

    def _failed(self, error: KafkaError, about: object) -> Exception:
        if error.name().startswith("_TIMED_OUT"):
            return self._unreachable(_NO_ANSWER)
        topic = about if isinstance(about, str) else getattr(about, "topic", "")
        return failed(error, servers=self._bootstrap, topic=topic, group=self._group_id)

    def _unreachable(self, reason: str) -> TransientError:
        if self._trouble is not None:
            reason = reason_of(self._trouble)
        return TransientError("KAFKA_UNREACHABLE", servers=self._bootstrap, reason=reason)

    def _open(self) -> AdminClient:
        if self._admin is not None:
            return self._admin
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        try:
            self._admin = AdminClient(self._library_settings())
        except KafkaException as raised:
            reason = reason_of(raised.args[0])
            raise UserError("KAFKA_SETTING_REFUSED", reason=self._masked(reason)) from None
        return self._admin

    def _library_settings(self) -> dict[str, Any]:
        return {
            **for_librdkafka(self._settings),
            **_QUIET,
            "bootstrap.servers": self._bootstrap,
            "error_cb": self._remember,
        }

    def _remember(self, error: KafkaError) -> None:
        # That all brokers are down follows from something that says more.
        if self._trouble is None or error.name() != "_ALL_BROKERS_DOWN":
            self._trouble = error

    def _masked(self, text: str) -> str:
        secrets = for_librdkafka(self._settings)
        for name in ("sasl.password", "ssl.key.password", "ssl.key.pem"):
            if secrets.get(name):
                text = text.replace(secrets[name], "****")
        return text


def _by_topic(found: Mapping[TopicPartition, Any], what: str) -> dict[str, dict[int, int]]:
    values: dict[str, dict[int, int]] = {}
    for place, info in found.items():
        values.setdefault(place.topic, {})[place.partition] = getattr(info, what)
    return values
