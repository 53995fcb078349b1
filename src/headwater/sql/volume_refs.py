"""`VOLUME v`, `TABLE VOLUME t` and `USER VOLUME`: how every command names a volume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from headwater.errors import Span
from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.tokens import Token

# Words that follow a volume in some command, so that `COPY INTO volume FROM ..` is about a table.
_NO_NAMES = frozenset(
    "FROM TO USING PARTITION WHERE JOIN INNER LEFT RIGHT FULL CROSS NATURAL ON AS GROUP ORDER LIMIT"
    " UNION EXCEPT INTERSECT MINUS HAVING SET WHEN VALUES SELECT LATERAL PIVOT UNPIVOT WINDOW"
    " TABLESAMPLE SORT CLUSTER DISTRIBUTE OFFSET QUALIFY SEMI ANTI".split()
)


class VolumeKind(StrEnum):
    """Whose files they are; external and named volumes are both called by their own name."""

    NAMED = "VOLUME"
    TABLE = "TABLE VOLUME"
    USER = "USER VOLUME"


@dataclass(frozen=True, slots=True)
class VolumeRef:
    """A volume as typed; `name` is the volume's, or the table's, or None for the user's volume."""

    kind: VolumeKind
    name: ObjectName | None = None
    span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The reference in its canonical spelling."""
        return self.kind if self.name is None else f"{self.kind} {self.name}"


USER_VOLUME = VolumeRef(VolumeKind.USER)


def volume_kind_at(tokens: Sequence[Token], place: int) -> VolumeKind | None:
    """The kind of the reference that starts at `place`, or None; tables may be called volume."""
    words = [token.upper for token in tokens[place : place + 2]]
    if words == ["USER", "VOLUME"]:
        return VolumeKind.USER
    kind = VolumeKind.TABLE if words == ["TABLE", "VOLUME"] else VolumeKind.NAMED
    if kind is VolumeKind.NAMED and words[:1] != ["VOLUME"]:
        return None
    after = place + (2 if kind is VolumeKind.TABLE else 1)
    if after >= len(tokens) or not tokens[after].is_name or tokens[after].upper in _NO_NAMES:
        return None
    return kind


def at_volume_ref(cursor: Cursor) -> bool:
    """Whether a volume is named here."""
    return volume_kind_at(cursor.tokens, cursor.position) is not None


def parse_volume_ref(cursor: Cursor) -> VolumeRef:
    """Take a volume, or fail."""
    start = cursor.token.start
    kind = volume_kind_at(cursor.tokens, cursor.position)
    if kind is None:
        cursor.fail_expected(
            "a volume", hint="write VOLUME <name>, TABLE VOLUME <table> or USER VOLUME"
        )
    cursor.expect(*kind.split())
    what = "the table's name" if kind is VolumeKind.TABLE else "the volume's name"
    name = None if kind is VolumeKind.USER else cursor.object_name(what)
    return VolumeRef(kind, name, Span(start, cursor.tokens[cursor.position - 1].end))
