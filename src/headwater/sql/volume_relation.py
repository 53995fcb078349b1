"""`VOLUME v (col type, ..) USING CSV OPTIONS(..) FILES(..)`: the files of a volume as a relation.

COPY reads the same words behind its FROM. The order of the clauses is part of the language.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import Span, UserError
from headwater.names import did_you_mean, quote_identifier, quote_literal
from headwater.sql.assignments import Assignment, parse_assignments
from headwater.sql.cursor import Cursor
from headwater.sql.file_formats import FileFormat, JsonReadOptions, NoOptions, ReadOptions
from headwater.sql.file_options import given_options, read_options
from headwater.sql.file_selection import (
    ALL_FILES,
    SELECTION_CLAUSES,
    FileSelection,
    at_selection,
    parse_file_selection,
)
from headwater.sql.types import parse_type
from headwater.sql.volume_refs import VolumeRef, parse_volume_ref

VolumeColumn = tuple[str, str]
"""Its name, and its type in Spark's words."""

ORDER = "VOLUME <v> (<columns>) USING <format> OPTIONS(..) FILES(..)|SUBDIRECTORY '..'|REGEXP '..'"


@dataclass(frozen=True, slots=True)
class VolumeRelation:
    """The files of a volume, read in one format; without `columns` the files say what they hold."""

    volume: VolumeRef
    format: FileFormat
    columns: tuple[VolumeColumn, ...] = ()
    options: ReadOptions = field(default_factory=NoOptions)
    selection: FileSelection = ALL_FILES
    format_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The relation in its canonical spelling."""
        text = self.volume.to_sql()
        if self.columns:
            columns = (f"{quote_identifier(name)} {kind}" for name, kind in self.columns)
            text += f" ({', '.join(columns)})"
        text += f" USING {self.format}"
        given = given_options(self.options)
        if given:
            pairs = (f"{quote_literal(name)} = {value}" for name, value in given)
            text += f" OPTIONS({', '.join(pairs)})"
        return text + self.selection.to_sql()

    @property
    def keeps_documents_whole(self) -> bool:
        """Whether a document of JSON is one value of one column, an array too."""
        return isinstance(self.options, JsonReadOptions) and not self.options.explode_array

    @property
    def alias(self) -> str:
        """What the text may call it when it gives no alias."""
        return self.volume.name.name if self.volume.name is not None else "user_volume"


def parse_volume_relation(cursor: Cursor) -> VolumeRelation:
    """Take the relation; the cursor stands before the volume."""
    volume = parse_volume_ref(cursor)
    columns = _columns(cursor) if cursor.at_symbol("(") else ()
    if not cursor.accept("USING"):
        cursor.fail_expected("USING and a file format", hint=f"the order is {ORDER}")
    format_span = cursor.token.span
    file_format = parse_file_format(cursor)
    given: tuple[Assignment, ...] = ()
    if at_options(cursor):
        cursor.advance()
        given = parse_assignments(cursor)
    options = read_options(file_format, given)
    selection = parse_file_selection(cursor)
    if at_options(cursor):
        raise too_late(cursor, before="FILES, SUBDIRECTORY and REGEXP")
    return VolumeRelation(volume, file_format, columns, options, selection, format_span)


def at_options(cursor: Cursor) -> bool:
    """Whether OPTIONS(..) stands here; an alias may be called `options`."""
    after = cursor.peek(1)
    return cursor.at("OPTIONS") and after.kind == "symbol" and after.text == "("


def at_clause(cursor: Cursor) -> bool:
    """Whether one of the clauses behind USING stands here."""
    return at_options(cursor) or at_selection(cursor)


def too_late(cursor: Cursor, *, before: str) -> UserError:
    """The error that the clause at the cursor should have stood earlier."""
    token = cursor.token
    return UserError(
        "CLAUSE_ORDER", clause=token.upper, before=before, order=ORDER, span=token.span
    )


def parse_file_format(cursor: Cursor) -> FileFormat:
    """Take the name of a format."""
    token = cursor.token
    if token.kind not in ("word", "string", "quoted"):
        cursor.fail_expected("a file format")
    if token.upper in (*SELECTION_CLAUSES, "OPTIONS") or token.value.upper() not in [*FileFormat]:
        formats = ", ".join(FileFormat)
        hint = did_you_mean(token.value, FileFormat)
        raise UserError(
            "FILE_FORMAT_UNKNOWN", format=token.text, formats=formats, span=token.span, hint=hint
        )
    cursor.advance()
    return FileFormat(token.value.upper())


def _columns(cursor: Cursor) -> tuple[VolumeColumn, ...]:
    start = cursor.token.start
    columns = cursor.comma_list(_column)
    seen: set[str] = set()
    for name, _ in columns:
        if name.lower() in seen:
            cursor.fail(f"column '{name}' stands here twice", start=start)
        seen.add(name.lower())
    return columns


def _column(cursor: Cursor) -> VolumeColumn:
    name = cursor.name("a column name")
    return name, parse_type(cursor)
