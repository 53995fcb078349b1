"""Which names objects may have: letters, digits and underscores, because they become folders."""

from __future__ import annotations

import re

from headwater.errors import Span, UserError

_ALLOWED = re.compile(r"[a-z0-9_]+\Z")
_LONGEST = 128
RESERVED_PREFIX = "__headwater_"
"""Temporary views of ours begin like this (statements/spark_text.py)."""


def require_allowed_name(name: str, kind: str, *, span: Span | None = None) -> None:
    """Refuse a name that Spark's catalog or a file system would refuse later."""
    if name.startswith(RESERVED_PREFIX):
        raise UserError("NAME_RESERVED", name=name, span=span)
    if not _ALLOWED.match(name) or len(name) > _LONGEST:
        raise UserError("NAME_NOT_ALLOWED", name=name, kind=kind, span=span)
