"""COPY_JOB_HINT of a pipe: a JSON object whose values are texts, numbers, true or false."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from headwater.sql.option_values import Unfit, boolean, one_of

JobHint = tuple[tuple[str, str], ...]

IGNORE_TMP_FILE = "IGNORE_TMP_FILE"
SPLIT_STRATEGY = "cz.sql.split.kafka.strategy"
MESSAGES_PER_TASK = "cz.mapper.kafka.message.size"
_EXPECTED = 'a JSON object such as {"IGNORE_TMP_FILE": "true"}'


def read_job_hint(text: str) -> JobHint:
    """The pairs of the object, values as text; other hints than the known ones pass as they are."""
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise Unfit(str(error) if isinstance(error, Unfit) else _EXPECTED) from None
    if not isinstance(found, tuple):
        raise Unfit(_EXPECTED)
    hint = tuple((key, _text(key, value)) for key, value in found)
    for key, value in hint:
        _require_known_value(key, value)
    return hint


def hinted(hint: JobHint, key: str) -> str | None:
    """The value of one hint, whatever case its key was typed in."""
    return next((value for name, value in hint if name.lower() == key.lower()), None)


def _object(pairs: list[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """An object as its pairs; nothing else of JSON becomes a tuple."""
    names = [key.lower() for key, _ in pairs]
    twice = next((key for key, _ in pairs if names.count(key.lower()) > 1), None)
    if twice is not None:
        raise Unfit(f"each hint once, and {twice} stands there twice")
    return tuple(pairs)


def _refused(constant: str) -> NoReturn:
    raise Unfit(f"{_EXPECTED}, and {constant} is not JSON")


def _text(key: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise Unfit(f"a text, a number, true or false for {key}")


def _message_count(text: str) -> None:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise Unfit("a whole number from 1")


_KNOWN: dict[str, Callable[[str], object]] = {
    IGNORE_TMP_FILE.lower(): boolean,
    SPLIT_STRATEGY: one_of("simple", "size"),
    MESSAGES_PER_TASK: _message_count,
}


def _require_known_value(key: str, value: str) -> None:
    read = _KNOWN.get(key.lower())
    if read is None:
        return
    try:
        read(value)
    except Unfit as error:
        raise Unfit(f"{error} for {key}") from None
