"""Volumes as pages and statements name them: by their own name, by a table, or the user's. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from headwater.sql.volume_refs import VolumeKind
from headwater.studio.in_schemas import sql_name

_KINDS = {"table": VolumeKind.TABLE, "user": VolumeKind.USER}


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume; that of a table has the table's name, and the user's has none."""

    kind: VolumeKind
    schema: str = ""
    name: str = ""

    @property
    def title(self) -> str:
        """What a page calls it."""
        if self.kind is VolumeKind.USER:
            return "My files"
        return f"Files of {self.name}" if self.kind is VolumeKind.TABLE else self.name

    @property
    def sql(self) -> str:
        """The volume in a statement.

        >>> Volume(VolumeKind.TABLE, "public", "a`b").sql
        'TABLE VOLUME `public`.`a``b`'
        >>> Volume(VolumeKind.USER).sql
        'USER VOLUME'
        """
        named = "" if self.kind is VolumeKind.USER else f" {sql_name(self.schema, self.name)}"
        return f"{self.kind.value}{named}"

    @property
    def directory(self) -> str:
        """What lists its files.

        >>> Volume(VolumeKind.NAMED, "public", "v").directory
        'SHOW VOLUME DIRECTORY `public`.`v`'
        """
        named = "" if self.kind is VolumeKind.USER else f" {sql_name(self.schema, self.name)}"
        return f"SHOW {self.kind.value} DIRECTORY{named}"

    @property
    def page(self) -> str:
        """The address of its page.

        >>> Volume(VolumeKind.TABLE, "public", "t").page
        '/studio/volumes/public/t?kind=table'
        """
        if self.kind is VolumeKind.USER:
            return "/studio/my-files"
        path = f"/studio/volumes/{quote(self.schema, safe='')}/{quote(self.name, safe='')}"
        return f"{path}?kind=table" if self.kind is VolumeKind.TABLE else path

    @property
    def asked_as(self) -> Mapping[str, str]:
        """How an address names it; `volume_of` reads it."""
        kind = next((word for word, kind in _KINDS.items() if kind is self.kind), "")
        return {"kind": kind, "schema": self.schema, "volume": self.name}


def volume_of(asked: Mapping[str, str]) -> Volume:
    """The volume that an address names.

    >>> volume_of(Volume(VolumeKind.TABLE, "s", "t").asked_as)
    Volume(kind=<VolumeKind.TABLE: 'TABLE VOLUME'>, schema='s', name='t')
    """
    kind = _KINDS.get(asked.get("kind", ""), VolumeKind.NAMED)
    return Volume(kind, asked.get("schema", ""), asked.get("volume", ""))
