"""A fake of Alibaba's MNS, a cloud that cannot be reached from here.

It speaks the wire format of MNS's documents (2015-06-06) and computes signatures by itself, from
what came over the wire. It shows that our client keeps to the documents, not that the cloud does.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs
from xml.etree import ElementTree
from xml.sax.saxutils import escape

SPACE = "http://mns.aliyuncs.com/doc/v1/"
ACCESS_KEY = "hw-mns-key"
SECRET = "hw-mns-s3cret"
_LATEST_SECONDS = 15 * 60


@dataclass
class FakeMessage:
    """A message and who may see it when; `receipt` is the one of its last delivery."""

    body: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex.upper())
    receipt: str = ""
    visible_at: float = 0.0
    deliveries: int = 0


@dataclass
class MnsServer:
    """The queues of one account, and the faults a test asks for."""

    port: int = 0
    token: str | None = None
    """The token that temporary keys must show."""
    visibility_seconds: float = 30.0
    queues: dict[str, list[FakeMessage]] = field(default_factory=dict)
    next_statuses: deque[int] = field(default_factory=deque)
    """Answers to give instead of doing anything, one for each request."""
    pause_seconds: float = 0.0
    duplicates: bool = False
    """Whether a message that is delivered stays visible, so that it comes again at once."""
    newest_first: bool = False
    requests: list[str] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def endpoint(self) -> str:
        """What ALICLOUD_MNS_ENDPOINT is set to."""
        return f"http://127.0.0.1:{self.port}"

    def create_queue(self) -> str:
        """Makes an empty queue and returns its name."""
        name = "q" + uuid.uuid4().hex[:12]
        self.queues[name] = []
        return name

    def send(self, queue: str, body: str) -> None:
        """Put a message into a queue."""
        with self.changed:
            self.queues[queue].append(FakeMessage(body))
            self.changed.notify_all()

    def receive(self, queue: str, most: int, wait_seconds: float) -> list[FakeMessage]:
        """What a receiver gets: as many as there are, after a wait if there is none."""
        deadline = time.monotonic() + wait_seconds
        with self.changed:
            while True:
                now = time.monotonic()
                visible = [each for each in self.queues[queue] if each.visible_at <= now]
                if visible or now >= deadline:
                    break
                self.changed.wait(min(0.05, deadline - now))
            if self.newest_first:
                visible.reverse()
            for message in visible[:most]:
                message.deliveries += 1
                message.receipt = f"{message.deliveries}-{uuid.uuid4().hex}=="
                message.visible_at = now if self.duplicates else now + self.visibility_seconds
            return visible[:most]

    def delete(self, queue: str, receipt: str) -> bool:
        """Whether a message had this receipt, and had it still."""
        with self.changed:
            for message in self.queues[queue]:
                ended = message.visible_at <= time.monotonic() and not self.duplicates
                if message.receipt == receipt and not ended:
                    self.queues[queue].remove(message)
                    return True
        return False


@contextmanager
def running_mns(**settings: object) -> Iterator[MnsServer]:
    """A running fake on 127.0.0.1, which stops at the end."""
    fake = MnsServer(**settings)  # type: ignore[arg-type]
    handler = type("Handler", (_Handler,), {"fake": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    fake.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: MnsServer

    def do_GET(self) -> None:
        if not self._let_in():
            return
        queue, query = self._queue_and_query()
        asked = parse_qs(query)
        most, wait = int(asked["numOfMessages"][0]), int(asked["waitseconds"][0])
        if not (1 <= most <= 16 and 0 <= wait <= 30):
            self._refuse(400, "InvalidArgument", "The value should between Low and High")
            return
        found = self.fake.receive(queue, most, wait)
        if found:
            self._answer(200, "Messages", "".join(map(_as_xml, found)))
        else:
            self._refuse(404, "MessageNotExist", "Message not exist.")

    def do_DELETE(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if not self._let_in():
            return
        queue, _ = self._queue_and_query()
        root = ElementTree.fromstring(body)
        assert root.tag == f"{{{SPACE}}}ReceiptHandles"
        receipts = [element.text or "" for element in root]
        if not 1 <= len(receipts) <= 16:
            self._refuse(400, "InvalidArgument", "1 to 16 receipts")
            return
        errors = [receipt for receipt in receipts if not self.fake.delete(queue, receipt)]
        if errors:
            self._answer(404, "Errors", "".join(map(_receipt_error, errors)))
        else:
            self._answer(204, "", "")

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""

    def _let_in(self) -> bool:
        fake = self.fake
        fake.requests.append(f"{self.command} {self.path}")
        time.sleep(fake.pause_seconds)
        if fake.next_statuses:
            self._refuse(fake.next_statuses.popleft(), "InternalError", "Internal error.")
            return False
        date = parsedate_to_datetime(self.headers["date"])
        if abs((datetime.now(UTC) - date).total_seconds()) > _LATEST_SECONDS:
            self._refuse(408, "TimeExpired", "The http request you sent is expired.")
        elif self.headers.get("authorization") != f"MNS {ACCESS_KEY}:{self._signature()}":
            self._refuse(403, "SignatureDoesNotMatch", f"The signature does not match {SECRET}")
        elif fake.token is not None and self.headers.get("security-token") != fake.token:
            self._refuse(403, "InvalidSecurityToken", "The security token is not valid.")
        elif self._queue_and_query()[0] not in fake.queues:
            self._refuse(404, "QueueNotExist", "The queue name you provided is not exist.")
        else:
            return True
        return False

    def _queue_and_query(self) -> tuple[str, str]:
        path, _, query = self.path.partition("?")
        before, folder, queue, last = path.split("/")
        assert (before, folder, last) == ("", "queues", "messages")
        return queue, query

    def _signature(self) -> str:
        own = sorted(
            f"{name.lower()}:{value}\n"
            for name, value in self.headers.items()
            if name.lower().startswith("x-mns-")
        )
        assert "x-mns-version:2015-06-06\n" in own
        text = f"{self.command}\n{self.headers.get('content-md5', '')}\n"
        text += f"{self.headers.get('content-type', '')}\n{self.headers['date']}\n"
        text += "".join(own) + self.path
        digest = hmac.new(SECRET.encode(), text.encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode()

    def _refuse(self, status: int, code: str, message: str) -> None:
        inside = f"<Code>{code}</Code><Message>{escape(message)}</Message><RequestId>1</RequestId>"
        self._answer(status, "Error", inside + "<HostId>mns.localhost</HostId>")

    def _answer(self, status: int, tag: str, inside: str) -> None:
        text = f'<?xml version="1.0"?><{tag} xmlns="{SPACE}">{inside}</{tag}>' if tag else ""
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/xml;charset=utf-8")
        self.send_header("x-mns-version", "2015-06-06")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _as_xml(message: FakeMessage) -> str:
    return (
        f"<Message><MessageId>{message.id}</MessageId>"
        f"<ReceiptHandle>{message.receipt}</ReceiptHandle>"
        f"<MessageBody>{escape(message.body)}</MessageBody>"
        f"<DequeueCount>{message.deliveries}</DequeueCount><Priority>8</Priority></Message>"
    )


def _receipt_error(receipt: str) -> str:
    return (
        "<Error><ErrorCode>ReceiptHandleError</ErrorCode>"
        "<ErrorMessage>The receipt handle you provide is not valid.</ErrorMessage>"
        f"<ReceiptHandle>{escape(receipt)}</ReceiptHandle></Error>"
    )
