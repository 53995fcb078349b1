"""The service with a certificate."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.processes import wait_for

import headwater
from headwater.client.local_service import TOKEN_FILE
from headwater.errors import UserError
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing


def test_clients_that_trust_the_certificate_get_in_and_others_do_not(
    lake: Path, certificate: tuple[str, str]
) -> None:
    service = Service.open(lake, loops=False)
    server = Server(service, Listening("127.0.0.1", 0, *certificate))
    server.start()
    try:
        wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
        token = (lake / TOKEN_FILE).read_text()
        assert server.url.startswith("https://")
        with headwater.connect(server.url, token=token, ca_file=certificate[0]) as connection:
            assert connection.sql("SHOW SCHEMAS").rows == [("public",)]
        with pytest.raises(headwater.OperationalError, match="SERVICE_UNREACHABLE"):
            headwater.connect(server.url, token=token)
    finally:
        server.stop()


def test_files_that_are_no_certificate_are_said_so(
    lake: Path, tmp_path: Path, certificate: tuple[str, str]
) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("not a certificate")
    service = Service.open(lake, loops=False)
    for pair in ((str(wrong), certificate[1]), (certificate[0], str(tmp_path / "missing"))):
        with pytest.raises(UserError, match="TLS_FILES_UNUSABLE"):
            Server(service, Listening("127.0.0.1", 0, *pair))
    service.close()
    with pytest.raises(UserError, match="TLS_FILES_UNUSABLE"):
        headwater.connect("https://127.0.0.1:9", token="x", ca_file=str(wrong))
