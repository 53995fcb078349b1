"""FILES('a', ..), SUBDIRECTORY 'd' or REGEXP 'p': which files of a volume are meant."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.volume_paths import relative_folder, relative_path

SELECTION_CLAUSES = ("FILES", "SUBDIRECTORY", "REGEXP")


@dataclass(frozen=True, slots=True)
class FileSelection:
    """At most one of the three; none means every file. Paths are relative to the volume.

    `subdirectory` ends with a slash, or is '' for the root; `regexp` is for the full path.
    """

    files: tuple[str, ...] = ()
    subdirectory: str | None = None
    regexp: str | None = None
    span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The clause with a blank before it, or nothing."""
        if self.files:
            return f" FILES({', '.join(quote_literal(file) for file in self.files)})"
        if self.subdirectory is not None:
            return subdirectory_to_sql(self.subdirectory)
        return f" REGEXP {quote_literal(self.regexp)}" if self.regexp is not None else ""


ALL_FILES = FileSelection()


def subdirectory_to_sql(folder: str | None) -> str:
    """` SUBDIRECTORY 'd'`, or nothing."""
    return "" if folder is None else f" SUBDIRECTORY {quote_literal(folder or '/')}"


def at_selection(cursor: Cursor) -> bool:
    """Whether such a clause starts here; an alias may be called like one."""
    after = cursor.peek(1)
    if cursor.at("FILES"):
        return after.kind == "symbol" and after.text == "("
    is_given = after.kind == "string" or (after.kind == "symbol" and after.text == "=")
    return (cursor.at("SUBDIRECTORY") or cursor.at("REGEXP")) and is_given


def parse_file_selection(cursor: Cursor) -> FileSelection:
    """Take the clause if it stands here; a second one is an error."""
    if not at_selection(cursor):
        return ALL_FILES
    start = cursor.token.start
    word = cursor.token.upper
    if word == "FILES":
        cursor.advance()
        found = FileSelection(files=cursor.comma_list(parse_file))
    elif word == "SUBDIRECTORY":
        found = FileSelection(subdirectory=parse_subdirectory(cursor))
    else:
        found = FileSelection(regexp=parse_regexp(cursor))
    if at_selection(cursor):
        second = cursor.token
        raise UserError("CLAUSES_EXCLUDE", first=word, second=second.upper, span=second.span)
    span = Span(start, cursor.tokens[cursor.position - 1].end)
    return FileSelection(found.files, found.subdirectory, found.regexp, span)


def parse_file(cursor: Cursor) -> str:
    """Take the path of a file, in quotes."""
    span = cursor.token.span
    return relative_path(cursor.string("the path of a file in quotes"), span=span)


def parse_subdirectory(cursor: Cursor) -> str:
    """Take `SUBDIRECTORY [=] 'd'`."""
    cursor.expect("SUBDIRECTORY")
    cursor.accept_symbol("=")
    span = cursor.token.span
    return relative_folder(cursor.string("a folder in quotes"), span=span)


def parse_regexp(cursor: Cursor) -> str:
    """Take `REGEXP [=] 'p'`."""
    cursor.expect("REGEXP")
    cursor.accept_symbol("=")
    span = cursor.token.span
    text = cursor.string("a regular expression in quotes")
    compile_regexp(text, span=span)
    return text


def compile_regexp(text: str, *, span: Span | None = None) -> re.Pattern[str]:
    """The pattern to match full paths with, from their first to their last character."""
    try:
        return re.compile(text, re.DOTALL)
    except (re.error, RecursionError, OverflowError) as error:
        problem = str(error)
    raise ValueRejected("REGEXP_NOT_VALID", pattern=text, problem=problem, span=span)
