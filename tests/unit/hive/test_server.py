"""Clients of Hive's protocol against a real lake, with statements that need no Spark."""

from __future__ import annotations

import shutil
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyhive import hive
from tests.hive_client import connect_hive

import headwater
from headwater.errors import UserError
from headwater.hive.frames import Login
from headwater.hive.handler import Open
from headwater.hive.server import HiveServer
from headwater.session import Session

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        connection.sql("CREATE SCHEMA sales")
        yield connection


@pytest.fixture
def server(lake: headwater.Connection) -> Iterator[HiveServer]:
    def log_in(login: Login, address: str) -> Open:
        assert address == "127.0.0.1"
        if login != Login("ada", "secret"):
            raise UserError("LOGIN_FAILED")
        return lambda: Session.beside(lake.session.lake)

    server = HiveServer(log_in)
    server.start()
    yield server
    server.close()


def connect(server: HiveServer, password: str = "secret", **given: str) -> hive.Connection:
    return connect_hive(server.port, password=password, **given)


def test_statements_give_their_rows(server):
    with connect(server) as client, client.cursor() as cursor:
        cursor.execute("SHOW SCHEMAS")
        assert cursor.fetchall() == [("public",), ("sales",)]
        assert [column[:2] for column in cursor.description] == [("schema_name", "STRING_TYPE")]


def test_a_session_keeps_its_schema_and_is_not_that_of_others(server):
    with connect(server, database="sales") as one, connect(server) as other:
        first, second = one.cursor(), other.cursor()
        first.execute("CREATE VOLUME v")
        first.execute("SHOW VOLUMES")
        second.execute("SHOW VOLUMES")
        assert len(first.fetchall()) == 1
        assert second.fetchall() == []


def test_an_error_comes_with_its_place_and_hint(server):
    with connect(server) as client, client.cursor() as cursor:
        with pytest.raises(hive.OperationalError) as caught:
            cursor.execute("DESC TABLE nope")
        status = caught.value.args[0].status
        assert status.sqlState == "42P01"
        assert "TABLE_NOT_FOUND" in status.errorMessage
        assert "^^^^" in status.errorMessage
        assert "Traceback" not in status.errorMessage
        cursor.execute("SHOW SCHEMAS")
        assert len(cursor.fetchall()) == 2


def test_a_statement_may_run_while_the_client_does_something_else(server):
    with connect(server) as client, client.cursor() as cursor:
        cursor.execute("SHOW SCHEMAS", async_=True)
        assert cursor.poll().operationState == 2
        assert len(cursor.fetchall()) == 2


def test_a_wrong_password_opens_nothing(server):
    with pytest.raises(Exception, match="the name or the secret is wrong"):
        connect(server, password="wrong")


def test_a_schema_that_is_not_there_is_named(server):
    with pytest.raises(hive.OperationalError, match="SCHEMA_NOT_FOUND"):
        connect(server, database="nowhere")


def test_two_clients_at_once(server):
    found = list[int]()

    def ask() -> None:
        with connect(server) as client, client.cursor() as cursor:
            for _ in range(5):
                cursor.execute("SHOW SCHEMAS")
                found.append(len(cursor.fetchall()))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 20


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack(">BI", 1, 6) + b"GSSAPI",
        struct.pack(">BI", 1, 5) + b"PLAIN" + struct.pack(">BI", 2, 5) + b"ada\0x",
        struct.pack(">BI", 1, 1 << 31),
        b"",
    ],
    ids=["http", "another mechanism", "no password", "a login without end", "nothing"],
)
def test_what_is_no_login_ends_the_connection(server, said):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(said)
        # What nobody reads any more makes the end a reset.
        with suppress(OSError):
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):
                pass
    with connect(server) as other, other.cursor() as cursor:
        cursor.execute("SHOW SCHEMAS")


def test_a_message_that_is_too_long_is_not_read(server):
    login = b"\0ada\0secret"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(struct.pack(">BI", 1, 5) + b"PLAIN")
        client.sendall(struct.pack(">BI", 5, len(login)) + login)
        assert client.recv(5) == struct.pack(">BI", 5, 0)
        client.sendall(struct.pack(">I", 1 << 30))
        assert client.recv(10) == b""


def test_closing_the_endpoint_ends_its_clients(server):
    client = connect(server)
    cursor = client.cursor()
    cursor.execute("SHOW SCHEMAS")
    server.close()
    with pytest.raises(Exception, match=r"TSocket|EOF|Broken|reset|closed"):
        cursor.execute("SHOW SCHEMAS")
