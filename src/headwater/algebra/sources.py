"""What a name in a FROM clause stands for, as the caller resolves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table: its id, what users and Spark call it, its columns with their types."""

    id: str
    name: str
    spark_name: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SourceView:
    """A view: its query, the names of its columns, and what names mean inside of it."""

    text: str
    columns: tuple[str, ...]
    resolve: Resolve


Relation = SourceTable | SourceView
Resolve = Callable[[tuple[str, ...]], Relation]
"""From the parts of a name as typed."""
