"""What a statement needs, by the names in it: before anybody has looked whether they exist."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.volume_refs import VolumeKind, VolumeRef


@dataclass(frozen=True, slots=True)
class Need:
    """A privilege on the object of a name; of a schema the name is `<any>` in it.

    `if_there` says that it is needed only if the object exists, `dropped` that it was dropped, and
    `to_grant` that the right to pass the privilege on is meant.
    """

    privilege: Privilege
    kind: Securable
    name: ObjectName
    if_there: bool = False
    dropped: bool = False
    to_grant: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A text whose relations are read, and what is needed on those that it writes."""

    text: str
    writes: tuple[Privilege, ...] = ()


def on_table(privilege: Privilege, name: ObjectName) -> Need:
    """A privilege on what stands where a table stands."""
    return Need(privilege, Securable.TABLE, name)


def in_schema(privilege: Privilege, name: ObjectName) -> Need:
    """A privilege on the schema that an object is in, or will be."""
    return Need(privilege, Securable.SCHEMA, name)


def on_schema(privilege: Privilege, schema: ObjectName) -> Need:
    """A privilege on a schema by its own name."""
    return Need(privilege, Securable.SCHEMA, ObjectName("", schema.name, schema.schema))


def made(
    privilege: Privilege, kind: Securable, name: ObjectName, *, replaces: bool
) -> tuple[Need, ...]:
    """To make an object, and if it takes the place of another, to own that one."""
    create = in_schema(privilege, name)
    owned = Need(Privilege.OWNERSHIP, kind, name, if_there=True)
    return (create, owned) if replaces else (create,)


def on_volume(privilege: Privilege, volume: VolumeRef) -> tuple[Need, ...]:
    """A privilege on a volume; files of a table are read and written with it, one's own freely."""
    if volume.name is None:
        return ()
    if volume.kind is VolumeKind.TABLE:
        writes = privilege is Privilege.WRITE_VOLUME
        return (on_table(Privilege.INSERT if writes else Privilege.SELECT, volume.name),)
    return (Need(privilege, Securable.VOLUME, volume.name),)


def use_cluster(name: str | None) -> tuple[Need, ...]:
    """To work on a virtual cluster, if one is named."""
    if name is None:
        return ()
    return (Need(Privilege.USE, Securable.VCLUSTER, ObjectName(name.upper())),)
