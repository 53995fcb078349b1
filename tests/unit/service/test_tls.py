"""The service with a certificate."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.processes import wait_for

import headwater
from headwater.client.local_service import TOKEN_FILE
from headwater.errors import UserError
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """One of our own for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "headwater tests")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    encryption = serialization.NoEncryption()
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, encryption))
    return str(files[0]), str(files[1])


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
