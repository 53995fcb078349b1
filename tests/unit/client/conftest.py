"""The same service as the tests of the service use."""

from __future__ import annotations

from tests.unit.service.conftest import http, lake, limits, listening, server, token

__all__ = ["http", "lake", "limits", "listening", "server", "token"]
