"""A fake of a store: a tiny HTTP server that records what it is asked and answers from a list.

It checks nothing and keeps nothing. It shows which requests a driver makes, not that a cloud would
take them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it came over the wire; names of headers in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Canned:
    """One answer; `hang_up` closes the connection instead, `cut` after so many bytes of body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False
    cut: int | None = None
    pause: float = 0.0


@dataclass
class FakeStore:
    """What came, and what will be answered; the last answer is given again and again."""

    port: int
    answers: list[Canned] = field(default_factory=lambda: [Canned()])
    requests: list[Recorded] = field(default_factory=list)

    def next_answer(self) -> Canned:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def fake_store(*answers: Canned) -> Iterator[FakeStore]:
    """A running fake on 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            fake.requests.append(Recorded(self.command, self.path, headers, body))
            canned = fake.next_answer()
            time.sleep(canned.pause)
            if canned.hang_up:
                self.close_connection = True
                return
            self.send_response(canned.status)
            for name, value in canned.headers.items():
                self.send_header(name, value)
            if "Content-Length" not in canned.headers:
                self.send_header("Content-Length", str(len(canned.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(canned.body[: canned.cut])
            self.close_connection = self.close_connection or canned.cut is not None

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake = FakeStore(server.server_address[1], list(answers) or [Canned()])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
