"""COPY INTO <volume> SUBDIRECTORY '..' FROM ..: a table or a query written as files."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, did_you_mean, quote_literal
from headwater.sql.assignments import (
    Assignment,
    parse_assignment,
    parse_assignments,
    require_once,
    unknown_option,
)
from headwater.sql.copy_into_table import (
    CopyIntoTable,
    parse_copy_into_table,
    parse_query_in_parentheses,
)
from headwater.sql.cursor import Cursor
from headwater.sql.file_formats import (
    WRITABLE_FORMATS,
    CsvWriteOptions,
    FileFormat,
    WriteOptions,
)
from headwater.sql.file_options import given_options, write_options
from headwater.sql.file_selection import parse_subdirectory, subdirectory_to_sql
from headwater.sql.volume_refs import VolumeRef, at_volume_ref, parse_volume_ref

_OPTIONS = ("OVERWRITE", "FILENAME_PREFIX", "FILENAME_SUFFIX", "INCLUDE_JOB_ID", "SINGLE")


@dataclass(frozen=True, slots=True)
class CopyIntoVolume:
    """COPY INTO <volume> SUBDIRECTORY 'd' FROM {t | (query)} [FILE_FORMAT = (..)] [options].

    Either `table` or `query` is there. `subdirectory` ends with a slash, or is '' for the root.
    """

    volume: VolumeRef
    subdirectory: str
    table: ObjectName | None = None
    query: str | None = None
    query_span: Span | None = field(default=None, compare=False)
    format: FileFormat = FileFormat.CSV
    options: WriteOptions = field(default_factory=CsvWriteOptions)
    overwrite: bool = False
    filename_prefix: str | None = None
    filename_suffix: str | None = None
    include_job_id: bool = False
    single: bool = False
    table_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        # A comment at the end of the query must not swallow the parenthesis.
        source = f"TABLE {self.table}" if self.table is not None else f"({self.query}\n)"
        pairs = [f"{name} = {value}" for name, value in given_options(self.options)]
        parts = [
            f"COPY INTO {self.volume.to_sql()}{subdirectory_to_sql(self.subdirectory)}",
            f"FROM {source}",
            f"FILE_FORMAT = ({' '.join([f'TYPE = {self.format}', *pairs])})",
        ]
        if self.overwrite:
            parts.append("OVERWRITE = TRUE")
        if self.filename_prefix is not None:
            parts.append(f"FILENAME_PREFIX = {quote_literal(self.filename_prefix)}")
        if self.filename_suffix is not None:
            parts.append(f"FILENAME_SUFFIX = {quote_literal(self.filename_suffix)}")
        if self.include_job_id:
            parts.append("INCLUDE_JOB_ID = TRUE")
        if self.single:
            parts.append("SINGLE = TRUE")
        return "\n".join(parts)


def parse_copy(cursor: Cursor) -> CopyIntoTable | CopyIntoVolume:
    """Read COPY into a table or a volume; the cursor stands before COPY."""
    cursor.expect("COPY")
    overwrite = cursor.one_of(("INTO", "OVERWRITE")) == "OVERWRITE"
    if overwrite and cursor.at("INTO") and cursor.peek(1).is_name:
        cursor.advance()
    if cursor.token.kind == "string" or cursor.at_symbol("@"):
        raise UserError("COPY_TARGET", target=cursor.token.text, span=cursor.token.span)
    if not at_volume_ref(cursor):
        return parse_copy_into_table(cursor, overwrite=overwrite)
    if overwrite:
        cursor.fail("COPY OVERWRITE is for tables", hint="add OVERWRITE = TRUE at the end")
    return _copy_into_volume(cursor)


def _copy_into_volume(cursor: Cursor) -> CopyIntoVolume:
    volume = parse_volume_ref(cursor)
    if not cursor.at("SUBDIRECTORY"):
        raise UserError("SUBDIRECTORY_MISSING", volume=volume.to_sql(), span=cursor.token.span)
    folder = parse_subdirectory(cursor)
    cursor.expect("FROM")
    table, query, query_span, table_span = _source(cursor)
    file_format: FileFormat = FileFormat.CSV
    options: WriteOptions | None = None
    given: list[Assignment] = []
    while not cursor.at_end:
        if cursor.at("FILE_FORMAT"):
            if options is not None:
                cursor.fail("FILE_FORMAT stands here twice")
            file_format, options = _file_format(cursor)
        elif cursor.at("USING"):
            cursor.fail("USING is for reading", hint="write FILE_FORMAT = (TYPE = CSV)")
        else:
            given.append(parse_assignment(cursor))
    named = _named(given)
    return CopyIntoVolume(
        volume,
        folder,
        table,
        query,
        query_span,
        file_format,
        options if options is not None else CsvWriteOptions(),
        _flag(named, "OVERWRITE"),
        _part_of_name(named, "FILENAME_PREFIX"),
        _part_of_name(named, "FILENAME_SUFFIX"),
        _flag(named, "INCLUDE_JOB_ID"),
        _flag(named, "SINGLE"),
        table_span,
    )


def _source(
    cursor: Cursor,
) -> tuple[ObjectName | None, str | None, Span | None, Span | None]:
    if cursor.at_symbol("("):
        query, span = parse_query_in_parentheses(cursor)
        return None, query, span, None
    if cursor.at("SELECT") or cursor.at("WITH"):
        cursor.fail_expected("'('", hint="put the query in parentheses: FROM (SELECT ..)")
    after = cursor.peek(1)
    if cursor.at("TABLE") and after.is_name and after.upper != "FILE_FORMAT":
        cursor.advance()
    start = cursor.token.start
    table = cursor.object_name("a table or a query in parentheses")
    return table, None, None, Span(start, cursor.tokens[cursor.position - 1].end)


def _file_format(cursor: Cursor) -> tuple[FileFormat, WriteOptions]:
    start = cursor.token.span
    cursor.expect("FILE_FORMAT")
    cursor.expect_symbol("=")
    if not cursor.at_symbol("("):
        cursor.fail_expected("'('", hint="write FILE_FORMAT = (TYPE = CSV)")
    given = parse_assignments(cursor)
    kind = next((a for a in given if a.name.upper() == "TYPE"), None)
    if kind is None:
        raise UserError("FILE_FORMAT_TYPE_MISSING", span=start)
    file_format = _writable(kind)
    return file_format, write_options(file_format, [a for a in given if a is not kind])


def _writable(kind: Assignment) -> FileFormat:
    word, formats = kind.value.upper(), ", ".join(WRITABLE_FORMATS)
    if word in WRITABLE_FORMATS:
        return FileFormat(word)
    if word in [*FileFormat]:
        raise NotSupported(
            "FILE_FORMAT_NOT_WRITABLE", format=word, formats=formats, span=kind.value_span
        )
    hint = did_you_mean(kind.value, WRITABLE_FORMATS)
    raise UserError(
        "FILE_FORMAT_UNKNOWN", format=kind.value, formats=formats, span=kind.value_span, hint=hint
    )


def _named(given: list[Assignment]) -> dict[str, Assignment]:
    require_once(given)
    for assignment in given:
        if assignment.name.upper() not in _OPTIONS:
            known = ("FILE_FORMAT", *_OPTIONS)
            raise unknown_option(assignment, owner="COPY INTO a volume", known=known)
    return {assignment.name.upper(): assignment for assignment in given}


def _flag(named: dict[str, Assignment], name: str) -> bool:
    return named[name].boolean() if name in named else False


def _part_of_name(named: dict[str, Assignment], name: str) -> str | None:
    assignment = named.get(name)
    if assignment is None:
        return None
    text = assignment.value
    if "/" in text or "\\" in text or text in (".", "..") or any(c < " " for c in text):
        raise assignment.rejected("a part of a file's name, without folders")
    return text
