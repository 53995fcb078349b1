"""Which certificates a client reads."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from headwater.client.transport import Transport


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of certificates that were read."""
    files: list[str] = []
    load = ssl.SSLContext.load_verify_locations

    def noted(context: ssl.SSLContext, *places: Any, **named: Any) -> None:
        files.append(f"{places} {named}")
        load(context, *places, **named)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", noted)
    return files


def test_without_encryption_no_certificates_are_read(read: list[str]) -> None:
    Transport("http://127.0.0.1:9", "x").close()
    assert read == []


def test_with_encryption_those_of_the_web_are_read(read: list[str]) -> None:
    Transport("HTTPS://127.0.0.1:9", "x").close()
    assert read
