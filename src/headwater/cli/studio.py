"""`headwater studio`: open the web page of a lake that a service runs, without a token."""

from __future__ import annotations

import os
import webbrowser

import click

from headwater.cli.lake_option import CA_VARIABLE, lake_folder, lake_option
from headwater.errors import UserError

_LINK_PAGE = "/api/v1/studio/link"


@click.command()
@lake_option
@click.option("--no-open", is_flag=True, help="Print the link only.")
def studio(lake: str | None, *, no_open: bool) -> None:
    """Open Studio, the web page of a lake, in a browser of this machine.

    `headwater serve` must run the lake. The link that is printed lets one browser in, once, within
    ten minutes.

    \b
    headwater serve --lake mylake &
    headwater studio --lake mylake
    """
    from headwater.client.local_service import find_service
    from headwater.client.transport import Transport

    folder = lake_folder(lake)
    service = find_service(folder)
    if service is None:
        raise UserError("SERVICE_NOT_RUNNING", folder=folder)
    transport = Transport(service.url, service.token, ca_file=os.environ.get(CA_VARIABLE))
    try:
        path = transport.post(_LINK_PAGE)["path"]
    finally:
        transport.close()
    click.echo(f"{service.url}{path}")
    if not no_open:
        webbrowser.open(f"{service.url}{path}")
