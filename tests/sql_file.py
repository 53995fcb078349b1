"""A `.test` file as data: read it, write it back. Pure.

Law: `render(parse(text)) == text` for every file that `render` could have written. The format is
described in `tests/sql/README.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

SEPARATOR = "----"
_HEADS = ("statement", "query", "file", "connection", "restart", "set-config")
_WITH_TEXT = ("statement", "query", "file")


class BadFile(ValueError):
    """A `.test` file that cannot be read; the message starts with the line."""


@dataclass(frozen=True, slots=True)
class Record:
    """One paragraph of a file.

    `head` is its first line that is no comment, such as `statement ok`. Below `file` stands the
    content of a file instead of SQL. `expected` are the lines
    below `----`, or None where there is no such line.
    """

    line: int
    head: str
    comments: tuple[str, ...] = ()
    sql: str = ""
    expected: tuple[str, ...] | None = None

    @property
    def kind(self) -> str:
        """The first word: statement, query, file, connection, restart, set-config."""
        return self.head.split()[0]

    @property
    def argument(self) -> str:
        """The head behind its first word."""
        return self.head.partition(" ")[2].strip()


@dataclass(frozen=True, slots=True)
class SqlFile:
    """The header comments (`# name: ..`) and the records."""

    header: tuple[str, ...]
    records: tuple[Record, ...]

    def meta(self, key: str) -> str | None:
        """The value of a header line `# key: value`."""
        for line in self.header:
            name, colon, value = line.lstrip("# ").partition(":")
            if colon and name.strip() == key:
                return value.strip()
        return None

    def with_expected(self, line: int, expected: Sequence[str]) -> SqlFile:
        """The file with the expectation of the record at `line` replaced."""
        records = tuple(
            replace(record, expected=tuple(expected)) if record.line == line else record
            for record in self.records
        )
        return replace(self, records=records)


def parse(text: str) -> SqlFile:
    """Read a file; a blank line ends a record."""
    header: list[str] = []
    records: list[Record] = []
    for first, lines in _paragraphs(text):
        comments = _leading_comments(lines)
        rest = lines[len(comments) :]
        if rest:
            records.append(_record(first + len(comments), comments, rest))
        elif records:
            raise BadFile(f"line {first}: a comment stands alone; put it above a record")
        else:
            header += comments
    return SqlFile(tuple(header), tuple(records))


def _paragraphs(text: str) -> list[tuple[int, list[str]]]:
    found: list[tuple[int, list[str]]] = []
    open_paragraph = False
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            open_paragraph = False
            continue
        if not open_paragraph:
            found.append((number, []))
            open_paragraph = True
        found[-1][1].append(line)
    return found


def _leading_comments(lines: list[str]) -> tuple[str, ...]:
    count = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return tuple(lines[:count])


def _record(line: int, comments: tuple[str, ...], lines: list[str]) -> Record:
    head, below = lines[0].rstrip(), lines[1:]
    expected: tuple[str, ...] | None = None
    if SEPARATOR in below:
        place = below.index(SEPARATOR)
        below, expected = below[:place], tuple(below[place + 1 :])
    record = Record(line, head, comments, "\n".join(below), expected)
    problem = _problem(record)
    if problem is not None:
        raise BadFile(f"line {line}: {problem}")
    return record


def _problem(record: Record) -> str | None:
    kind, argument, words = record.kind, record.argument, record.argument.split()
    if kind not in _HEADS:
        return f"unknown record '{kind}'; known are {', '.join(_HEADS)}"
    if (kind in _WITH_TEXT) != bool(record.sql):
        return f"a record '{kind}' {'has no SQL' if not record.sql else 'takes no SQL'}"
    if kind == "file" and (not words or record.expected is not None):
        return "write 'file <path>' and below it the lines of the file"
    if kind == "statement" and words[:1] not in (["ok"], ["error"]):
        return "write 'statement ok [<regex>]' or 'statement error [<regex>]'"
    if kind == "statement" and record.expected is not None and argument != "error":
        return "only 'statement error' without a regex takes an expected text"
    if kind == "query" and (argument not in ("", "rowsort") or record.expected is None):
        return "write 'query' or 'query rowsort', the SQL, then ---- and the rows"
    if (kind == "connection" and len(words) != 1) or (kind == "restart" and words):
        return "write 'connection <name>' or 'restart'"
    if kind == "set-config" and len(words) < 2:
        return "write 'set-config <key> <value>'"
    return None


def render(file: SqlFile) -> str:
    """The file as text."""
    paragraphs = ["\n".join(file.header)] if file.header else []
    paragraphs += ["\n".join(_lines(record)) for record in file.records]
    return "\n\n".join(paragraphs) + "\n"


def _lines(record: Record) -> list[str]:
    lines = [*record.comments, record.head]
    if record.sql:
        lines.append(record.sql)
    if record.expected is not None:
        lines += [SEPARATOR, *record.expected]
    return lines
