"""Alibaba Cloud's MNS (now Simple Message Queue), in its XML protocol.

Checked against a fake server of the documented wire format, never against the cloud.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from functools import partial
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from headwater.errors import HeadwaterError, TransientError
from headwater.queues.failures import QueueWords, asked, not_understood, queue_refused
from headwater.queues.mns_names import MnsName
from headwater.queues.queue import QueueMessage
from headwater.storage.answers import Answer, parsed_xml
from headwater.storage.connections import AccessKeys
from headwater.storage.content_of import content_of
from headwater.storage.exchange import Exchange, Patience
from headwater.storage.failures import refusal_of
from headwater.storage.requests import Request, encoded, encoded_path

MOST_WAIT_SECONDS = 30
_VERSION = "2015-06-06"
_SPACE = "http://mns.aliyuncs.com/doc/v1/"
_MOST_MESSAGES = 16
# Nothing comes while the queue waits for a message, which must not look like a dead server.
_PATIENCE = Patience(answer_seconds=MOST_WAIT_SECONDS + 15)
_ENDED_RECEIPTS = frozenset({"ReceiptHandleError", "MessageNotExist"})
_WORDS = QueueWords(
    rights="mns:BatchReceiveMessage and mns:BatchDeleteMessage",
    missing_codes=frozenset({"QueueNotExist"}),
    denied_codes=frozenset(
        {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "TimeExpired"}
        | {"InvalidAuthorizationHeader", "InvalidSecurityToken", "SecurityTokenExpired"}
    ),
    busy_codes=frozenset({"InternalServerError", "QpsLimitExceeded"}),
)


@dataclass(frozen=True, slots=True)
class MnsSigner:
    """MNS's signature: HMAC-SHA1 over the method, the date, its own headers and the address."""

    @property
    def header_prefix(self) -> str:
        return "x-mns-"

    def signed(self, request: Request, keys: AccessKeys, at: datetime) -> Request:
        date = format_datetime(at, usegmt=True)
        headers = {**request.headers, "date": date, "x-mns-version": _VERSION}
        query = self.query_text(request.query)
        own = sorted((name, headers[name]) for name in headers if name.startswith("x-mns-"))
        lines = [
            request.method,
            headers.get("content-md5", ""),
            headers.get("content-type", ""),
            date,
            *(f"{name}:{value}" for name, value in own),
            encoded_path(request.path) + (f"?{query}" if query else ""),
        ]
        digest = hmac.digest(keys.secret_key.encode(), "\n".join(lines).encode(), "sha1")
        headers["authorization"] = f"MNS {keys.access_key}:{base64.b64encode(digest).decode()}"
        if keys.session_token:
            headers["security-token"] = keys.session_token
        return replace(request, headers=headers)

    def presigned(
        self, request: Request, keys: AccessKeys, at: datetime, *, seconds: int
    ) -> Request:
        raise AssertionError("nobody is handed the address of a queue")

    def query_text(self, query: Mapping[str, str]) -> str:
        return "&".join(f"{encoded(name)}={encoded(value)}" for name, value in query.items())


class MnsQueue:
    """One queue at the server of one account."""

    def __init__(
        self, name: MnsName, keys: Callable[[], AccessKeys], *, patience: Patience = _PATIENCE
    ) -> None:
        self._name = name
        self._keys = keys
        self._path = f"/queues/{name.name}/messages"
        self._exchange = Exchange(name.endpoint, MnsSigner(), keys, patience=patience)

    def receive(self, *, wait_seconds: int, most: int = 10) -> list[QueueMessage]:
        query = {
            "numOfMessages": str(max(1, min(most, _MOST_MESSAGES))),
            "waitseconds": str(max(0, min(wait_seconds, MOST_WAIT_SECONDS))),
        }
        headers = {"host": self._name.endpoint.authority}
        answer = self._send(Request("GET", self._path, query, headers))
        if answer.good:
            return self._messages_in(answer)
        if refusal_of(answer).code == "MessageNotExist":
            return []
        raise self._refused(answer)

    def delete(self, messages: Sequence[QueueMessage]) -> None:
        for start in range(0, len(messages), _MOST_MESSAGES):
            self._delete(messages[start : start + _MOST_MESSAGES])

    def close(self) -> None:
        self._exchange.close()

    def _delete(self, messages: Sequence[QueueMessage]) -> None:
        handles = "".join(
            f"<ReceiptHandle>{escape(message.receipt)}</ReceiptHandle>" for message in messages
        )
        body = f'<?xml version="1.0" encoding="UTF-8"?><ReceiptHandles xmlns="{_SPACE}">{handles}'
        content = content_of(f"{body}</ReceiptHandles>".encode())
        headers = {"host": self._name.endpoint.authority, "content-type": "text/xml"}
        answer = self._send(Request("DELETE", self._path, {}, headers, content))
        if answer.good:
            return
        # Each receipt that could not be deleted has an error of its own.
        codes = set(_error_codes(answer))
        if not codes and refusal_of(answer).code not in _ENDED_RECEIPTS:
            raise self._refused(answer)
        if failed := sorted(codes - _ENDED_RECEIPTS):
            raise TransientError("QUEUE_BUSY", queue=self._name.text, reason=", ".join(failed))

    def _send(self, request: Request) -> Answer:
        return asked(self._name.text, partial(self._exchange.send, request))

    def _refused(self, answer: Answer) -> HeadwaterError:
        refusal = refusal_of(answer)
        masked = replace(refusal, message=self._keys().masked(refusal.message))
        return queue_refused(masked, _WORDS, queue=self._name.text)

    def _messages_in(self, answer: Answer) -> list[QueueMessage]:
        try:
            root = parsed_xml(answer.body)
            space = root.tag[: root.tag.find("}") + 1]
            if root.tag != space + "Messages":
                raise ValueError("not messages")
            return [_message(entry, space) for entry in root.iterfind(space + "Message")]
        except ValueError:
            raise not_understood(self._name.text) from None


def _message(entry: Element, space: str) -> QueueMessage:
    receipt = entry.findtext(space + "ReceiptHandle")
    if not receipt:
        raise ValueError("a message without a receipt")
    body = entry.findtext(space + "MessageBody", "")
    return QueueMessage(entry.findtext(space + "MessageId", ""), receipt, body)


def _error_codes(answer: Answer) -> Iterator[str]:
    try:
        root = parsed_xml(answer.body)
    except ValueError:
        return
    for element in root.iter():
        if element.tag.rpartition("}")[2] == "ErrorCode":
            yield element.text or ""
