"""What every queue does, whichever cloud holds it."""

from __future__ import annotations

import threading
import time

import pytest
from tests.unit.queues.clouds import Cloud

from headwater.errors import UserError
from headwater.queues.queue import Queue, QueueMessage


def drained(queue: Queue) -> list[QueueMessage]:
    """Everything that can be had now, without deleting it."""
    found: list[QueueMessage] = []
    while more := queue.receive(wait_seconds=0):
        found += more
    return found


@pytest.mark.parametrize("body", ["x", '{"a": "b"}', "<a> & 'ü' ]]> 日本\n\ttwo", "+%20+"])
def test_a_message_comes_as_it_was_sent(cloud: Cloud, queue: Queue, body: str) -> None:
    cloud.send(body)
    (message,) = queue.receive(wait_seconds=5)
    assert message.body == body
    assert message.id
    assert message.receipt


def test_an_empty_queue_has_no_messages(queue: Queue) -> None:
    started = time.monotonic()
    assert queue.receive(wait_seconds=0) == []
    assert time.monotonic() - started < 1.0


def test_waiting_ends_in_time(queue: Queue) -> None:
    started = time.monotonic()
    assert queue.receive(wait_seconds=1) == []
    assert 0.9 <= time.monotonic() - started < 3.0


def test_waiting_ends_with_a_message(cloud: Cloud, queue: Queue) -> None:
    timer = threading.Timer(0.3, cloud.send, ["late"])
    started = time.monotonic()
    timer.start()
    (message,) = queue.receive(wait_seconds=10)
    timer.join()
    assert message.body == "late"
    assert time.monotonic() - started < 5.0


def test_no_more_than_asked_for(cloud: Cloud, queue: Queue) -> None:
    for number in range(5):
        cloud.send(str(number))
    assert len(queue.receive(wait_seconds=1, most=2)) <= 2
    assert len(queue.receive(wait_seconds=1, most=1000)) <= 16


def test_what_is_deleted_does_not_come_again(cloud: Cloud, queue: Queue) -> None:
    cloud.send("a")
    queue.delete(queue.receive(wait_seconds=5))
    assert queue.receive(wait_seconds=2) == []


def test_what_is_not_deleted_comes_again(cloud: Cloud, queue: Queue) -> None:
    cloud.send("a")
    (first,) = queue.receive(wait_seconds=5)
    assert queue.receive(wait_seconds=0) == [], "it is hidden for a second"
    (second,) = queue.receive(wait_seconds=5)
    assert (second.id, second.body) == (first.id, "a")
    assert second.receipt != first.receipt
    queue.delete([second])
    assert queue.receive(wait_seconds=2) == []


def test_deleting_late_or_twice_is_no_error(cloud: Cloud, queue: Queue) -> None:
    for body in ("a", "b"):
        cloud.send(body)
    messages = drained(queue)
    assert len(messages) == 2
    queue.delete(messages[:1])
    queue.delete(messages)
    time.sleep(1.1)
    assert queue.receive(wait_seconds=0) == []
    queue.delete(messages)


def test_deleting_more_than_fit_into_a_request(cloud: Cloud, queue: Queue) -> None:
    for number in range(35):
        cloud.send(str(number))
    messages = drained(queue)
    assert sorted(int(message.body) for message in messages) == list(range(35))
    queue.delete(messages)
    time.sleep(1.1)
    assert drained(queue) == []


def test_deleting_nothing_asks_nothing(cloud: Cloud) -> None:
    missing = cloud.open("no-such-queue")
    missing.delete([])


def test_a_queue_that_is_missing(cloud: Cloud) -> None:
    missing = cloud.open("no-such-queue")
    with pytest.raises(UserError, match="there is no queue 'no-such-queue'") as caught:
        missing.receive(wait_seconds=0)
    assert caught.value.condition == "QUEUE_NOT_FOUND"


def test_a_queue_can_be_used_after_it_is_closed(cloud: Cloud, queue: Queue) -> None:
    assert queue.receive(wait_seconds=0) == []
    queue.close()
    cloud.send("a")
    assert [message.body for message in queue.receive(wait_seconds=5)] == ["a"]


def test_several_threads_share_a_queue(cloud: Cloud, queue: Queue) -> None:
    for number in range(20):
        cloud.send(str(number))
    bodies: list[str] = []

    def read() -> None:
        while messages := queue.receive(wait_seconds=0, most=3):
            bodies.extend(message.body for message in messages)
            queue.delete(messages)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(bodies) == {str(number) for number in range(20)}
