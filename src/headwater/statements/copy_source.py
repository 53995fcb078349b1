"""What a COPY INTO <table> runs on Spark: an INSERT from the files, or from its query over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from headwater.catalog.objects import Table
from headwater.errors import HeadwaterError, Span, UserError
from headwater.files.broken_files import find_others
from headwater.files.failures import unreadable_file
from headwater.files.reading import VolumeScan
from headwater.files.staging import Staging
from headwater.files.unreadable import UnreadableFile
from headwater.lake.file_scan import Columns
from headwater.names import counted, did_you_mean, quote_identifier
from headwater.sql.copy_into_table import CopyIntoTable
from headwater.sql.edits import Edit, EditedText, own_text
from headwater.sql.file_formats import FileFormat
from headwater.sql.volume_relation import VolumeRelation
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.statements.volume_relations import staging_of, volume_view
from headwater.tables.registration import register_table

_DESCRIBE_THEMSELVES = (FileFormat.PARQUET, FileFormat.ORC, FileFormat.AVRO)
_BY_NAME = (*_DESCRIBE_THEMSELVES, FileFormat.JSON)


@contextmanager
def copy_source(
    context: Context,
    statement: CopyIntoTable,
    table: Table,
    scans: list[VolumeScan],
    *,
    left_out: frozenset[str],
    pack: bool = False,
    find_all: bool = False,
) -> Iterator[EditedText | None]:
    """The INSERT, ready for Spark, or None if it would insert nothing; what it reads is in `scans`.

    Files with an address in `left_out` are not read; with `pack`, many small ones may be read as
    few bigger ones; with `find_all`, an error of a file knows of all others that are broken, too.
    """
    _require_columns(table, statement)
    if statement.source is None:
        edits = _around_query(context, statement, table)
        with spark_text(context, context.text, extra=edits, scans=scans, left_out=left_out) as text:
            rows = own_text(text.text.removeprefix(edits[0].text))
            try:
                yield None if left_out and not any(scan.files for scan in scans) else text
            except HeadwaterError as error:
                better = _about_files(context, scans, error, rows, find_all=find_all)
                raise better from error.__cause__
        return
    staging = staging_of(context)
    views: list[str] = []
    read: _Insert | None = None
    try:
        read = _from_files(context, statement, table, scans, views, left_out, staging, pack=pack)
        yield None if read is None else own_text(f"{read.head} {read.rows}")
    except HeadwaterError as error:
        select = None if read is None else own_text(read.rows)
        better = _about_files(context, scans, error, select, find_all=find_all)
        raise better from error.__cause__
    finally:
        for view in views:
            context.session.spark().drop_view(view)
        staging.clear()


@dataclass(frozen=True, slots=True)
class _Insert:
    """An INSERT in two halves: where to, and which rows."""

    head: str
    rows: str


def _about_files(
    context: Context,
    scans: list[VolumeScan],
    error: HeadwaterError,
    select: EditedText | None,
    *,
    find_all: bool,
) -> HeadwaterError:
    """The error with the file it is about, if it is about one; with `find_all`, with all others."""
    if not scans:
        return error
    spark = context.session.spark()
    better = unreadable_file(error, scans, spark)
    if find_all and isinstance(better, UnreadableFile):
        find_others(spark, scans, better, select)
    return better or error


def _from_files(
    context: Context,
    statement: CopyIntoTable,
    table: Table,
    scans: list[VolumeScan],
    views: list[str],
    left_out: frozenset[str],
    staging: Staging,
    *,
    pack: bool,
) -> _Insert | None:
    relation = statement.source
    assert relation is not None
    targets = _targets(table, statement)
    wanted = _wanted(table, relation, targets)
    pack = pack and bool(relation.columns or wanted)
    view = volume_view(
        context, relation, staging, scans, columns=wanted, left_out=left_out, pack=pack
    )
    views.append(view)
    # To overwrite by files that are all broken would only empty the table.
    if not scans[-1].files and (left_out or not statement.overwrite):
        return None
    _require_known_keys(statement, targets, scans[-1].scan.first_keys)
    rows = own_text(f"SELECT * FROM {quote_identifier(view)}")  # noqa: S608
    given = [column.name for column in context.session.spark().columns_of(rows)]
    pairs = _pairs(statement, relation, targets, given)
    return _insert(context, statement, table, view, pairs)


def _require_known_keys(
    statement: CopyIntoTable, targets: Sequence[str], keys: Sequence[str]
) -> None:
    """Documents of other things would load as rows of nothing but NULL."""
    relation = statement.source
    if relation is None or relation.columns or not keys or relation.keeps_documents_whole:
        return
    wanted = {target.lower() for target in targets}
    if not any(key.lower() in wanted for key in keys):
        raise _no_column_fits(statement, keys)


def _no_column_fits(statement: CopyIntoTable, given: Sequence[str]) -> UserError:
    return UserError(
        "COPY_NO_COLUMN_FITS",
        table=statement.target,
        columns=", ".join(given),
        span=statement.source_span,
    )


def _wanted(table: Table, relation: VolumeRelation, targets: Sequence[str]) -> Columns:
    """The columns to read where the statement names none: what the table wants."""
    if relation.columns or relation.format in _DESCRIBE_THEMSELVES:
        return ()
    types = {column.name: column.type for column in table.shape.columns}
    if relation.format is FileFormat.TEXT:
        return ((targets[0], "string"),)
    if relation.keeps_documents_whole:
        return ((targets[0], types[targets[0]]),)
    return tuple((name, types[name]) for name in targets)


def _targets(table: Table, statement: CopyIntoTable) -> list[str]:
    """The columns that the files fill, in order."""
    fixed = {name.lower() for name, _ in statement.partition}
    if statement.columns:
        known = {column.name.lower(): column.name for column in table.shape.columns}
        return [known[name.lower()] for name in statement.columns]
    return [c.name for c in table.shape.columns if c.name.lower() not in fixed]


def _pairs(
    statement: CopyIntoTable,
    relation: VolumeRelation,
    targets: Sequence[str],
    given: Sequence[str],
) -> list[tuple[str, str]]:
    """Which column of the files goes into which column of the table."""
    by_name = relation.format in _BY_NAME and not relation.keeps_documents_whole
    if by_name and not statement.columns:
        found = {name.lower(): name for name in given}
        pairs = [(found[t.lower()], t) for t in targets if t.lower() in found]
        if not pairs:
            raise _no_column_fits(statement, given)
        return pairs
    if len(given) != len(targets):
        raise UserError(
            "COPY_COLUMN_COUNT",
            table=statement.target,
            has=counted(len(targets), "column"),
            given=counted(len(given), "column"),
            span=statement.source_span,
        )
    return list(zip(given, targets, strict=True))


def _insert(
    context: Context,
    statement: CopyIntoTable,
    table: Table,
    view: str,
    pairs: Sequence[tuple[str, str]],
) -> _Insert:
    values = {quote_identifier(target): quote_identifier(source) for source, target in pairs}
    fixed = {quote_identifier(column): value for column, value in statement.partition}
    values |= fixed
    name = register_table(context.lake, table)
    if statement.overwrite and fixed:
        # REPLACE WHERE takes no list of columns: every column, in order.
        every = [quote_identifier(column.name) for column in table.shape.columns]
        values = {column: values.get(column, "NULL") for column in every}
        where = " AND ".join(f"{column} = {value}" for column, value in fixed.items())
        head = f"INSERT INTO {name} REPLACE WHERE {where}"
    else:
        word = "OVERWRITE" if statement.overwrite else "INTO"
        head = f"INSERT {word} {name} ({', '.join(values)})"
    chosen = ", ".join(values.values())
    return _Insert(head, f"SELECT {chosen} FROM {quote_identifier(view)}")  # noqa: S608


def _around_query(context: Context, statement: CopyIntoTable, table: Table) -> tuple[Edit, ...]:
    """Edits that leave the query where it stands and put an INSERT in front of it."""
    span = statement.query_span
    assert span is not None
    if statement.partition:
        raise UserError("COPY_PARTITION_OF_QUERY", span=statement.partition_span)
    name = register_table(context.lake, table)
    word = "OVERWRITE" if statement.overwrite else "INTO"
    columns = ", ".join(quote_identifier(column) for column in statement.columns)
    head = f"INSERT {word} {name} {f'({columns}) ' if columns else ''}"
    end = len(context.text)
    return Edit(Span(0, span.start), head), Edit(Span(span.end, end), "\n")


def _require_columns(table: Table, statement: CopyIntoTable) -> None:
    names = {column.name.lower(): column.name for column in table.shape.columns}
    partitioned = {name.lower() for name in table.shape.partition_columns}
    shown = f"{table.schema}.{table.name}"
    for column in statement.columns:
        if column.lower() not in names:
            hint = did_you_mean(column, names.values()) or f"DESC {shown}"
            raise UserError("TABLE_COLUMN_NOT_FOUND", table=shown, column=column, hint=hint)
    for column, _ in statement.partition:
        if column.lower() not in partitioned:
            raise UserError(
                "COPY_NOT_PARTITIONED", table=shown, column=column, span=statement.partition_span
            )
