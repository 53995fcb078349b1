"""Clients that send slowly, too much, or nonsense: let go at little cost, by the real server."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import closing

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from tests.processes import wait_for
from websockets.sync.client import connect

from headwater.service.limits import Limits
from headwater.service.patience import connections_within
from headwater.service.server import Server

SECONDS = 0.6


@pytest.fixture
def limits() -> Limits:
    return Limits(
        stop_seconds=1.0,
        head_seconds=SECONDS,
        head_bytes=20_000,
        body_bytes=10_000,
        unread_bytes=100_000,
    )


def connected(server: Server) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])))
    made.settimeout(10)
    return made


def everything(connection: socket.socket) -> bytes:
    """What arrives until the other side closes."""
    found = b""
    try:
        while piece := connection.recv(65_536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def trickle(connection: socket.socket, piece: bytes, *, seconds: float = 8.0) -> None:
    """Send a piece again and again until the other side has enough."""
    deadline = time.monotonic() + seconds
    while sent(connection, piece):
        assert time.monotonic() < deadline, "the other side takes everything"
        time.sleep(0.05)


def sent(connection: socket.socket, piece: bytes) -> int:
    """How much of a piece has left; 0 when the connection is gone."""
    try:
        return connection.send(piece)
    except (BrokenPipeError, ConnectionResetError):
        return 0


@pytest.mark.parametrize("begun", [b"", b"GET /health HTTP/1.1\r\nHost: x\r\nX-A: "])
def test_a_head_that_does_not_arrive_is_not_waited_for(server: Server, begun: bytes) -> None:
    with closing(connected(server)) as slow:
        slow.sendall(begun)
        started = time.monotonic()
        answer = everything(slow)
        assert SECONDS / 2 < time.monotonic() - started < 5
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "piece", [b"X-A: b\r\n", b"\r\n", b"G"], ids=["headers", "empty lines", "letters"]
)
def test_a_trickle_ends_as_soon_as_silence(server: Server, piece: bytes) -> None:
    """Each byte is new, but none of them is the end of a head."""
    with closing(connected(server)) as slow:
        if piece.startswith(b"X"):
            slow.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        started = time.monotonic()
        trickle(slow, piece)
        assert time.monotonic() - started < 5


def test_a_connection_that_was_used_is_not_waited_for_any_longer(server: Server) -> None:
    with closing(connected(server)) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert slow.recv(65_536).startswith(b"HTTP/1.1 200 ")
        # At rest it may stay longer than a head may take.
        time.sleep(SECONDS * 2)
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert slow.recv(65_536).startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"GET /hea")
        assert everything(slow).startswith(b"HTTP/1.1 408 ")


def test_a_web_socket_stays_open_for_as_long_as_it_is_wanted(limits: Limits) -> None:
    """Its request has ended, and no other one comes: nothing has to arrive in time."""

    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.connect":
                await send({"type": "websocket.accept"})
            else:
                await send({"type": "websocket.send", "text": message["text"]})

    http = connections_within(limits)
    config = uvicorn.Config(echo, port=0, http=http, lifespan="off", log_config=None)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        wait_for(lambda: running.started, "the server to listen")
        port = running.servers[0].sockets[0].getsockname()[1]
        with connect(f"ws://127.0.0.1:{port}/", proxy=None) as page:
            for word in ("at once", "later"):
                page.send(word)
                assert page.recv(5) == word
                time.sleep(SECONDS * 2)
            page.send("at last")
            assert page.recv(5) == "at last"
    finally:
        running.should_exit = True
        thread.join(10)


def test_a_head_that_is_too_large_is_refused(server: Server) -> None:
    with closing(connected(server)) as large:
        large.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        trickle(large, b"X-A: " + b"a" * 8_000 + b"\r\n")


def test_a_head_behind_a_request_that_is_being_answered_is_bounded_too(
    server: Server, token: str
) -> None:
    with closing(connected(server)) as large:
        ask = f"GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
        large.sendall(ask.encode())
        assert large.recv(100).startswith(b"HTTP/1.1 200 ")
        large.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        trickle(large, b"X-A: " + b"a" * 8_000 + b"\r\n")


def test_others_are_answered_while_many_send_their_heads_slowly(
    server: Server, http: httpx.Client
) -> None:
    threads = threading.active_count()
    slow = [connected(server) for _ in range(300)]
    try:
        for connection in slow:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: ")
        started = time.monotonic()
        body = {"sql": "SHOW SCHEMAS", "wait_seconds": 10}
        assert http.post("/api/v1/statements", json=body).json()["state"] == "SUCCEED"
        assert time.monotonic() - started < SECONDS * 5
        assert threading.active_count() - threads < 30
        held = server._uvicorn.server_state.connections
        wait_for(lambda: len(held) <= 1, "the slow ones to be let go")
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize("known", [True, False], ids=["a user", "nobody"])
def test_a_body_that_was_refused_cannot_go_on_for_ever(
    server: Server, token: str, known: bool
) -> None:
    """The answer comes before the body; what is sent then is thrown away, and not for long."""
    bearer = token if known else "wrong"
    with closing(connected(server)) as large:
        head = f"POST /api/v1/statements HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\n"
        large.sendall(f"{head}Content-Length: 1000000000000\r\n\r\n".encode())
        assert large.recv(65_536).startswith(b"HTTP/1.1 413 " if known else b"HTTP/1.1 401 ")
        total = 0
        while count := sent(large, b" " * 65_536):
            total += count
            # The kernels on the way take some of it, the service no more than it allows.
            assert total < 50_000_000


def test_a_refused_body_that_trickles_is_let_go(server: Server) -> None:
    with closing(connected(server)) as slow:
        slow.sendall(
            b"POST /api/v1/statements HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n"
        )
        assert slow.recv(65_536).startswith(b"HTTP/1.1 401 ")
        started = time.monotonic()
        trickle(slow, b" ")
        assert time.monotonic() - started < 5


def test_the_answer_to_a_body_that_is_too_large_arrives_and_the_next_request_works(
    server: Server, http: httpx.Client
) -> None:
    """Found by CI: a connection was cut off after its answer, and the next request met it."""
    for _ in range(20):
        refused = http.post("/api/v1/statements", content=b" " * 95_000)
        assert refused.status_code == 413
        assert refused.headers["connection"] == "close"
        assert http.get("/health").status_code == 200


def test_a_connection_ends_only_when_the_refused_body_has_arrived(
    server: Server, token: str
) -> None:
    with closing(connected(server)) as large:
        head = f"POST /api/v1/statements HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        large.sendall(f"{head}Content-Length: 50000\r\n\r\n".encode())
        assert large.recv(65_536).startswith(b"HTTP/1.1 413 ")
        for _ in range(5):
            assert sent(large, b" " * 10_000) == 10_000
            time.sleep(0.02)
        assert large.recv(65_536) == b"", "closed, not reset"


@pytest.mark.parametrize("content", [b"\x16\x03\x01\x02\x00\x01", b"\0" * 100, b"GET\r\n\r\n"])
def test_what_is_no_http_is_refused(server: Server, content: bytes) -> None:
    with closing(connected(server)) as wrong:
        wrong.sendall(content)
        assert everything(wrong).startswith(b"HTTP/1.1 400 ")


def test_arrow_is_no_request(http: httpx.Client) -> None:
    """The service reads no Arrow from clients over HTTP: whatever it is, it is no JSON."""
    for content in (b"\xff\xff\xff\xff" + b"\x7f" * 500, b"ARROW1\0\0"):
        kind = {"Content-Type": "application/vnd.apache.arrow.stream"}
        answer = http.post("/api/v1/statements", content=content, headers=kind)
        assert answer.status_code == 422
        assert json.loads(answer.content)["error"]["condition"] == "REQUEST_INVALID"
