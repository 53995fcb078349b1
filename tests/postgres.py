"""A private PostgreSQL server for tests, from the binaries of the system.

Invariant: it never outlives its tests: it is stopped and its files are removed at the end, and if
the test process is killed the kernel stops the server too (on Linux).
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

PASSWORD = "hw-test-s3cret"
_USER = "headwater"
_STOP_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_PATIENCE_SECONDS = 30
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


class PostgresMissing(Exception):
    """There is no PostgreSQL on this machine; the text says what was looked for."""


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server on 127.0.0.1."""

    port: int
    connections: dict[str, psycopg.Connection] = field(default_factory=dict)
    """Kept open by database, because to open one costs more than most tests do with it."""

    def url(self, database: str) -> str:
        """The address of one of its databases, as a user would write it."""
        return f"postgresql://{_USER}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def create_database(self) -> str:
        """Makes an empty database and returns its name; it takes a quarter of a second."""
        name = "t" + uuid.uuid4().hex[:12]
        self._execute("postgres", f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy")
        return name

    def empty_tables(self, database: str, tables: Sequence[str]) -> None:
        """Deletes all rows of `tables`, in that order.

        Other connections stay, since a new one is costly, unless one of them has locked a table.
        """
        deletes = "; ".join(f"DELETE FROM {table}" for table in tables)
        try:
            self._execute(database, f"SET lock_timeout = '1s'; {deletes}")
        except psycopg.errors.LockNotAvailable:
            self._execute(database, f"{_END_OTHERS}; {deletes}")

    def empty_database(self, database: str) -> None:
        """Makes a database as it was when it was new, after ending all other connections."""
        renew = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"
        self._execute(database, f"{_END_OTHERS}; {renew}")

    def _execute(self, database: str, statements: str) -> None:
        try:
            if database in self.connections:
                self.connections[database].execute(statements.encode())
                return
        except psycopg.errors.LockNotAvailable:
            raise
        except psycopg.OperationalError:
            # A test ended all connections.
            self.connections.pop(database).close()
        connection = psycopg.connect(self.url(database), autocommit=True)
        self.connections[database] = connection
        connection.execute(statements.encode())


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Starts a server, and stops and removes it at the end; PostgresMissing if there is none."""
    binaries = _binaries()
    home = Path(tempfile.mkdtemp(prefix="headwater-postgres-"))
    owner = _owner()
    try:
        if owner is not None:
            shutil.chown(home, owner, owner)
        _initialise(binaries, home, owner)
        port = _free_port()
        process = _start(binaries, home, owner, port=port)
        try:
            _wait_until_ready(process, home, port)
            server = PostgresServer(port)
            yield server
            for connection in server.connections.values():
                connection.close()
        finally:
            _stop(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _binaries() -> Path:
    on_path = shutil.which("initdb")
    candidates = [Path(on_path).parent] if on_path else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise PostgresMissing("no initdb and postgres on PATH or in /usr/lib/postgresql/*/bin")


def _owner() -> str | None:
    """PostgreSQL refuses to run as root, so root runs it as the user its package made."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        raise PostgresMissing("running as root and there is no user postgres") from None


def _initialise(binaries: Path, home: Path, owner: str | None) -> None:
    secret = home / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    command = [str(binaries / "initdb"), "--no-sync", "--no-instructions", "--encoding=UTF8"]
    # md5, because the thousands of rounds of SCRAM are paid at each of many hundred log-ins.
    command += ["--locale=C", f"--username={_USER}", "--auth=md5"]
    command += [f"--pwfile={secret}", f"--pgdata={home / 'data'}"]
    done = subprocess.run(
        command, user=owner, group=owner, cwd=home, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"initdb failed: {done.stderr}")


def _start(binaries: Path, home: Path, owner: str | None, *, port: int) -> subprocess.Popen[bytes]:
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": home,
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "shared_buffers": "32MB",
        "autovacuum": "off",
    }
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    with (home / "log").open("wb") as log:
        return subprocess.Popen(
            [binaries / "postgres", "-D", home / "data", *options],
            user=owner,
            group=owner,
            cwd=home,
            stdout=log,
            stderr=log,
            preexec_fn=_stop_with_parent,
        )


def _stop_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_STOP_WITH_PARENT, signal.SIGQUIT)


def _wait_until_ready(process: subprocess.Popen[bytes], home: Path, port: int) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            psycopg.connect(PostgresServer(port).url("postgres"), connect_timeout=2).close()
            return
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                log = (home / "log").read_text(errors="replace")
                raise RuntimeError(f"PostgreSQL did not start: {log}") from error
            time.sleep(0.05)


def _stop(process: subprocess.Popen[bytes]) -> None:
    # Immediate shutdown first: the files are removed anyway, so nothing need be written out.
    for how in (signal.SIGQUIT, signal.SIGKILL):
        process.send_signal(how)
        try:
            process.wait(timeout=10)
            return
        except subprocess.TimeoutExpired:
            continue


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
