"""The values of a statement that are given to credential keys, found by its tokens.

Every spelling counts: `KEY = 'v'`, `KEY 'v'`, `'key' = 'v'`, `'key', 'v'`, `key => 'v'`, values in
brackets and functions, and values that lack their quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from headwater.errors import Span
from headwater.sql.credentials import is_credential
from headwater.sql.tokens import Token

_ASSIGNMENTS = frozenset({"=", "==", "=>", ":=", ":", "->"})
_COMPARISONS = frozenset({"<=>", "<>", "!=", "IS", "NOT", "LIKE", "ILIKE", "RLIKE", "IN", "TO"})
_JOINING = frozenset({"||", "+", "-"})
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_QUERY_WORDS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "SHOW", "VALUES"})
# In the definition of a connection any other key counts: a misspelt ACCESS_KEY still has a secret.
_PLAIN_CONNECTION_KEYS = frozenset(
    "APP_ID BOOTSTRAP_SERVERS COMMENT COMMENTS ENDPOINT NAME_NODE NAME_NODE_RPC_ADDRESSES REGION"
    " ROLE_ARN SECURITY_PROTOCOL TYPE".split()
)
_STATEMENT_END = re.compile(r";(?=\s|\Z)|\Z")
_AROUND_DOT = re.compile(r"\s*([.\-])\s*")


def values_in_tokens(text: str, tokens: Sequence[Token]) -> Iterator[Span]:
    """The places of all credential values of a script; a place may be found twice."""
    first = 0
    for place, token in enumerate(tokens):
        if token.kind == "end" or token.text == ";":
            yield from _in_statement(text, tokens[first : place + 1])
            first = place + 1


def _in_statement(text: str, tokens: Sequence[Token]) -> Iterator[Span]:
    """`tokens` are those of one statement and the semicolon or end that closes it."""
    setting = _in_set(text, tokens) if tokens[0].upper == "SET" else None
    if setting:
        yield setting
        return
    if _is_about_secret(tokens):
        yield from (token.span for token in tokens if token.kind == "string")
    yield from notified_addresses(tokens)
    is_strict = not _is_about_connection(tokens)
    is_connection = "CONNECTION" in [t.upper for t in tokens[1:3]] and not is_strict
    depth = 0
    query_depth: int | None = None
    for place, token in enumerate(tokens):
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if query_depth is None and token.upper in _QUERY_WORDS:
            query_depth = depth
        elif query_depth is not None and depth < query_depth:
            query_depth = None
        if not (_is_key(tokens, place) or (is_connection and _is_unknown_key(tokens, place))):
            continue
        if not is_strict and tokens[place + 1].kind in ("word", "quoted", "number"):
            yield _unquoted(text, tokens, place + 1)
        else:
            yield from _value_of(text, tokens, place, in_query=query_depth is not None)


def notified_addresses(tokens: Sequence[Token]) -> Iterator[Span]:
    """The addresses behind NOTIFY: whatever they look like, they may hold a token."""
    inside = False
    for token in tokens:
        if token.upper == "NOTIFY":
            inside = True
        elif inside and token.kind == "string":
            yield token.span
        elif token.text != ",":
            inside = False


def _is_about_secret(tokens: Sequence[Token]) -> bool:
    words = [token.upper for token in tokens[:4] if token.upper not in ("OR", "REPLACE")]
    return words[:2] in (["CREATE", "SECRET"], ["ALTER", "SECRET"])


def _is_about_connection(tokens: Sequence[Token]) -> bool:
    """There `ACCESS_KEY abc` is a value without quotes; elsewhere it is a column and its type."""
    # In CREATE TOKEN t FOR USER u the word behind TOKEN is a name, and the secret is made here.
    is_token = len(tokens) > 1 and tokens[1].upper == "TOKEN"
    is_definition = tokens[0].upper in ("CREATE", "ALTER") and not is_token
    return is_definition and any(t.upper in ("CONNECTION", "USER") for t in tokens[1:6])


def _in_set(text: str, tokens: Sequence[Token]) -> Span | None:
    """The value of SET with a credential's key; unquoted, it reaches to the statement's end."""
    equals = next((i for i, token in enumerate(tokens) if token.text == "="), None)
    after_key = equals or 2
    while equals is None and after_key < len(tokens) and _joined(tokens, after_key):
        after_key += 1
    names = _AROUND_DOT.sub(r"\1", " ".join(token.value for token in tokens[1:after_key])).split()
    if not any(is_credential(name, is_setting=True) for name in names):
        return None
    start = _after(text, tokens[equals or after_key - 1])
    # `SET k = ab;cd`: a semicolon in the middle of a word is taken as a part of the secret.
    closing = _STATEMENT_END.search(text, max(start, tokens[-1].start))
    end = len(text[: closing.start() if closing else len(text)].rstrip())
    return Span(start, end) if start < end else None


def _is_key(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.kind == "string":
        return is_credential(token.value, is_setting=True)
    if not token.is_name:
        return False
    if token.upper == "BY":
        return "IDENTIFIED" in [before.upper for before in tokens[max(0, place - 4) : place]]
    first = place
    while first > 0 and _joined(tokens, first):
        first -= 1
    name = "".join(part.value for part in tokens[first : place + 1])
    return is_credential(name, is_setting=name.count(".") > 1)


def _is_unknown_key(tokens: Sequence[Token], place: int) -> bool:
    """A name that is given a value and is none of those that hold something harmless."""
    token, after = tokens[place], tokens[min(place + 1, len(tokens) - 1)]
    is_given = after.text == "=" or after.kind == "string"
    return token.is_name and is_given and token.value.upper() not in _PLAIN_CONNECTION_KEYS


def _joined(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token continues the dotted name of the one before it."""
    before, token = tokens[place - 1], tokens[place]
    if "." in (before.text, token.text):
        return True
    parts = ("word", "quoted", "number")
    return before.end == token.start and all(
        t.kind in parts or t.text == "-" for t in (before, token)
    )


