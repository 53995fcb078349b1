"""`headwater init`: a folder becomes a lake, with its settings file and an empty catalog."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click

from headwater.cli.lake_option import opened
from headwater.config import FILE_NAME, TEMPLATE, load_config
from headwater.errors import UserError


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--workspace", metavar="NAME", help="The workspace that names without one belong to.")
@click.option(
    "--metadata-url",
    metavar="URL",
    help="Keep metadata in this PostgreSQL or SQLite database instead of in the folder.",
)
def init(folder: str, workspace: str | None, *, metadata_url: str | None) -> None:
    """Make a new lake in DIR, a folder that is missing or empty.

    \b
    headwater init mylake
    headwater init mylake --metadata-url postgresql://user@host/database
    """
    path = Path(folder).expanduser().resolve()
    _require_free(path)
    settings = {
        name: value
        for name, value in {"workspace": workspace, "url": metadata_url}.items()
        if value is not None
    }
    _require_valid(workspace, metadata_url)
    _create(path, settings)
    click.echo(f"made a lake in {path}")
    click.echo(f"  {FILE_NAME}  settings, each with its default")
    click.echo(f"  metadata in {_shown(metadata_url) if metadata_url else 'catalog.db'}")
    click.echo(f"next: headwater shell --lake {_quoted(folder)}")


def _require_free(path: Path) -> None:
    try:
        if (path / FILE_NAME).exists():
            raise UserError("LAKE_ALREADY_EXISTS", path=path)
        if path.exists() and not path.is_dir():
            raise UserError("NOT_A_LAKE", path=path, reason="it is a file")
        if path.exists() and any(path.iterdir()):
            raise UserError("FOLDER_NOT_EMPTY", path=path)
    except OSError as error:
        raise UserError("LAKE_NOT_WRITABLE", path=path, problem=error.strerror) from None


def _require_valid(workspace: str | None, metadata_url: str | None) -> None:
    """Refuse what connect would refuse, before anything is written."""
    from headwater.catalog.store.addresses import read_address
    from headwater.tables.allowed_names import require_allowed_name

    if workspace is not None:
        require_allowed_name(workspace, "workspace")
    if metadata_url is not None:
        read_address(metadata_url)


def _create(path: Path, settings: Mapping[str, str]) -> None:
    """Write the settings and open the lake once; a failure leaves the place as it was."""
    existed = path.exists()
    settings_file = path / FILE_NAME
    try:
        path.mkdir(parents=True, exist_ok=True)
        # The address of the metadata may hold a password.
        settings_file.touch(mode=0o600 if "url" in settings else 0o666)
        settings_file.write_text(settings_text(settings), encoding="utf-8")
        load_config(path)
        with opened(path):
            pass
    except BaseException as error:
        _remove(path, keep_folder=existed)
        if isinstance(error, OSError):
            raise UserError("LAKE_NOT_WRITABLE", path=path, problem=error.strerror) from None
        raise


def settings_text(settings: Mapping[str, str]) -> str:
    """The settings file: every setting with its default as a comment, the given ones set."""
    text = TEMPLATE
    for key, value in settings.items():
        # A JSON string is a TOML string.
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        escaped = line.replace("\\", r"\\")
        text, replaced = re.subn(rf"(?m)^# {key} = .*$", escaped, text, count=1)
        assert replaced, f"the template has no line for {key}"
    return text


def _remove(path: Path, *, keep_folder: bool) -> None:
    """Take back what opening a lake makes; anything else in the folder is somebody's own."""
    with suppress(OSError):
        for name in (FILE_NAME, "catalog.db", "catalog.db-wal", "catalog.db-shm"):
            (path / name).unlink(missing_ok=True)
        if not keep_folder:
            path.rmdir()


def _shown(url: str) -> str:
    from headwater.catalog.store.addresses import read_address, shown

    return shown(read_address(url))


def _quoted(folder: str) -> str:
    import shlex

    return shlex.quote(folder)
