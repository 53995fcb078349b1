"""The names that the editor completes, asked by SHOW with the rights of its user.

They are kept until something has changed: a word that is typed must not be a job each time.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from headwater.errors import HeadwaterError
from headwater.names import quote_identifier
from headwater.sql.candidates import Candidate, candidates
from headwater.sql.catalog_words import Names

Key = tuple[str, ...]
Ask = Callable[[str], Coroutine[Any, Any, list[dict[str, Any]]]]
_ROUNDS = 4
_MOST = 200


class CompletionWords:
    """What is known so far; what was asked for and is not known is in `missing`."""

    def __init__(self) -> None:
        self.known: dict[Key, Names] = {}
        self.missing: set[Key] = set()

    def schemas(self) -> Names:
        """All schemas."""
        return self._get(("schemas",))

    def tables(self, schema: str | None) -> Names:
        """The tables and views of a schema; None is the current one."""
        return self._get(("tables", schema or ""))

    def columns(self, schema: str | None, table: str) -> Names:
        """The columns of a table or view."""
        return self._get(("columns", schema or "", table))

    def streams(self, schema: str | None) -> Names:
        """The streams of a schema."""
        return self._get(("streams", schema or ""))

    def volumes(self, schema: str | None) -> Names:
        """The volumes of a schema."""
        return self._get(("volumes", schema or ""))

    def connections(self) -> Names:
        """All connections."""
        return self._get(("connections",))

    def forget(self) -> None:
        """Something may have changed."""
        self.known.clear()

    def _get(self, key: Key) -> Names:
        key = tuple(part.lower() for part in key)
        if key not in self.known:
            self.missing.add(key)
        return self.known.get(key, ())


async def complete(before: str, after: str, words: CompletionWords, ask: Ask) -> list[Candidate]:
    """What can stand at the cursor; names that are not known yet are asked for."""
    for _ in range(_ROUNDS):
        words.missing.clear()
        found = candidates(before, after, words)
        if not words.missing:
            break
        for key in sorted(words.missing):
            words.known[key] = await _read(key, ask)
    return list(dict.fromkeys(found))[:_MOST]


async def _read(key: Key, ask: Ask) -> Names:
    statement, column = statement_of(key)
    try:
        rows = await ask(statement)
    except HeadwaterError:
        # What the user may not see has no words.
        return ()
    return tuple(str(row[column]) for row in rows)


def statement_of(key: Key) -> tuple[str, str]:
    """The statement that gives some names, and the column they are in.

    >>> statement_of(("columns", "sales", "my table"))
    ('SHOW COLUMNS IN `sales`.`my table`', 'column_name')
    """
    kind, *names = key
    place = ".".join(quote_identifier(name) for name in names if name)
    tail = f" IN {place}" if place else ""
    statement, column = {
        "schemas": ("SHOW SCHEMAS", "schema_name"),
        "tables": ("SHOW TABLES", "table_name"),
        "columns": ("SHOW COLUMNS", "column_name"),
        "streams": ("SHOW TABLE STREAMS", "name"),
        "volumes": ("SHOW VOLUMES", "volume_name"),
        "connections": ("SHOW CONNECTIONS", "name"),
    }[kind]
    return statement + tail, column
