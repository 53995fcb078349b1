"""The names that a completion can offer, as whoever completes asks for them."""

from __future__ import annotations

from typing import Protocol

Names = tuple[str, ...]


class CatalogWords(Protocol):
    """What a completer asks; `schema` None means the current one."""

    def schemas(self) -> Names:
        """All schemas."""
        ...

    def tables(self, schema: str | None) -> Names:
        """The tables and views of a schema; none when there is no such schema."""
        ...

    def columns(self, schema: str | None, table: str) -> Names:
        """The columns of a table or view; none when there is no such table."""
        ...

    def streams(self, schema: str | None) -> Names:
        """The streams of a schema."""
        ...

    def volumes(self, schema: str | None) -> Names:
        """The volumes of a schema."""
        ...

    def connections(self) -> Names:
        """All connections."""
        ...
