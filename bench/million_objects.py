"""A bucket of as many objects as wanted, made up: a server that answers ListObjectsV2 and no more.

It is a fake. A real server with a million objects takes longer to fill than all benchmarks together
take to run, and what is measured here is the reader: pages of a thousand keys in their order, with
`prefix`, `start-after` and tokens, as Amazon documents them. Signatures are not checked. It runs in
a process of its own, so that its time and memory are not the reader's.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

BUCKET = "made-up"
FULL = "full/"
"""The folder that holds all objects; every other one is empty."""
MOMENT = "2026-11-01T00:00:00.000Z"
SIZE = 100
_PAGE = 1000


def path_of(number: int) -> str:
    """The path of an object below the full folder; paths sort as their numbers do."""
    return f"f{number:09}.csv"


def etag_of(number: int) -> str:
    """The etag of an object."""
    return f"{number:032x}"


def page(query: dict[str, str], objects: int) -> bytes:
    """A page of the listing that a query asks for."""
    prefix = query.get("prefix", "")
    first = 0
    if "continuation-token" in query:
        first = int(query["continuation-token"])
    elif "start-after" in query:
        first = int(query["start-after"].removeprefix(FULL)[1:10]) + 1
    last = min(first + _PAGE, objects) if prefix == FULL else first
    entries = "".join(
        f"<Contents><Key>{FULL}{path_of(n)}</Key><LastModified>{MOMENT}</LastModified>"
        f"<ETag>&quot;{etag_of(n)}&quot;</ETag><Size>{SIZE}</Size></Contents>"
        for n in range(first, last)
    )
    more = prefix == FULL and last < objects
    token = f"<NextContinuationToken>{last}</NextContinuationToken>" if more else ""
    start = (
        '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    )
    return f"{start}{token}{entries}</ListBucketResult>".encode()


@contextmanager
def running_bucket(objects: int) -> Iterator[int]:
    """A server on 127.0.0.1; its port."""
    command = [sys.executable, "-m", "bench.million_objects", str(objects)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def main(objects: int) -> None:
    """Serve until the process is ended."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
            body = page({name: values[0] for name, values in query.items()}, objects)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A reader that has enough hangs up."""

    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
