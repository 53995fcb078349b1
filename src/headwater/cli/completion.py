"""The shell's completer: shows what `candidates` says."""

from __future__ import annotations

from collections.abc import Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from headwater.sql.candidates import candidates
from headwater.sql.catalog_words import CatalogWords


class SqlCompleter(Completer):
    """Completes keywords, statements, schemas, tables, views and columns."""

    def __init__(self, catalog: CatalogWords) -> None:
        self._catalog = catalog

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        """The candidates at the cursor."""
        before = document.text_before_cursor
        if before.lstrip().startswith("\\"):
            return
        typed = _typed(before)
        # While typing freely a menu of everything would be in the way.
        if not typed and not event.completion_requested and not before.endswith("."):
            return
        for candidate in candidates(before, document.text_after_cursor, self._catalog):
            yield Completion(
                candidate.text, start_position=-len(typed), display_meta=candidate.kind
            )


def _typed(before: str) -> str:
    """The part of the word at the cursor that is there already."""
    start = len(before)
    while start and (before[start - 1].isalnum() or before[start - 1] in "_`$"):
        start -= 1
    return before[start:]
