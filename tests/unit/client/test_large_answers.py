"""Large answers of a real server: whole ones are read, others are an error and never fewer rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pyarrow
import pytest

from headwater.client.transport import Transport
from headwater.errors import InternalError, TransientError, UserError
from headwater.result import Column, Result
from headwater.wire.results import arrow_stream

TABLE = pyarrow.table({"n": pyarrow.array(range(300_000), type=pyarrow.int64())})
WHOLE = b"".join(arrow_stream(Result.from_arrow([Column("n", "bigint")], TABLE, time_zone="UTC")))
Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def answered() -> Iterator[Callable[[Answer], Transport]]:
    """Makes a client of a server that gives one answer to everything."""
    running: list[tuple[ThreadingHTTPServer, Transport]] = []

    def serve(answer: Answer) -> Transport:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                answer(self)

            def do_PUT(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                answer(self)

            def log_message(self, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        transport = Transport(f"http://127.0.0.1:{server.server_port}/behind/a/proxy/", "t")
        running.append((server, transport))
        return transport

    yield serve
    for server, transport in running:
        transport.close()
        server.shutdown()
        server.server_close()


def sends(content: bytes, *, status: int = 200, length: int | None = None) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content) if length is None else length))
        request.end_headers()
        request.wfile.write(content)
        request.close_connection = True

    return answer


def test_a_whole_stream_is_read_also_in_chunks(answered) -> None:
    def chunked(request: BaseHTTPRequestHandler) -> None:
        assert request.path == "/behind/a/proxy/x"
        assert request.headers["Authorization"] == "Bearer t"
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        for start in range(0, len(WHOLE), 100_000):
            piece = WHOLE[start : start + 100_000]
            request.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        request.wfile.write(b"0\r\n\r\n")

    for answer in (sends(WHOLE), chunked):
        assert answered(answer).rows("/x").to_arrow().equals(TABLE)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.5, 0.999])
def test_a_stream_that_breaks_off_is_an_error_wherever_it_does(answered, kept: float) -> None:
    """Also between two batches, where an Arrow stream may end: rows must never be missing."""
    short = WHOLE[: int(len(WHOLE) * kept)]
    with pytest.raises(TransientError, match="SERVICE_UNREACHABLE"):
        answered(sends(short, length=len(WHOLE))).rows("/x")


def test_a_stream_that_ends_between_two_batches_is_not_taken_for_whole(answered) -> None:
    sink = BytesIO()
    with pyarrow.ipc.new_stream(sink, pyarrow.ipc.open_stream(WHOLE).schema) as writer:
        writer.write_batch(pyarrow.ipc.open_stream(WHOLE).read_next_batch())
        first = sink.tell()
    assert WHOLE[:first] == sink.getvalue()[:first]
    with pytest.raises(TransientError, match="SERVICE_UNREACHABLE"):
        answered(sends(WHOLE[:first], length=len(WHOLE))).rows("/x")


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xff\xff\xff" + b"\x7f" * 100])
def test_what_is_no_arrow_is_said_to_be_none(answered, content: bytes) -> None:
    with pytest.raises(InternalError, match="SERVICE_ANSWER_UNKNOWN"):
        answered(sends(content)).rows("/x")


def test_errors_are_ours(answered, tmp_path: Path) -> None:
    body = b'{"error": {"condition": "RESULT_NOT_FOUND", "type": "UserError", "message": "gone"}}'
    (tmp_path / "f").write_bytes(b"x" * 100_000)
    transport = answered(sends(body, status=404))
    for ask in (
        lambda: transport.rows("/x"),
        lambda: transport.fetch_file("/x", BytesIO()),
        lambda: transport.send_file("/x", tmp_path / "f"),
    ):
        with pytest.raises(UserError, match="RESULT_NOT_FOUND: gone"):
            ask()
    with pytest.raises(InternalError, match="SERVICE_ANSWER_UNKNOWN"):
        answered(sends(b"<html>", status=502)).rows("/x")


def test_a_file_that_breaks_off_is_an_error(answered) -> None:
    with pytest.raises(TransientError, match="SERVICE_UNREACHABLE"):
        answered(sends(b"half", length=8)).fetch_file("/x", BytesIO())
