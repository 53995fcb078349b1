"""Taking credentials out of a statement before it is shown, logged or kept.

Law: a value given to a key that `credentials.py` knows never survives `mask`, in whatever spelling,
and `mask(mask(text)) == mask(text)`. Text that cannot be read is covered to its end.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Collection, Iterator, Sequence

from headwater.errors import Span, UserError
from headwater.names import quote_literal
from headwater.sql.credential_values import notified_addresses, values_in_tokens
from headwater.sql.credentials import (
    assigned_in_text,
    may_hold_credential,
    passwords_in_urls,
    unreadable_from,
)
from headwater.sql.edits import Edit, apply_edits
from headwater.sql.string_literals import DOLLARS, decode_string
from headwater.sql.tokens import Token, tokenize

_COVER = "****"
_QUOTED_COVER = "'****'"
_COMMENT = re.compile(r"--([^\n]*)|/\*(.*?)(?:\*/|\Z)", re.DOTALL)
_STRING = re.compile(r"[rR]?(?:'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")", re.DOTALL)
_BETWEEN_PIECES = re.compile(r"[\s'\"]+")
_SHORT = 4
_LONG = 6


def secret_spans(text: str) -> list[Span]:
    """The places of `text` that hold credentials, in order, none overlapping."""
    return [edit.span for edit in _edits(text)]


def mask(text: str) -> str:
    """`text` with every credential replaced by `'****'`."""
    return apply_edits(text, _edits(text)).text


def secret_values(text: str) -> list[str]:
    """The credentials of `text` as they may turn up elsewhere, such as in a message of Spark's.

    They are for `mask_words`: each as typed and decoded, and in pieces where it was no literal.
    """
    found: set[str] = set()
    for span in secret_spans(text):
        typed = text[span.start : span.end]
        found |= {typed.strip("'\""), *map(decode_string, _STRING.findall(typed))}
        if _STRING.sub("", typed).strip():
            pieces = _BETWEEN_PIECES.split(typed)
            found |= {piece for piece in pieces if len(piece) >= _LONG}
    return sorted(value for value in found if len(value) >= _SHORT - 1 and value != _COVER)


def mask_words(text: str, secrets: Collection[str]) -> str:
    """`mask`, and the known values of `secrets` blanked wherever and however they are written."""
    spellings = {form for secret in secrets if secret for form in _spellings(secret)}
    masked = mask(text)
    if not spellings:
        return masked
    longest_first = sorted(spellings, key=len, reverse=True)
    return re.sub("|".join(map(_anywhere, longest_first)), _COVER, masked)


def masked_with_span(text: str, span: Span | None) -> tuple[str, Span | None]:
    """The masked text and where `span` is in it; inside a credential it covers the whole mask."""
    edits = _edits(text)
    moved = Span(_moved(edits, span.start), _moved(edits, span.end, at_end=True)) if span else None
    return apply_edits(text, edits).text, moved


def _moved(edits: Sequence[Edit], place: int, *, at_end: bool = False) -> int:
    shift = 0
    for edit in edits:
        start, end = edit.span.start, edit.span.end
        if place < start or (place == start and at_end):
            break
        if place < end:
            return start + shift + (len(edit.text) if at_end else 0)
        shift += len(edit.text) - (end - start)
    return place + shift


def _spellings(secret: str) -> set[str]:
    quoted = urllib.parse.quote(secret, safe="", errors="replace")
    return {secret, quote_literal(secret)[1:-1], secret.replace("'", "''"), quoted}


def _anywhere(secret: str) -> str:
    # A secret such as "a" must not blank every a of the text, only where it stands alone.
    return re.escape(secret) if len(secret) >= _SHORT else rf"(?<!\w){re.escape(secret)}(?!\w)"


def _edits(text: str) -> list[Edit]:
    if not may_hold_credential(text):
        return []
    try:
        tokens = tokenize(text)
    except UserError:
        return _merged(_in_unreadable(text))
    values = [Edit(span, _QUOTED_COVER) for span in values_in_tokens(text, tokens)]
    return _merged([*values, *_in_texts(text, tokens)])


def _merged(edits: list[Edit]) -> list[Edit]:
    """The edits in order; of two that overlap the first one's text covers both."""
    merged: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.span.start, -e.span.end)):
        if merged and edit.span.start < merged[-1].span.end:
            before = merged[-1]
            end = max(before.span.end, edit.span.end)
            merged[-1] = Edit(Span(before.span.start, end), before.text)
        else:
            merged.append(edit)
    return merged


def _in_unreadable(text: str) -> list[Edit]:
    urls = passwords_in_urls(text, 0, len(text), quoted=False)
    found = [Edit(span, _COVER) for span in urls]
    start = unreadable_from(text)
    if start is not None:
        found.append(Edit(Span(start, len(text)), _QUOTED_COVER))
    return found


def _in_texts(text: str, tokens: Sequence[Token]) -> Iterator[Edit]:
    """Credentials inside strings, quoted names, comments, and in URLs without quotes."""
    for span in passwords_in_urls(text, 0, len(text), quoted=False):
        yield Edit(span, _COVER)
    before = 0
    for token in tokens:
        for match in _COMMENT.finditer(text, before, token.start):
            group = match.lastindex or 0
            yield from _in_text(text, match.start(group), match.end(group))
        before = token.end
        if token.kind == "string" and token.text.startswith(DOLLARS):
            inside = token.start + len(DOLLARS), token.end - len(DOLLARS)
            yield from _in_text(text, *inside, closing=DOLLARS)
            yield from _in_script(text, *inside)
        elif token.kind in ("string", "quoted") and token.text[-1] in "'\"`":
            opening = token.start + token.text.index(token.text[-1]) + 1
            yield from _in_text(text, opening, token.end - 1, closing=token.text[-1])


def _in_script(text: str, start: int, end: int) -> Iterator[Edit]:
    """Addresses of alerts in a script that stands between dollars."""
    try:
        tokens = tokenize(text[start:end])
    except UserError:
        return
    for span in notified_addresses(tokens):
        yield Edit(Span(span.start + start, span.end + start), _QUOTED_COVER)


def _in_text(text: str, start: int, end: int, *, closing: str = "") -> Iterator[Edit]:
    for span in passwords_in_urls(text, start, end, quoted=True):
        yield Edit(span, _COVER)
    for span, is_open in assigned_in_text(text, start, end):
        if is_open and closing:
            yield Edit(Span(span.start, len(text)), _COVER + closing)
        elif span.start < span.end:
            yield Edit(span, _COVER)
