"""How SQS is asked, and what becomes of its refusals; a fake answers from a list."""

from __future__ import annotations

import json

import pytest
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.queues.queue import QueueMessage
from headwater.queues.sqs import SqsQueue
from headwater.storage.connections import AccessKeys
from headwater.storage.exchange import Patience

KEYS = AccessKeys("key-id", "hw-sqs-s3cret", "t0ken")
ARN = "arn:aws:sqs:eu-west-1:123456789012:new-files"
URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/new-files"
FOUND = Canned(200, json.dumps({"QueueUrl": URL}).encode())
ONCE = Patience(attempts=1)


def sqs(fake: FakeStore, queue: str = ARN) -> SqsQueue:
    endpoint = f"http://127.0.0.1:{fake.port}"
    return SqsQueue(queue, "us-east-1", lambda: KEYS, endpoint=endpoint, patience=ONCE)


def refusal(status: int, code: str, message: str = "") -> Canned:
    body = {"__type": f"com.amazonaws.sqs#{code}", "message": message}
    return Canned(status, json.dumps(body).encode())


def test_a_queue_is_looked_up_once_and_signed_for_its_own_region() -> None:
    with fake_store(FOUND, Canned(200, b"{}")) as fake:
        queue = sqs(fake)
        assert queue.receive(wait_seconds=99, most=99) == []
        assert queue.receive(wait_seconds=0, most=0) == []
        lookup, first, second = fake.requests
        assert json.loads(lookup.body) == {
            "QueueName": "new-files",
            "QueueOwnerAWSAccountId": "123456789012",
        }
        assert lookup.headers["x-amz-target"] == "AmazonSQS.GetQueueUrl"
        assert first.headers["x-amz-target"] == "AmazonSQS.ReceiveMessage"
        assert first.headers["content-type"] == "application/x-amz-json-1.0"
        assert "/eu-west-1/sqs/aws4_request" in first.headers["authorization"]
        assert first.headers["x-amz-security-token"] == "t0ken"
        asked = [json.loads(request.body) for request in (first, second)]
        expected = {"QueueUrl": URL, "MaxNumberOfMessages": 10, "WaitTimeSeconds": 20}
        assert asked[0] == expected
        assert asked[1] == {"QueueUrl": URL, "MaxNumberOfMessages": 1, "WaitTimeSeconds": 0}


def test_an_address_needs_no_looking_up() -> None:
    with fake_store(Canned(200, b"{}")) as fake:
        sqs(fake, URL).receive(wait_seconds=0)
        (request,) = fake.requests
        assert json.loads(request.body)["QueueUrl"] == URL


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        (refusal(400, "QueueDoesNotExist"), "QUEUE_NOT_FOUND"),
        (refusal(400, "AWS.SimpleQueueService.NonExistentQueue"), "QUEUE_NOT_FOUND"),
        (refusal(403, "AccessDenied"), "QUEUE_DENIED"),
        (refusal(400, "AccessDeniedException"), "QUEUE_DENIED"),
        (refusal(403, "InvalidClientTokenId"), "QUEUE_DENIED"),
        (refusal(400, "UnrecognizedClientException"), "QUEUE_DENIED"),
        (refusal(400, "RequestThrottled"), "QUEUE_BUSY"),
        (refusal(403, "OverLimit"), "QUEUE_BUSY"),
        (Canned(503, b"<html>"), "QUEUE_BUSY"),
        (refusal(400, "InvalidAddress"), "QUEUE_REFUSED"),
        (Canned(400, b"[" * 100_000), "QUEUE_REFUSED"),
        (Canned(200, b"<html>log in</html>"), "QUEUE_BUSY"),
        (Canned(200, b"[" * 100_000), "QUEUE_BUSY"),
        (Canned(200, b'{"Messages": [{"Body": "x"}]}'), "QUEUE_BUSY"),
        (Canned(200, b'{"Messages": 1}'), "QUEUE_BUSY"),
        (Canned(hang_up=True), "QUEUE_UNREACHABLE"),
    ],
)
def test_refusals(answer: Canned, condition: str) -> None:
    with fake_store(answer) as fake, pytest.raises(HeadwaterError) as caught:
        sqs(fake, URL).receive(wait_seconds=0)
    assert caught.value.condition == condition
    transient = condition in ("QUEUE_BUSY", "QUEUE_UNREACHABLE")
    assert isinstance(caught.value, TransientError) is transient


def test_a_refusal_says_which_rights_are_missing_and_no_secret() -> None:
    said = refusal(403, "AccessDenied", "no: hw-sqs-s3cret " + "x" * 5000)
    with fake_store(said) as fake, pytest.raises(UserError) as caught:
        sqs(fake).receive(wait_seconds=0)
    assert "sqs:GetQueueUrl, sqs:ReceiveMessage and sqs:DeleteMessage" in str(caught.value)
    assert "no: ****" in str(caught.value)
    assert "hw-sqs-s3cret" not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("code", "fails"), [("ReceiptHandleIsInvalid", False), ("InternalError", True)]
)
def test_errors_of_single_receipts(code: str, fails: bool) -> None:
    failed = {"Successful": [], "Failed": [{"Id": "0", "Code": code, "SenderFault": not fails}]}
    with fake_store(Canned(200, json.dumps(failed).encode())) as fake:
        if not fails:
            sqs(fake, URL).delete([QueueMessage("id", "receipt", "body")])
            return
        with pytest.raises(TransientError, match="InternalError"):
            sqs(fake, URL).delete([QueueMessage("id", "receipt", "body")])
