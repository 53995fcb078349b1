"""MNS when it misbehaves, and how it is asked; the fake checks every signature."""

from __future__ import annotations

import time

import pytest
from tests.servers.mns_server import ACCESS_KEY, SECRET, MnsServer, running_mns
from tests.unit.queues.clouds import open_mns
from tests.unit.storage.fake_store import Canned, fake_store

from headwater.errors import TransientError, UserError
from headwater.queues.mns import MnsQueue
from headwater.queues.mns_names import mns_name
from headwater.queues.queue import QueueMessage
from headwater.storage.connections import AccessKeys
from headwater.storage.exchange import Patience

ERRORS = b"""<?xml version="1.0"?><Errors xmlns="http://mns.aliyuncs.com/doc/v1/"><Error>
<ErrorCode>%s</ErrorCode><ErrorMessage>x</ErrorMessage><ReceiptHandle>1</ReceiptHandle></Error>
</Errors>"""
ODD = b'<?xml version="1.0" encoding="no-such"?><Messages/>'
MESSAGE = QueueMessage("id", "receipt", "body")


def test_requests_are_as_documented(mns: MnsServer) -> None:
    name = mns.create_queue()
    mns.send(name, "a")
    queue = open_mns(mns, name)
    queue.delete(queue.receive(wait_seconds=7, most=16))
    expected = f"GET /queues/{name}/messages?numOfMessages=16&waitseconds=7"
    assert mns.requests == [expected, f"DELETE /queues/{name}/messages"]


def test_temporary_keys_show_their_token() -> None:
    with running_mns(token="t0ken") as server:
        name = server.create_queue()
        server.send(name, "a")
        queue = open_mns(server, name, AccessKeys(ACCESS_KEY, SECRET, "t0ken"))
        assert [message.body for message in queue.receive(wait_seconds=1)] == ["a"]
        with pytest.raises(UserError, match="InvalidSecurityToken"):
            open_mns(server, name).receive(wait_seconds=0)


def test_wrong_keys_are_told_apart_and_never_shown(mns: MnsServer) -> None:
    queue = open_mns(mns, mns.create_queue(), AccessKeys(ACCESS_KEY, "wr0ng"))
    with pytest.raises(UserError) as caught:
        queue.receive(wait_seconds=0)
    assert caught.value.condition == "QUEUE_DENIED"
    assert "SignatureDoesNotMatch" in str(caught.value)
    assert "mns:BatchReceiveMessage and mns:BatchDeleteMessage" in str(caught.value)
    assert "wr0ng" not in str(caught.value)


def test_a_busy_server_is_asked_again(mns: MnsServer) -> None:
    name = mns.create_queue()
    mns.send(name, "a")
    mns.next_statuses.extend([500, 503])
    (message,) = open_mns(mns, name).receive(wait_seconds=0)
    mns.next_statuses.append(500)
    open_mns(mns, name).delete([message])
    assert mns.queues[name] == []


def test_a_server_that_stays_busy_is_left_for_later(mns: MnsServer) -> None:
    mns.next_statuses.extend([500] * 4)
    with pytest.raises(TransientError) as caught:
        open_mns(mns, mns.create_queue()).receive(wait_seconds=0)
    assert caught.value.condition == "QUEUE_BUSY"


def test_a_server_that_is_down() -> None:
    with running_mns() as server:
        name = server.create_queue()
        queue = open_mns(server, name)
        assert queue.receive(wait_seconds=0) == []
        queue.close()
    with pytest.raises(TransientError) as caught:
        queue.receive(wait_seconds=0)
    assert caught.value.condition == "QUEUE_UNREACHABLE"
    assert f"the queue '{name}'" in str(caught.value)


def test_a_server_that_is_too_slow(mns: MnsServer) -> None:
    name = mns.create_queue()
    mns.pause_seconds = 1.0
    found = mns_name(name, mns.endpoint)
    patience = Patience(answer_seconds=0.2, attempts=2, total_seconds=0.5)
    queue = MnsQueue(found, lambda: AccessKeys(ACCESS_KEY, SECRET), patience=patience)
    started = time.monotonic()
    with pytest.raises(TransientError, match="did not answer in time"):
        queue.receive(wait_seconds=0)
    assert time.monotonic() - started < 3.0


def test_the_same_message_may_come_twice_and_in_any_order(mns: MnsServer) -> None:
    name = mns.create_queue()
    for body in ("1", "2", "3"):
        mns.send(name, body)
    mns.duplicates = mns.newest_first = True
    queue = open_mns(mns, name)
    first = queue.receive(wait_seconds=0)
    assert [message.body for message in first] == ["3", "2", "1"]
    second = queue.receive(wait_seconds=0)
    assert [message.id for message in second] == [message.id for message in first]
    queue.delete(first)
    assert len(mns.queues[name]) == 3, "the receipts of the first delivery have ended"
    queue.delete(second)
    assert mns.queues[name] == []


@pytest.mark.parametrize(
    ("code", "fails"),
    [(b"ReceiptHandleError", False), (b"MessageNotExist", False), (b"InternalError", True)],
)
def test_errors_of_single_receipts(code: bytes, fails: bool) -> None:
    with fake_store(Canned(404, ERRORS % code)) as fake:
        found = mns_name("q", f"http://127.0.0.1:{fake.port}")
        queue = MnsQueue(found, lambda: AccessKeys("k", "s"))
        if not fails:
            queue.delete([MESSAGE])
            return
        with pytest.raises(TransientError, match="InternalError"):
            queue.delete([MESSAGE])


@pytest.mark.parametrize(
    "body", [b"", b"<html>log in</html>", b"<Messages><Message/></Messages>", ODD]
)
def test_the_page_of_a_proxy_is_no_empty_queue(body: bytes) -> None:
    with fake_store(Canned(200, body)) as fake:
        found = mns_name("q", f"http://127.0.0.1:{fake.port}")
        with pytest.raises(TransientError, match="cannot be understood"):
            MnsQueue(found, lambda: AccessKeys("k", "s")).receive(wait_seconds=0)


@pytest.mark.parametrize("body", [b"", b"no", ODD, b'<?xml version="1.0" encoding="gbk"?><Error/>'])
def test_a_refusal_that_says_nothing(body: bytes) -> None:
    with fake_store(Canned(400, body)) as fake:
        found = mns_name("q", f"http://127.0.0.1:{fake.port}")
        queue = MnsQueue(found, lambda: AccessKeys("k", "s"))
        with pytest.raises(UserError, match="HTTP status 400"):
            queue.receive(wait_seconds=0)
        with pytest.raises(UserError, match="HTTP status 400"):
            queue.delete([MESSAGE])
