"""From a volume as typed to its files: the store that holds them and how Spark reaches it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from headwater.catalog.objects import Table
from headwater.catalog.volumes import Volume
from headwater.errors import Span, UserError
from headwater.files.connections import store_connection
from headwater.names import QualifiedName, did_you_mean
from headwater.runtime.open_lake import OpenLake
from headwater.sql.volume_refs import VolumeKind, VolumeRef
from headwater.storage.addresses import Scheme, StoreAddress, parse_location
from headwater.storage.connections import StoreConnection
from headwater.storage.open_store import keys_of, open_store
from headwater.storage.spark_settings import SparkAccess, spark_access
from headwater.storage.store import Store
from headwater.tables.find import find_schema, find_table


@dataclass(frozen=True, slots=True)
class OpenVolume:
    """The files of a volume. `volume` is None for the volumes that nobody has to create."""

    title: str
    """For messages: `volume public.v`, `user volume`."""
    address: StoreAddress
    store: Store
    recursive: bool = True
    volume: Volume | None = None
    connection: StoreConnection | None = None

    @property
    def connection_id(self) -> str | None:
        """The connection that its files are reached through; None for files of the lake."""
        return self.volume.connection_id if self.volume is not None else None

    @property
    def reference(self) -> str:
        """The volume as statements name it: `VOLUME public.v`, `USER VOLUME`."""
        words = self.title.split(" ")
        kinds = len(words) if self.title == "user volume" else len(words) - 1
        return " ".join([*map(str.upper, words[:kinds]), *words[kinds:]])

    def url_of(self, path: str) -> str:
        """The full address of a file."""
        return self.address.url_of(path)

    def spark_access(self) -> SparkAccess:
        """How Spark reaches the same files; keys of a role are asked for now."""
        if self.connection is None or (
            self.connection.keys is None and self.connection.role is None
        ):
            return spark_access(self.address, None, None)
        return spark_access(self.address, self.connection, keys_of(self.connection)())


@dataclass(frozen=True, slots=True)
class Whose:
    """Who asks, and where names without a schema belong."""

    workspace: str
    schema: str
    user: str


def open_volume(lake: OpenLake, ref: VolumeRef, whose: Whose) -> OpenVolume:
    """The volume that a statement names."""
    if ref.kind is VolumeKind.USER:
        return _inside(lake, "user volume", "user", _folder_name(whose.user))
    assert ref.name is not None
    name = ref.name.qualified(workspace=whose.workspace, schema=whose.schema)
    if ref.kind is VolumeKind.TABLE:
        table = find_table(lake.store, name, span=ref.span)
        title = f"table volume {table.schema}.{table.name}"
        return _inside(lake, title, "table", table.id)
    return opened(lake, find_volume(lake, name, span=ref.span))


def find_volume(lake: OpenLake, name: QualifiedName, *, span: Span | None = None) -> Volume:
    """The external or named volume of that name, or VOLUME_NOT_FOUND."""
    found = lake.store.volumes.get(name.workspace, name.schema, name.name)
    if found is None:
        find_schema(lake.store, name.workspace, name.schema, span=span)
        known = [volume.name for volume in lake.store.volumes.list(name.workspace, name.schema)]
        hint = did_you_mean(name.name, known) or "SHOW VOLUMES"
        raise UserError("VOLUME_NOT_FOUND", name=name, span=span, hint=hint)
    return found


def opened(lake: OpenLake, volume: Volume) -> OpenVolume:
    """A volume of the catalog with the store that holds its files."""
    title = f"volume {volume.schema}.{volume.name}"
    if not volume.external:
        return _inside(
            lake,
            title,
            "named",
            *_folder_of(volume.schema, volume.name),
            recursive=volume.recursive,
            volume=volume,
        )
    address = parse_location(volume.url)
    connection = None
    if volume.connection is not None:
        connection = _connection(lake, volume)
    store = open_store(address, connection)
    return OpenVolume(title, address, store, volume.recursive, volume, connection)


def remove_table_volume(lake: OpenLake, table: Table) -> bool:
    """Remove the files of a table's volume for good; whether all of them are gone."""
    path = f"volumes/table/{table.id}"
    if lake.remote is not None:
        return lake.remove_folder_at(lake.remote.url + path)
    return lake.remove_folder_at(str(lake.folder.path / path))


def named_volume_url(lake: OpenLake, schema: str, name: str) -> str:
    """Where the files of a named volume are; by its name, since dropping it leaves them there."""
    return _address(lake, "named", *_folder_of(schema, name)).url


def _folder_of(schema: str, name: str) -> tuple[str, str]:
    return _folder_name(schema), _folder_name(name)


def _folder_name(name: str) -> str:
    """A name as one folder, whatever is in it; `..` is a name, too."""
    return quote(name, safe="").replace(".", "%2E")


def _connection(lake: OpenLake, volume: Volume) -> StoreConnection:
    found = (
        lake.store.connections.by_id(volume.connection_id)
        if volume.connection_id is not None
        else None
    )
    if found is None:
        raise UserError(
            "VOLUME_LOST_CONNECTION",
            volume=f"{volume.schema}.{volume.name}",
            connection=volume.connection,
        )
    return store_connection(lake, found)


def _inside(
    lake: OpenLake, title: str, *parts: str, recursive: bool = True, volume: Volume | None = None
) -> OpenVolume:
    """A volume of the lake's own."""
    address = _address(lake, *parts)
    connection = None if lake.remote is None else lake.remote.connection
    if connection is None:
        Path("/" + address.prefix).mkdir(parents=True, exist_ok=True)
    store = open_store(address, connection)
    return OpenVolume(title, address, store, recursive, volume, connection)


def _address(lake: OpenLake, *parts: str) -> StoreAddress:
    """Where a volume of the lake's own is: beside its tables."""
    if lake.remote is not None:
        return lake.remote.address.below("/".join(("volumes", *parts)))
    folder = lake.folder.path.joinpath("volumes", *parts)
    return StoreAddress(Scheme.FILE, "", str(folder).lstrip("/") + "/")
