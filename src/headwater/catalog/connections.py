"""Connections: the credentials and the endpoint of a store or broker, as plain data.

Invariant: a secret is only ever in `sealed`, as the text that the lake's key made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class ConnectionType(StrEnum):
    """What is at the other end."""

    S3 = "S3"
    OSS = "OSS"
    COS = "COS"
    KAFKA = "KAFKA"
    HDFS = "HDFS"
    FILE = "FILE"


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection of a workspace.

    `settings` holds what may be shown, `sealed` the secrets by key. `external_id` is what the
    owner of a role has to name in its trust policy.
    """

    id: str
    workspace: str
    name: str
    type: ConnectionType
    creator: str
    created_at: datetime
    modified_at: datetime
    enabled: bool = True
    comment: str | None = None
    settings: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    sealed: Mapping[str, str] = field(default_factory=dict)
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class ConnectionUser:
    """Something that would break without a connection."""

    kind: str
    schema: str
    name: str
