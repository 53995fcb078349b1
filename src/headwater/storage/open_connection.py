"""Connecting to a server, through a proxy if the environment names one."""

from __future__ import annotations

import http.client
import ssl
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from headwater.storage.endpoints import Endpoint

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def open_connection(endpoint: Endpoint, *, timeout: float) -> http.client.HTTPConnection:
    """A connection that is open; raises what the network raises."""
    host = endpoint.host.strip("[]")
    # Names below localhost are this machine by RFC 6761, also where no resolver knows them.
    direct = "127.0.0.1" if host.endswith(".localhost") else host
    proxy = _proxy_for(direct, secure=endpoint.secure)
    there = proxy or (direct, endpoint.port)
    connection: http.client.HTTPConnection
    if endpoint.secure:
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(*there, timeout=timeout, context=context)
    else:
        connection = http.client.HTTPConnection(*there, timeout=timeout)
    if proxy:
        connection.set_tunnel(host, endpoint.port)
    connection.connect()
    return connection


def _proxy_for(host: str, *, secure: bool) -> tuple[str, int] | None:
    found = getproxies().get("https" if secure else "http")
    if not found or host in _LOOPBACK or proxy_bypass(host):
        return None
    proxy = urlsplit(found if "://" in found else f"http://{found}")
    return (proxy.hostname, proxy.port or 80) if proxy.hostname else None
