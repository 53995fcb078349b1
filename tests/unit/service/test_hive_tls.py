"""The endpoint of Hive's protocol with the service's certificate."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyhive import hive
from tests.processes import wait_for
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TTransport import TTransportException
from thrift_sasl import TSaslClientTransport

import headwater
from headwater.client.local_service import TOKEN_FILE
from headwater.errors import UserError
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing

pytestmark = pytest.mark.timeout(60)
PASSWORD = "correct horse battery"


@pytest.fixture
def server(lake: Path, certificate: tuple[str, str]) -> Iterator[Server]:
    service = Service.open(lake, loops=False)
    server = Server(service, Listening("127.0.0.1", 0, *certificate, hive_port=0))
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    token = (lake / TOKEN_FILE).read_text()
    with headwater.connect(server.url, token=token, ca_file=certificate[0]) as owner:
        owner.sql(f"CREATE USER ada PASSWORD '{PASSWORD}' ROLE developer")
    yield server
    server.stop()


def port_of(server: Server) -> int:
    assert server.hive_url is not None
    assert server.hive_url.endswith("/;ssl=true")
    return int(server.hive_url.rpartition(":")[2].partition("/")[0])


def connect(server: Server, trusted: str, password: str = PASSWORD) -> hive.Connection:
    """PyHive over TLS, which checks the certificate and its address."""
    context = ssl.create_default_context(cafile=trusted)
    channel = TSSLSocket("127.0.0.1", port_of(server), ssl_context=context)

    def login() -> object:
        return hive.get_installed_sasl(
            host="127.0.0.1", sasl_auth="PLAIN", username="ada", password=password
        )

    return hive.connect(thrift_transport=TSaslClientTransport(login, "PLAIN", channel))


def test_clients_that_trust_the_certificate_get_in(server, certificate):
    with connect(server, certificate[0]) as client, client.cursor() as cursor:
        cursor.execute("SHOW SCHEMAS")
        assert cursor.fetchall() == [("public",)]


def test_a_wrong_password_and_an_unknown_certificate_do_not(server, certificate):
    with pytest.raises(Exception, match="the name or the secret is wrong"):
        connect(server, certificate[0], password="wrong")
    address = ("127.0.0.1", port_of(server))
    stranger = ssl.create_default_context()
    with (
        socket.create_connection(address, timeout=20) as channel,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        stranger.wrap_socket(channel, server_hostname="127.0.0.1")
    with connect(server, certificate[0]) as client:
        client.cursor().close()


def test_a_client_in_clear_is_turned_away_at_once(server, certificate):
    began = time.monotonic()
    with pytest.raises(TTransportException):
        hive.connect("127.0.0.1", port_of(server), username="ada", password=PASSWORD, auth="CUSTOM")
    assert time.monotonic() - began < 5
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=20) as silent:
        # One that says nothing keeps nobody else waiting.
        with connect(server, certificate[0]) as client, client.cursor() as cursor:
            cursor.execute("SHOW SCHEMAS")
            assert len(cursor.fetchall()) == 1
        silent.close()


def test_stopping_ends_the_clients(server, certificate):
    client = connect(server, certificate[0])
    cursor = client.cursor()
    cursor.execute("SHOW SCHEMAS")
    server._hive.close()
    with pytest.raises(Exception, match=r"TSocket|EOF|Broken|reset|closed|SSL"):
        cursor.execute("SHOW SCHEMAS")


def test_a_key_of_another_certificate_is_said_so(lake, tmp_path, certificate):
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("not a key")
    service = Service.open(lake, loops=False)
    with pytest.raises(UserError, match="TLS_FILES_UNUSABLE"):
        Server(service, Listening("127.0.0.1", 0, certificate[0], str(wrong), hive_port=0))
    service.close()
