"""COPY INTO <volume>: the rows of a table or a query become files.

Spark writes into a folder of its own beside the target, hidden from every reader; only when all
rows are there do the files get their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.errors import HeadwaterError, Span, UserError
from headwater.files.copy_out import (
    LINE_END_INSIDE,
    file_names,
    select_list,
    spark_options,
    told_apart,
    touches,
)
from headwater.files.finishing import (
    empty_folder,
    move_into_place,
    remove_staging,
    require_reachable,
    staging_folder,
    written_parts,
)
from headwater.files.volumes import OpenVolume
from headwater.lake.file_scan import FileTarget
from headwater.lake.spark_session import SparkConnection
from headwater.names import counted
from headwater.result import Result
from headwater.sql.copy_into_volume import CopyIntoVolume
from headwater.sql.edits import Edit, EditedText
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.statements.volume_relations import volume_of


def copy_into_volume(context: Context, statement: CopyIntoVolume) -> Result:
    """Write the files, then give them their names; a failure before that changes nothing."""
    volume = volume_of(context, statement.volume)
    require_reachable(volume, statement.subdirectory)
    staging = staging_folder(statement.subdirectory, context.job_id)
    access = volume.spark_access()
    session = context.session
    with session.lock:
        spark = session.spark()
        context.lake.engine.reach(access.url, access.settings, access.jar_set)
        try:
            with _query(context, statement) as query:
                _write(statement, spark, query, access.url + staging.removesuffix("/"))
            names = _finish(volume, statement, context.job_id, staging)
        finally:
            remove_staging(volume, staging)
    where = statement.subdirectory or "/"
    message = f"{counted(len(names), 'file')} written to {volume.title}, folder {where}"
    return Result(message=message)


@contextmanager
def _query(context: Context, statement: CopyIntoVolume) -> Iterator[EditedText]:
    """The query whose rows are written; errors in it point at where it was typed."""
    if statement.table is not None:
        context.table(statement.table)
        with spark_text(context, f"SELECT * FROM {statement.table}") as text:  # noqa: S608
            yield text
        return
    span = statement.query_span
    assert span is not None
    outside = (Edit(Span(0, span.start), ""), Edit(Span(span.end, len(context.text)), ""))
    with spark_text(context, context.text, extra=outside) as text:
        yield text


def _write(statement: CopyIntoVolume, spark: SparkConnection, query: EditedText, path: str) -> None:
    options = statement.options
    columns, alias = told_apart(spark.columns_of(query), options)
    chosen = select_list(columns, options)
    # A comment at the end of the query must not swallow the parenthesis.
    wrapped = query.wrapped(f"SELECT {chosen} FROM (", f"\n){alias}")  # noqa: S608
    writer = spark_options(options, columns)
    try:
        spark.write_files(wrapped, FileTarget(statement.format, path, writer, statement.single))
    except HeadwaterError as error:
        if LINE_END_INSIDE in error.message:
            raise UserError("LINE_END_IN_TEXT", detail=error.detail) from None
        raise


def _finish(volume: OpenVolume, statement: CopyIntoVolume, job_id: str, staging: str) -> list[str]:
    parts = written_parts(volume, staging)
    names = file_names(statement, job_id, len(parts))
    if statement.overwrite:
        empty_folder(volume, statement.subdirectory)
    move_into_place(volume, parts, names, touches(statement.options))
    return names
