"""`headwater rotate-key`: seal the secrets of all connections and pipes with a new key."""

from __future__ import annotations

import click

from headwater.cli.lake_option import lake_folder, lake_option, opened


@click.command("rotate-key")
@lake_option
def rotate_key(lake: str | None) -> None:
    """Seal the secrets of all connections and pipes with a new key.

    The new key is made and kept in secret.key of the lake folder, and the old one is forgotten. If
    the key comes from HEADWATER_SECRET_KEY or HEADWATER_SECRET_KEY_FILE, put the new key in front
    of the old one there, run this, then remove the old one.
    """
    from headwater.files.rotate_key import rotate_key as rotate
    from headwater.names import counted

    with opened(lake_folder(lake), create=False) as connection:
        done = rotate(connection.session.lake)
    owners = counted(done.connections, "connection")
    if done.pipes:
        owners += f" and {counted(done.pipes, 'pipe')}"
    if done.tasks:
        owners += f" and {counted(done.tasks, 'task')}"
    if done.alerts:
        owners += f" and {counted(done.alerts, 'alert')}"
    click.echo(f"secrets of {owners} sealed with a new key")
    if done.old_keys_removed:
        click.echo(f"  key {done.key_id} in {done.source}; the old keys are gone")
    else:
        click.echo(f"  key {done.key_id} of {done.source}; remove the old keys there")
