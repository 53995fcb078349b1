"""What a credential looks like: the names of settings that hold one, and its shapes in free text.

Law: when in doubt it is one. Covering too much costs a word on a screen, too little the secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headwater.errors import Span

_SEPARATOR = r"[._\-]?"
_NAME = (
    r"(?:"
    rf"(?:access|secret|account|private|api|shared|encryption|signing){_SEPARATOR}key"
    rf"(?:{_SEPARATOR}(?:id|secret))?"
    rf"|(?:access|secret){_SEPARATOR}id"
    r"|secret|passw(?:or)?d|passphrase|pwd|token|credentials?|authorization"
    rf"|jaas{_SEPARATOR}config"
    r")"
)
# Azure puts the account after the name: fs.azure.account.key.<account>.dfs.core.windows.net
_NAME_WITH_TAIL = (
    rf"(?:(?:account|access){_SEPARATOR}key|secret|passw(?:or)?d|token|(?<=\.)sas)\.[\w.\-]+"
)
_ENDS = re.compile(rf"{_NAME}\Z", re.IGNORECASE)
_ENDS_WITH_TAIL = re.compile(rf"{_NAME_WITH_TAIL}\Z", re.IGNORECASE)
_SETTING = re.compile(r"[\w.\-]{1,256}\Z")

_GAP = r"(?:\s|/\*.*?\*/|--[^\n]*(?:\n|\Z))*+"
_IN_TEXT = rf"(?:{_NAME_WITH_TAIL}|{_NAME}|(?<=[?&])sig|signature|identified{_GAP}by)"
_ASSIGN = r"(?P<assign>=>|:=|==?)"
_ASSIGNED = re.compile(
    rf"{_IN_TEXT}(?:\\*['\"`]){{0,2}}+{_GAP}"  # two: a quote doubled inside a string
    rf"(?:{_ASSIGN}{_GAP}|:{_GAP}|,{_GAP}(?=\\*['\"])|(?=\\*['\"]|/\*))",
    re.IGNORECASE | re.DOTALL,
)
# Where quotes do not match nothing is certain: any separator or quote near the name will do.
_SEPARATORS = rf"(?:=>|:=|==?|[:,]){_GAP}"
_UNREADABLE = re.compile(
    rf"{_IN_TEXT}(?:\\*['\"`]{_GAP}{_SEPARATORS}"
    rf"|(?:/\*.*?\*/|--[^\n]*\n|[^;'\"`=:,]){{0,80}}?(?:{_SEPARATORS}|(?=\\*['\"`])))"
    rf"|\bset\s+[^\s=;]*{_NAME}[^\s=;]*\s+",
    re.IGNORECASE | re.DOTALL,
)
_QUOTES = re.compile(r"\\*['\"`]")
_UNQUOTED_END = re.compile(r"[;&]")
_URL_IN_STRING = re.compile(r"://[^\s:/@]*:(\S+)@|\bthin:[^\s/@]+/(\S+)@", re.IGNORECASE)
_URL = re.compile(
    r"://[^\s:/@'\"`]*:([^\s'\"`]+)@|\bthin:[^\s/@'\"`]+/([^\s'\"`]+)@", re.IGNORECASE
)
_BEARER = re.compile(r"\bbearer\s+([^\s'\"\\]{8,})", re.IGNORECASE)

# Plain `in` tests, many times faster than the expressions: most statements hold none of these.
_WORDS = ("key", "secret", "passw", "passphrase", "pwd", "token", "credential", "authorization")
_RARE_WORDS = (
    "access",
    "connection",
    "jaas",
    "identified",
    "signature",
    "sig=",
    "bearer",
    "notify",
)
_MARKS = (".sas.", "@")


def may_hold_credential(text: str) -> bool:
    """A quick look: False only when `text` holds no credential."""
    lowered = text.lower()
    return any(word in lowered for word in (*_WORDS, *_RARE_WORDS, *_MARKS))


def is_credential(name: str, *, is_setting: bool) -> bool:
    """Whether a key named `name` holds a credential.

    Settings may carry an account's name behind; elsewhere that would catch columns such as
    `token.count`.
    """
    if is_setting and not _SETTING.match(name):
        return False
    return bool(_ENDS.search(name) or (is_setting and _ENDS_WITH_TAIL.search(name)))


def passwords_in_urls(text: str, start: int, end: int, *, quoted: bool) -> Iterator[Span]:
    """The password of `scheme://user:password@host` between two places of `text`."""
    for pattern in (_URL_IN_STRING if quoted else _URL, _BEARER):
        for match in pattern.finditer(text, start, end):
            group = match.lastindex or 0
            yield Span(match.start(group), match.end(group))


def assigned_in_text(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """The values of `password=..`, `"password": ".."` and the like inside a string or comment.

    A value in quotes reaches to the end, because which of the quotes that follow closes it depends
    on how often the text was escaped. True beside it says that the value goes on behind the end:
    `'..password=' || 'x'`, or quotes that do not pair as they were meant to.
    """
    place = start
    while match := _ASSIGNED.search(text, place, end):
        value = match.end()
        quote = _QUOTES.match(text, value, end)
        if quote:
            yield Span(value, end), text.find(quote[0][-1], quote.end(), end) < 0
            return
        if text.startswith("/*", value, end):
            yield Span(value, end), True
            return
        closing = _UNQUOTED_END.search(text, value, end)
        place = closing.start() if closing else end
        is_open = value == end and match["assign"] is not None
        if value < place or is_open:
            yield Span(value, place), is_open


def unreadable_from(text: str) -> int | None:
    """Where the first credential starts in a text whose quotes do not match, or None."""
    match = _UNREADABLE.search(text)
    return match.end() if match and match.end() < len(text) else None
