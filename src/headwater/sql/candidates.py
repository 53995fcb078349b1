"""What can stand at the cursor: a pure function from the text and the catalog to words.

Law: a candidate starts with what was typed of the word, ignoring case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headwater.errors import UserError
from headwater.names import show_identifier
from headwater.sql.catalog_words import CatalogWords
from headwater.sql.keywords import keywords, statement_starts
from headwater.sql.tokens import Token, tokenize

_BEFORE_TABLE = frozenset(
    "FROM JOIN INTO UPDATE TABLE VIEW DESC DESCRIBE EXTENDED HISTORY OPTIMIZE TRUNCATE"
    " VACUUM".split()
)
_BEFORE_STREAM = frozenset("FROM JOIN DESC DESCRIBE".split())
"""Where a stream may stand as well as a table."""
_BEFORE_SCHEMA = frozenset("USE SCHEMA DATABASE".split())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that can replace the word being typed, and what it is."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that the statement mentions."""

    schema: str | None
    name: str
    alias: str | None


def candidates(before: str, after: str, catalog: CatalogWords) -> list[Candidate]:
    """What can stand between `before` and `after`; nothing inside strings and comments."""
    typed = _statement_tokens(before)
    if typed is None:
        return []
    prefix = typed.pop() if typed and typed[-1].is_name and typed[-1].end == len(before) else None
    word = "" if prefix is None else prefix.text.lstrip("`")
    whole = _statement_tokens(before + after)
    mentioned = _mentioned(typed if whole is None else whole, catalog)
    found = _possible(typed, word, mentioned=mentioned, catalog=catalog)
    return [c for c in found if c.text.lower().lstrip("`").startswith(word.lower())]


def _statement_tokens(text: str) -> list[Token] | None:
    """The tokens of the last statement of `text`; None when it ends inside a quote or comment."""
    try:
        tokens = tokenize(text)[:-1]
    except UserError:
        return None
    rest = text[tokens[-1].end :] if tokens else text
    if "--" in rest.rpartition("\n")[2]:
        return None
    ends = [i for i, token in enumerate(tokens) if token.text == ";"]
    return tokens[ends[-1] + 1 :] if ends else tokens


def _possible(
    typed: list[Token], word: str, *, mentioned: list[_Table], catalog: CatalogWords
) -> Iterator[Candidate]:
    """The rule for this place, by the words before it."""
    words = [token.upper for token in typed] or [""]
    if typed and typed[-1].text == "." and len(typed) > 1:
        schema = typed[-2].value
        if _wants_volume(words[:-2]):
            return _named(catalog.volumes(schema), "volume")
        if _wants_stream(words[:-2]):
            return _named(catalog.streams(schema), "stream")
        return _behind_dot(schema, mentioned, catalog)
    if _wants_schema(words[0], words[-1]):
        return _named(catalog.schemas(), "schema")
    if words[-1] in _BEFORE_TABLE or words[-2:] == ["TABLE", "VOLUME"]:
        return _relations(typed, word, catalog)
    if _wants_stream(words):
        return _streams(typed, word, catalog)
    if _wants_volume(words):
        return _volumes(typed, word, catalog)
    if words[-1] == "CONNECTION" and words[-2:] != ["STORAGE", "CONNECTION"]:
        return _named(catalog.connections(), "connection")
    return _anything(typed, word, mentioned=mentioned, catalog=catalog)


def _wants_volume(words: list[str]) -> bool:
    """Whether the name of a volume that exists comes next; the user's own has no name."""
    if words[-2:] == ["VOLUME", "DIRECTORY"]:
        return words[-3:-2] == ["SHOW"]
    return (
        words[-1:] == ["VOLUME"]
        and words[0] != "CREATE"
        and words[-2:-1] not in (["TABLE"], ["USER"])
    )


def _wants_stream(words: list[str]) -> bool:
    """Whether the name of a stream that exists comes next."""
    return words[-1:] == ["STREAM"] and words[0] != "CREATE"


def _wants_schema(first: str, last: str) -> bool:
    return last in _BEFORE_SCHEMA or (first == "SHOW" and last == "IN")


