"""The endpoint of Hive's protocol beside the pages: the same users, the same rights."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from headwater.errors import UserError
from headwater.service.identity import Proof
from headwater.service.lake_users import LakeUsers
from headwater.service.service import Service
from headwater.service.sessions import open_session

if TYPE_CHECKING:
    from headwater.hive.frames import Login
    from headwater.hive.handler import Open
    from headwater.hive.server import HiveServer


def hive_server(
    service: Service,
    users: LakeUsers,
    host: str,
    port: int | None,
    *,
    certificate: tuple[str, str] | None = None,
) -> HiveServer | None:
    """The endpoint, which does not listen yet; None if none is wanted.

    With a certificate and its key it speaks TLS and nothing else.
    """
    if port is None:
        return None
    try:
        from headwater.hive.server import HiveServer
    except ModuleNotFoundError as error:
        raise UserError("HIVE_NOT_INSTALLED", module=error.name) from None

    def log_in(login: Login, address: str) -> Open:
        service.require_active()
        identity = users.log_in(Proof(login.password, login.user, address))
        return lambda: open_session(service.lake, identity)

    return HiveServer(log_in, host, port, tls=_tls(certificate))


def _tls(certificate: tuple[str, str] | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(*certificate)
    except (OSError, ssl.SSLError) as error:
        raise UserError("TLS_FILES_UNUSABLE", certificate=certificate[0], reason=error) from None
    return context
