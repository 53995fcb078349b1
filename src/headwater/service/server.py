"""The service on the network: listens on a thread, and tells the catalog where."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Protocol

import uvicorn
from fastapi import FastAPI

from headwater.access_login import Logins, first_admin_token
from headwater.errors import UserError
from headwater.runtime.clock import now
from headwater.service.app import make_app
from headwater.service.connect_endpoint import connect_server
from headwater.service.first_tokens import local_token
from headwater.service.hive_endpoint import hive_server
from headwater.service.identity import Authenticator, FirstOf
from headwater.service.lake_users import LakeUsers
from headwater.service.patience import connections_within
from headwater.service.script_passes import ScriptPasses
from headwater.service.service import Service

_KEEP_ALIVE_SECONDS = 75
_MOST_SOCKET_BYTES = 8 * 1024 * 1024
_BACKLOG = 1024
_CLOSE_SECONDS = 3
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen; port 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 8320
    tls_certificate: str | None = None
    tls_key: str | None = None
    hive_port: int | None = None
    """Where clients of Hive's protocol are answered; None answers none."""
    connect_port: int | None = None
    """Where clients of Spark Connect are answered; None answers none."""

    @property
    def certificate(self) -> tuple[str, str] | None:
        """The files of the certificate and its key; None is in clear."""
        if self.tls_certificate is None or self.tls_key is None:
            return None
        return self.tls_certificate, self.tls_key

    @property
    def exposed(self) -> bool:
        """Whether others than this machine can reach it, and read along."""
        return self.tls_certificate is None and not _is_loopback(self.host)


class Attach(Protocol):
    """Puts further pages on the application of a service."""

    def __call__(
        self, app: FastAPI, service: Service, authenticator: Authenticator, *, secure: bool
    ) -> None:
        """Called before the first request."""
        ...


class Server:
    """Serves a service from `start` until `stop`."""

    def __init__(
        self, service: Service, listening: Listening, *, attach: Attach | None = None
    ) -> None:
        """`attach` puts further pages on the application, such as Studio."""
        self.service = service
        self._listening = listening
        self._socket = _bound(listening)
        store = service.lake.store
        self.new_admin_token = first_admin_token(store, at=now())
        local = local_token(service.lake.folder.path, service.lake.config.user)
        users = LakeUsers(Logins(store, now))
        scripts = ScriptPasses(service.lake.passes)
        authenticator: Authenticator = FirstOf((local, scripts, users))
        self._hive = hive_server(
            service,
            users,
            listening.host,
            listening.hive_port,
            certificate=listening.certificate,
        )
        self._connect = connect_server(
            service,
            users,
            listening.host,
            listening.connect_port,
            certificate=listening.certificate,
        )
        app = make_app(service, authenticator)
        if attach is not None:
            attach(app, service, authenticator, secure=listening.tls_certificate is not None)
        self._uvicorn = _QuietServer(_configured(app, listening, whole=attach is not None))
        self._thread = threading.Thread(
            target=self._uvicorn.run,
            kwargs={"sockets": [self._socket]},
            name="headwater-http",
            daemon=True,
        )

    @property
    def url(self) -> str:
        """Where clients reach it."""
        scheme = "http" if self._listening.tls_certificate is None else "https"
        host = _ANY.get(self._listening.host, self._listening.host)
        shown = f"[{host}]" if ":" in host else host
        return f"{scheme}://{shown}:{self._socket.getsockname()[1]}"

    @property
    def hive_url(self) -> str | None:
        """What JDBC calls the endpoint of Hive's protocol, if there is one."""
        if self._hive is None:
            return None
        host = _ANY.get(self._listening.host, self._listening.host)
        tls = "" if self._listening.certificate is None else ";ssl=true"
        return f"jdbc:hive2://{host}:{self._hive.port}/{tls}"

    @property
    def connect_url(self) -> str | None:
        """What PySpark calls the endpoint of Spark Connect, if there is one."""
        if self._connect is None:
            return None
        if self._listening.certificate is None:
            # PySpark sends a token in clear to the host of this name alone.
            return f"sc://localhost:{self._connect.port}/;token=TOKEN"
        host = _ANY.get(self._listening.host, self._listening.host)
        return f"sc://{host}:{self._connect.port}/;use_ssl=true;token=TOKEN"

    def start(self) -> None:
        """Begin to work and to listen; clients can reach it when this returns."""
        self.service.start()
        if self._hive is not None:
            self._hive.start()
        if self._connect is not None:
            self._connect.start()
        self._thread.start()
        self._uvicorn.started_event.wait()
        self.service.lake.passes.address = self.url
        self.service.lake.store.instances.set_address(self.service.lake.instance.id, self.url)

    def stop(self) -> bool:
        """Finish what runs, as the service does, then stop listening; False if something is stuck.

        What is stuck ends with the process.
        """
        self.service.lake.passes.address = None
        self.service.lake.store.instances.set_address(self.service.lake.instance.id, None)
        if self._hive is not None:
            self._hive.close()
        if self._connect is not None:
            self._connect.close()
        idle = self.service.drain()
        self._uvicorn.should_exit = True
        self._thread.join()
        self.service.close()
        return idle


class _QuietServer(uvicorn.Server):
    """Says when it listens; signals are for whoever runs the server."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.started_event = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.started_event.set()


def _configured(app: FastAPI, listening: Listening, *, whole: bool) -> uvicorn.Config:
    """`whole`: with web sockets, and with things to start and stop, which Studio has."""
    config = uvicorn.Config(
        app,
        http=connections_within(app.state.service.limits),
        lifespan="on" if whole else "off",
        ws="websockets-sansio" if whole else "none",
        ws_max_size=_MOST_SOCKET_BYTES,
        log_config=None,
        # Bugs are logged by the pages, masked; uvicorn would log whole traces.
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
        limit_concurrency=app.state.service.limits.connections,
        ssl_certfile=listening.tls_certificate,
        ssl_keyfile=listening.tls_key,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        certificate = listening.tls_certificate
        raise UserError("TLS_FILES_UNUSABLE", certificate=certificate, reason=error) from None
    return config


def _bound(listening: Listening) -> socket.socket:
    """A socket that listens, so that a port that is taken is found before anything starts."""
    host, port = listening.host, listening.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except OSError as error:
        reason = error.strerror or error
        raise UserError("ADDRESS_NOT_FREE", host=host, port=port, reason=reason) from None
    return made


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
