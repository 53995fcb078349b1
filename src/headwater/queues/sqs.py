"""Amazon's SQS, in its JSON protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from headwater.errors import TransientError
from headwater.queues.failures import QueueWords, asked, not_understood, queue_refused
from headwater.queues.queue import QueueMessage
from headwater.queues.sqs_names import SqsName, sqs_name
from headwater.storage.answers import Answer
from headwater.storage.connections import AccessKeys
from headwater.storage.content_of import content_of
from headwater.storage.endpoints import Endpoint, parse_endpoint
from headwater.storage.exchange import Exchange, Patience
from headwater.storage.failures import Refusal
from headwater.storage.requests import Request
from headwater.storage.s3 import amazon_domain
from headwater.storage.signing import AmazonSigner

MOST_WAIT_SECONDS = 20
_MOST_MESSAGES = 10
_LONGEST_MESSAGE = 200
# Nothing comes while the queue waits for a message, which must not look like a dead server.
_PATIENCE = Patience(answer_seconds=MOST_WAIT_SECONDS + 15)
_ENDED_RECEIPTS = frozenset(
    {"ReceiptHandleIsInvalid", "InvalidParameterValue", "MessageNotInflight"}
)
_WORDS = QueueWords(
    rights="sqs:GetQueueUrl, sqs:ReceiveMessage and sqs:DeleteMessage",
    missing_codes=frozenset({"QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"}),
    denied_codes=frozenset(
        {"AccessDenied", "AccessDeniedException", "InvalidClientTokenId", "ExpiredToken"}
        | {"UnrecognizedClientException", "SignatureDoesNotMatch", "InvalidSecurity"}
        | {"ExpiredTokenException", "InvalidSignatureException", "MissingAuthenticationToken"}
        | {"KmsAccessDenied"}
    ),
    busy_codes=frozenset({"RequestThrottled", "ThrottlingException", "OverLimit", "KmsThrottled"}),
)


class SqsQueue:
    """One queue, named by its name, its ARN or its address.

    `region` is for a name, which does not say it; `endpoint` is a server other than Amazon's.
    """

    def __init__(
        self,
        queue: str,
        region: str,
        keys: Callable[[], AccessKeys],
        *,
        endpoint: str | None = None,
        patience: Patience = _PATIENCE,
    ) -> None:
        self._name = sqs_name(queue)
        region = self._name.region or region
        self._keys = keys
        self._endpoint = _server(self._name, region, endpoint)
        signer = AmazonSigner(region, "sqs")
        self._exchange = Exchange(self._endpoint, signer, keys, patience=patience)
        self._url: str | None = queue if self._name.server else None

    def receive(self, *, wait_seconds: int, most: int = 10) -> list[QueueMessage]:
        answer = self._ask(
            "ReceiveMessage",
            {
                "QueueUrl": self._queue_url(),
                "MaxNumberOfMessages": max(1, min(most, _MOST_MESSAGES)),
                "WaitTimeSeconds": max(0, min(wait_seconds, MOST_WAIT_SECONDS)),
            },
        )
        try:
            return [
                QueueMessage(found["MessageId"], found["ReceiptHandle"], found["Body"])
                for found in answer.get("Messages") or []
            ]
        except (KeyError, TypeError):
            raise not_understood(self._name.text) from None

    def delete(self, messages: Sequence[QueueMessage]) -> None:
        for start in range(0, len(messages), _MOST_MESSAGES):
            self._delete(messages[start : start + _MOST_MESSAGES])

    def close(self) -> None:
        self._exchange.close()

    def _delete(self, messages: Sequence[QueueMessage]) -> None:
        entries = [
            {"Id": str(number), "ReceiptHandle": message.receipt}
            for number, message in enumerate(messages)
        ]
        answer = self._ask(
            "DeleteMessageBatch", {"QueueUrl": self._queue_url(), "Entries": entries}
        )
        try:
            codes = {failed["Code"] for failed in answer.get("Failed") or []}
        except (KeyError, TypeError):
            raise not_understood(self._name.text) from None
        if failed := sorted(codes - _ENDED_RECEIPTS):
            raise TransientError("QUEUE_BUSY", queue=self._name.text, reason=", ".join(failed))

    def _queue_url(self) -> str:
        """What SQS calls the queue; asked for once, because a name is all a user need know."""
        if self._url is None:
            question = {"QueueName": self._name.name}
            if self._name.account:
                question["QueueOwnerAWSAccountId"] = self._name.account
            url = self._ask("GetQueueUrl", question).get("QueueUrl")
            if not isinstance(url, str):
                raise not_understood(self._name.text)
            self._url = url
        return self._url

    def _ask(self, action: str, question: Mapping[str, object]) -> dict[str, Any]:
        headers = {
            "host": self._endpoint.authority,
            "content-type": "application/x-amz-json-1.0",
            "x-amz-target": f"AmazonSQS.{action}",
        }
        content = content_of(json.dumps(question).encode())
        request = Request("POST", "/", headers=headers, content=content)
        answer = asked(self._name.text, partial(self._exchange.send, request))
        if not answer.good:
            refusal = _refusal(answer, self._keys())
            raise queue_refused(refusal, _WORDS, queue=self._name.text)
        try:
            found = json.loads(answer.body or b"{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise not_understood(self._name.text)
        return found


def _server(name: SqsName, region: str, endpoint: str | None) -> Endpoint:
    return parse_endpoint(endpoint or name.server or f"sqs.{region}.{amazon_domain(region)}")


def _refusal(answer: Answer, keys: AccessKeys) -> Refusal:
    """What SQS says in JSON; a body that says nothing is fine too."""
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return Refusal(answer.status, "", "")
    code = str(said.get("__type") or "").rpartition("#")[2]
    message = str(said.get("message") or said.get("Message") or "")
    shown = keys.masked(" ".join(message.split()))[:_LONGEST_MESSAGE]
    return Refusal(answer.status, code[:_LONGEST_MESSAGE], shown)
