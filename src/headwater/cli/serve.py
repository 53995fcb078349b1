"""`headwater serve`: run a lake and answer clients over HTTP, until stopped."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import click

from headwater.cli.lake_option import lake_folder, lake_option
from headwater.cli.signals import Interrupt, leave_now, undisturbed

if TYPE_CHECKING:
    from headwater.service.server import Attach, Server


@click.command()
@lake_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    default=8320,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0 is any that is free.",
)
@click.option("--tls-cert", metavar="FILE", help="A certificate, for https.")
@click.option("--tls-key", metavar="FILE", help="Its key.")
@click.option(
    "--hive-port",
    type=click.IntRange(0, 65535),
    help="Also answer JDBC, ODBC, PyHive and dbt on this port; 0 is any that is free.",
)
@click.option(
    "--connect-port",
    type=click.IntRange(0, 65535),
    help="Also answer SQL of Spark Connect's clients on this port; 0 is any that is free.",
)
@click.option("--no-loop", is_flag=True, help="Answer clients only: no pipes, schedules, upkeep.")
@click.option("--no-studio", is_flag=True, help="Without the web page.")
@click.option("--warm", is_flag=True, help="Start Spark now, not with the first statement.")
def serve(
    lake: str | None,
    *,
    host: str,
    port: int,
    tls_cert: str | None,
    tls_key: str | None,
    hive_port: int | None,
    connect_port: int | None,
    no_loop: bool,
    no_studio: bool,
    warm: bool,
) -> None:
    """Run a lake as a service: pipes, schedules and upkeep, and SQL over HTTP.

    The first start prints a token of the administrator, once. On a lake that another process
    holds this one is a standby, and takes over when the other is gone. SIGTERM and Ctrl-C stop it:
    statements that run have a while to end, then they are cancelled; a second signal leaves at
    once.

    \b
    headwater serve --lake mylake
    headwater serve --lake mylake --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("give --tls-cert and --tls-key, or neither")
    from headwater.service.server import Listening, Server
    from headwater.service.service import Service

    listening = Listening(host, port, tls_cert, tls_key, hive_port, connect_port)
    if listening.exposed:
        _say(f"warning: {host} is reachable from outside, and without TLS others can read along")
    service = Service.open(lake_folder(lake), loops=not no_loop)
    try:
        server = Server(service, listening, attach=_studio(no_studio))
    except BaseException:
        with undisturbed():
            service.close()
        raise
    server.start()
    if server.new_admin_token is not None:
        _say(f"token of the administrator, shown this once: {server.new_admin_token}")
    _say(f"listening on {server.url}")
    if not no_studio:
        _say(f"Studio, to look at in a browser: {server.url}/studio/")
    if server.hive_url is not None:
        _say(f"JDBC reaches it at {server.hive_url}")
    if server.connect_url is not None:
        _say(f"Spark Connect reaches it at {server.connect_url}")
    if warm:
        threading.Thread(target=service.lake.new_spark, name="headwater-warm", daemon=True).start()
    _until_stopped(server)


def _studio(without: bool) -> Attach | None:
    if without:
        return None
    from headwater.studio.mount import attach

    return attach


def _until_stopped(server: Server) -> None:
    """Wait for a signal, then stop in order on another thread, which no signal can cut in two."""
    try:
        server.service.ended.wait()
    except KeyboardInterrupt:
        _say("stopping when what runs is done; Ctrl-C again leaves at once")
    idle: list[bool] = []
    stopping = threading.Thread(
        target=lambda: idle.append(server.stop()), name="headwater-stop", daemon=True
    )
    stopping.start()
    try:
        stopping.join()
    except KeyboardInterrupt as again:
        leave_now(Interrupt.of(again).number)
    if idle == [False]:
        _say("something that runs does not stop; leaving without it")
        leave_now(signal.SIGTERM)
    if server.service.loop.problem is not None:
        raise server.service.loop.problem


def _say(text: str) -> None:
    click.echo(text, err=True)
