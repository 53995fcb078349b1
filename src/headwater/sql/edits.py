"""Replacing pieces of a statement by position, and finding the way back to the text as typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.errors import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in place of `span`; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text after edits; every character outside the edits is as typed."""

    original: str
    text: str
    edits: tuple[Edit, ...] = ()

    def original_span(self, start: int, end: int) -> Span:
        """The place in the original text of a place in the edited text."""
        first = self._origin(start)
        last = self._origin(max(start, end - 1))
        return Span(first.start, max(first.end, last.end))

    def wrapped(self, before: str, after: str) -> EditedText:
        """The text with something around it, which stands for no place in the original."""
        end = len(self.original)
        around = (Edit(Span(0, 0), before), *self.edits, Edit(Span(end, end), after))
        return EditedText(self.original, before + self.text + after, around)

    def _origin(self, place: int) -> Span:
        """Where one character came from: itself, or the piece that was replaced by it."""
        shift = 0
        for edit in self.edits:
            new_start = edit.span.start + shift
            if place < new_start:
                break
            if place < new_start + len(edit.text):
                return edit.span
            shift += len(edit.text) - (edit.span.end - edit.span.start)
        original = min(max(place - shift, 0), len(self.original))
        return Span(original, min(original + 1, len(self.original)))


def own_text(sql: str) -> EditedText:
    """A text of Headwater's own: no place in it means anything to a user."""
    return EditedText("", sql)


def apply_edits(text: str, edits: Iterable[Edit]) -> EditedText:
    """`text` with all edits made; they must not overlap."""
    ordered = tuple(sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)))
    parts: list[str] = []
    place = 0
    for edit in ordered:
        if edit.span.start < place:
            raise ValueError("edits overlap")
        parts += [text[place : edit.span.start], edit.text]
        place = edit.span.end
    parts.append(text[place:])
    return EditedText(text, "".join(parts), ordered)
