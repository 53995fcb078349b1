"""The endpoint of Spark Connect beside the pages: the same users, by token, and the same rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.errors import UserError
from headwater.service.identity import Proof
from headwater.service.lake_users import LakeUsers
from headwater.service.service import Service
from headwater.service.sessions import open_session

if TYPE_CHECKING:
    from headwater.spark_connect.server import ConnectServer
    from headwater.spark_connect.sessions import Login


def connect_server(
    service: Service,
    users: LakeUsers,
    host: str,
    port: int | None,
    *,
    certificate: tuple[str, str] | None = None,
) -> ConnectServer | None:
    """The endpoint, which does not listen yet; None if none is wanted."""
    if port is None:
        return None
    try:
        from headwater.spark_connect.server import ConnectServer
        from headwater.spark_connect.sessions import Login
    except ModuleNotFoundError as error:
        raise UserError("CONNECT_NOT_INSTALLED", module=error.name) from None

    def log_in(token: str, address: str) -> Login:
        service.require_active()
        identity = users.log_in(Proof(token, None, address))
        return Login(identity, lambda: open_session(service.lake, identity))

    return ConnectServer(
        log_in, host, port, time_zone=service.lake.config.time_zone, certificate=certificate
    )
