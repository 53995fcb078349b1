"""CREATE STREAM .. ON VOLUME as a statement."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span
from headwater.names import ObjectName


@dataclass(frozen=True, slots=True)
class CreateVolumeStream:
    """CREATE [OR REPLACE] STREAM [IF NOT EXISTS] s ON VOLUME v."""

    name: ObjectName
    volume: ObjectName
    or_replace: bool = False
    if_not_exists: bool = False
    comment: str | None = None
    name_span: Span | None = None
    volume_span: Span | None = None
