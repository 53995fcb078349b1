"""The object store that holds a lake's tables and volumes, where the settings name one.

Its keys are secrets and no settings: they come from HEADWATER_TABLES_ACCESS_KEY and
HEADWATER_TABLES_SECRET_KEY, else from the file that `tables_key_file` names.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headwater.config import Config
from headwater.errors import UserError
from headwater.storage.addresses import Scheme, StoreAddress, parse_location
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.open_store import open_store
from headwater.storage.spark_settings import SparkAccess, spark_access
from headwater.storage.store import Store

ACCESS_VARIABLE = "HEADWATER_TABLES_ACCESS_KEY"
SECRET_VARIABLE = "HEADWATER_TABLES_SECRET_KEY"  # noqa: S105 - a name, no secret
TOKEN_VARIABLE = "HEADWATER_TABLES_SESSION_TOKEN"  # noqa: S105 - a name, no secret
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class LakeStore:
    """A folder of a store: how we reach it, and how Spark does."""

    address: StoreAddress
    connection: StoreConnection
    store: Store
    access: SparkAccess

    @property
    def url(self) -> str:
        """The folder as Spark spells it, with a slash at the end."""
        return self.access.url


def open_lake_store(
    config: Config, *, environment: Mapping[str, str] | None = None
) -> LakeStore | None:
    """The store that the settings name, if they do; nothing is asked of it yet."""
    if config.tables_location is None:
        return None
    address = _address(config.tables_location)
    keys = _keys(config, os.environ if environment is None else environment)
    connection = StoreConnection(
        Scheme.S3, endpoint=config.tables_endpoint, region=config.tables_region, keys=keys
    )
    store = open_store(address, connection)
    return LakeStore(address, connection, store, spark_access(address, connection, keys))


def _address(location: str) -> StoreAddress:
    """`s3a` is how Spark spells `s3`."""
    scheme, mark, rest = location.partition("://")
    if mark and scheme.lower() not in ("s3", "s3a"):
        reason = f"tables cannot be in a store of the kind '{scheme}'"
        raise UserError("TABLES_LOCATION_REFUSED", location=location, reason=reason)
    try:
        return parse_location(f"s3://{rest}" if mark else location)
    except UserError as error:
        reason = str(error.message).rpartition(": ")[2]
        shown = "that" if "@" in location else location
        raise UserError("TABLES_LOCATION_REFUSED", location=shown, reason=reason) from None


def _keys(config: Config, environment: Mapping[str, str]) -> AccessKeys:
    access, secret = environment.get(ACCESS_VARIABLE), environment.get(SECRET_VARIABLE)
    if access and secret:
        return AccessKeys(access, secret, environment.get(TOKEN_VARIABLE) or None)
    if access or secret or config.tables_key_file is None:
        raise UserError("TABLES_KEYS_MISSING", access=ACCESS_VARIABLE, secret=SECRET_VARIABLE)
    return _keys_of_file(Path(config.tables_key_file).expanduser())


def _keys_of_file(path: Path) -> AccessKeys:
    """The access key and the secret key, as two words or lines; nothing of it is ever shown."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            # Of the file that is open, not of the name, which may mean another file by now.
            if os.fstat(file.fileno()).st_mode & _OTHERS:
                raise UserError("TABLES_KEY_FILE_EXPOSED", path=path)
            words = file.read().split()
    except OSError as error:
        raise UserError("TABLES_KEY_FILE_UNUSABLE", path=path, reason=error.strerror) from None
    if len(words) != 2:
        reason = f"it holds {len(words)} words instead of an access key and a secret key"
        raise UserError("TABLES_KEY_FILE_UNUSABLE", path=path, reason=reason)
    access, secret = words
    return AccessKeys(access, secret)
