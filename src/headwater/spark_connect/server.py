"""The endpoint of Spark Connect: it listens, and gives calls to the service.

Without a certificate it answers this machine alone, whatever host it listens on.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import grpc
from pyspark.sql.connect.proto.base_pb2_grpc import add_SparkConnectServiceServicer_to_server

from headwater.errors import UserError
from headwater.spark_connect.service import ConnectService
from headwater.spark_connect.sessions import LogIn

_THREADS = 64
_MOST_CALLS = 256
_MOST_BYTES = 64 << 20


@dataclass(slots=True)
class ConnectServer:
    """Serves clients until it is closed."""

    log_in: LogIn
    host: str = "127.0.0.1"
    port: int = 0
    time_zone: str = "UTC"
    certificate: tuple[str, str] | None = None
    _server: grpc.Server | None = None
    _service: ConnectService | None = None

    def start(self) -> None:
        """Listen, and serve on threads; `port` is then the real one."""
        self._service = ConnectService(self.log_in, self.time_zone)
        self._server = grpc.server(
            ThreadPoolExecutor(_THREADS, thread_name_prefix="headwater-connect"),
            maximum_concurrent_rpcs=_MOST_CALLS,
            options=[
                ("grpc.max_receive_message_length", _MOST_BYTES),
                ("grpc.max_send_message_length", -1),
                # Else a second service would share the port in silence.
                ("grpc.so_reuseport", 0),
            ],
        )
        add_SparkConnectServiceServicer_to_server(self._service, self._server)
        host = f"[{self.host}]" if ":" in self.host else self.host
        try:
            self.port = self._server.add_secure_port(f"{host}:{self.port}", self._credentials())
        except RuntimeError as error:
            raise UserError(
                "ADDRESS_NOT_FREE", host=self.host, port=self.port, reason=error
            ) from None
        self._server.start()

    def _credentials(self) -> grpc.ServerCredentials:
        if self.certificate is None:
            return grpc.local_server_credentials(grpc.LocalConnectionType.LOCAL_TCP)
        certificate, key = (Path(file).read_bytes() for file in self.certificate)
        return grpc.ssl_server_credentials([(key, certificate)])

    def close(self) -> None:
        """Listen no more, and end what is open."""
        if self._server is not None:
            self._server.stop(grace=None)
        if self._service is not None:
            self._service.clients.close_all()