def _value_of(text: str, tokens: Sequence[Token], key: int, *, in_query: bool) -> Iterator[Span]:
    closed = key + 1
    while tokens[closed].text in (")", "]"):
        closed += 1
    place = closed
    while tokens[place].text in _ASSIGNMENTS:
        place += 1
    is_assigned = place > closed
    while (tokens[place].upper or tokens[place].text) in _COMPARISONS:
        place += 1
    if place == closed:
        if closed > key + 1:
            return
        if tokens[key].kind == "string" and tokens[place].text == ",":
            place += 1
        elif not _is_given_directly(tokens, place):
            return
    if is_assigned and not in_query and _is_unquoted(tokens, place):
        yield _unquoted(text, tokens, place)
        return
    yield from _literals(text, tokens, place)


def _is_given_directly(tokens: Sequence[Token], place: int) -> bool:
    """`PASSWORD 'x'` or `PASSWORD('x')`."""
    return tokens[place + (tokens[place].text == "(")].kind == "string"


def _is_unquoted(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.kind in ("string", "end", "parameter") or token.text in _OPENING | {";", ",", ")"}:
        return False
    return not _leads_to_value(tokens[place + 1])


def _unquoted(text: str, tokens: Sequence[Token], place: int) -> Span:
    """A word without quotes, to the next blank: a secret may hold any other character."""
    start = end = tokens[place].start
    while end < len(text) and not text[end].isspace():
        end += 1
    end = start + len(text[start:end].rstrip(",;)"))
    return Span(_after(text, tokens[place - 1]), max(start + 1, end))


def _literals(text: str, tokens: Sequence[Token], place: int) -> Iterator[Span]:
    """The strings and numbers of a value: one, several joined, or those in its brackets."""
    depth = 0
    is_complete = False
    while place < len(tokens) - 1:
        token = tokens[place]
        if token.kind in ("string", "number") and (depth or not is_complete):
            start = _after(text, tokens[place - 1])
            while tokens[place + 1].kind in ("string", "number"):
                place += 1
            yield Span(start, tokens[place].end)
            is_complete = True
        elif token.text in _JOINING:
            is_complete = False
        elif token.text in _OPENING and (depth or not is_complete):
            depth += 1
        elif token.text in _CLOSING and depth:
            depth -= 1
            is_complete = True
        elif token.upper == "SELECT" or not (depth or _is_prefix(tokens, place, is_complete)):
            return
        place += 1


def _is_prefix(tokens: Sequence[Token], place: int, is_complete: bool) -> bool:
    """The name of a function, or the type of a literal such as DATE '2024-01-01'."""
    return not is_complete and tokens[place].is_name and _leads_to_value(tokens[place + 1])


def _leads_to_value(token: Token) -> bool:
    return token.kind == "string" or token.text == "("


def _after(text: str, token: Token) -> int:
    """Where a value starts: a comment between the key and its value may hold an old one."""
    place = token.end
    while place < len(text) and text[place].isspace():
        place += 1
    return place