def _relations(typed: list[Token], word: str, catalog: CatalogWords) -> Iterator[Candidate]:
    yield from _named(catalog.tables(None), "table")
    if typed[-1].upper in _BEFORE_STREAM:
        yield from _named(catalog.streams(None), "stream")
    yield from _named(catalog.schemas(), "schema")
    yield from _starts(typed, word)


def _streams(typed: list[Token], word: str, catalog: CatalogWords) -> Iterator[Candidate]:
    yield from _named(catalog.streams(None), "stream")
    yield from _named(catalog.schemas(), "schema")
    yield from _starts(typed, word)


def _volumes(typed: list[Token], word: str, catalog: CatalogWords) -> Iterator[Candidate]:
    yield from _named(catalog.volumes(None), "volume")
    yield from _named(catalog.schemas(), "schema")
    yield from _starts(typed, word)


def _behind_dot(
    qualifier: str, mentioned: list[_Table], catalog: CatalogWords
) -> Iterator[Candidate]:
    """Columns of the table or alias of that name, tables of the schema of that name."""
    for table in mentioned:
        if qualifier.lower() in (table.name.lower(), (table.alias or "").lower()):
            yield from _named(catalog.columns(table.schema, table.name), "column")
            return
    if qualifier.lower() in (schema.lower() for schema in catalog.schemas()):
        yield from _named(catalog.tables(qualifier), "table")
        yield from _named(catalog.streams(qualifier), "stream")


def _anything(
    typed: list[Token], word: str, *, mentioned: list[_Table], catalog: CatalogWords
) -> Iterator[Candidate]:
    """The rest of a statement's first words, or columns of the tables mentioned and keywords."""
    starts = [c for c in _starts(typed, word) if c.text.lower().startswith(word.lower())]
    yield from starts
    # While the first words are typed nothing else can follow.
    if starts or not typed:
        return
    seen: set[str] = set()
    for table in mentioned:
        for column in catalog.columns(table.schema, table.name):
            if column not in seen:
                seen.add(column)
                yield Candidate(show_identifier(column), "column")
        yield Candidate(show_identifier(table.alias or table.name), "table")
    for keyword in keywords():
        yield Candidate(_cased(keyword, word), "keyword")


def _starts(typed: list[Token], word: str) -> Iterator[Candidate]:
    """The rest of each statement start that the text so far could become."""
    words = [token.upper for token in typed]
    for start in statement_starts():
        parts = start.split()
        if parts[: len(words)] == words and len(parts) > len(words):
            yield Candidate(_cased(" ".join(parts[len(words) :]), word), "statement")


def _mentioned(tokens: list[Token], catalog: CatalogWords) -> list[_Table]:
    """The tables of the catalog whose names stand in the text, with the names given to them."""
    found: list[_Table] = []
    for i, token in enumerate(tokens):
        if not token.is_name or (i and tokens[i - 1].text == "."):
            continue
        dotted = i + 2 < len(tokens) and tokens[i + 1].text == "." and tokens[i + 2].is_name
        if dotted and _known(token.value, tokens[i + 2].value, catalog):
            found.append(_Table(token.value, tokens[i + 2].value, _alias(tokens, i + 3)))
        elif _known(None, token.value, catalog):
            found.append(_Table(None, token.value, _alias(tokens, i + 1)))
    return found


def _known(schema: str | None, table: str, catalog: CatalogWords) -> bool:
    return table.lower() in (name.lower() for name in catalog.tables(schema))


def _alias(tokens: list[Token], place: int) -> str | None:
    if place < len(tokens) and tokens[place].upper == "AS":
        place += 1
    if place >= len(tokens) or not tokens[place].is_name or tokens[place].upper in keywords():
        return None
    return tokens[place].value


def _named(names: Iterable[str], kind: str) -> Iterator[Candidate]:
    return (Candidate(show_identifier(name), kind) for name in names)


def _cased(keyword: str, word: str) -> str:
    """In the case the user types in; capitals to begin with."""
    return keyword.lower() if word and word == word.lower() else keyword
