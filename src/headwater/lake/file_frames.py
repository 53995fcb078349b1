"""From a `FileScan` to a data frame, and from a data frame to files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.errors import UserError
from headwater.lake.avro_schemas import AVRO, merged_schema
from headwater.lake.file_scan import LINE, Columns, FileScan, FileTarget, literal_path
from headwater.lake.in_workers.classes import in_workers
from headwater.sql.file_formats import FileFormat, JsonReadOptions

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession

BROKEN_JSON = "__headwater_broken__"
NOT_UTF8 = "HEADWATER_NOT_UTF8"
_BYTES_PER_FILE = 128 << 20
_CASE_SENSITIVE = "spark.sql.caseSensitive"
# The optimizer may expect anything of a join; Spark wants a number that fits.
_MOST_FILES = 100_000
_MOST_NAMED = 1000
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# What the documents infer for CSV; Spark would also see dates and times.
_INFERRED = ("int", "bigint", "double", "boolean")


def frame_of(session: SparkSession, scan: FileScan) -> DataFrame:
    """The rows of the files; text that is not UTF-8 fails instead of losing characters."""
    frame = _read(session, scan)
    if not scan.is_text or scan.known_utf8:
        return frame
    return _checked(frame, exactly=scan.format is FileFormat.TEXT)


def not_utf8(session: SparkSession, scan: FileScan) -> list[str]:
    """The paths of the files that hold bytes that are not UTF-8.

    Of plain lines Spark keeps the bytes as they are, whatever the files are meant to hold.
    """
    from pyspark.sql import functions

    lines = session.read.text([literal_path(path) for path in scan.paths])
    broken = lines.where(~functions.is_valid_utf8("value"))
    rows = broken.select("_metadata.file_path").distinct().limit(_MOST_NAMED).collect()
    return [row[0] for row in rows]


def rows_by_file(session: SparkSession, scan: FileScan) -> dict[str, int]:
    """How many rows each file holds; files without rows are not there."""
    frame = _read(session, scan).groupBy("_metadata.file_path").count()
    return {row[0]: row[1] for row in frame.collect()}


def write_files(frame: DataFrame, target: FileTarget) -> None:
    """Write the rows as files into a folder that must not exist."""
    from pyspark.sql import functions

    if target.format is FileFormat.TEXT:
        only = frame.columns[0]
        frame = frame.select(functions.col(_quoted(only)).cast("string").alias("value"))
    parts = 1 if target.single else _files_for(frame)
    # Fewer tasks for what is small, so that a small table is one file; coalesce never makes more.
    writer = frame.coalesce(parts).write.mode("errorifexists").options(**dict(target.options))
    writer.format(target.format.lower()).save(target.path)


def _files_for(frame: DataFrame) -> int:
    """How many files the rows fill, by what Spark's optimizer expects of their size."""
    expected = frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
    return min(int(str(expected)) // _BYTES_PER_FILE + 1, _MOST_FILES)


def _read(session: SparkSession, scan: FileScan) -> DataFrame:
    if not scan.paths:
        return session.createDataFrame([], _schema(scan.columns))
    reader = session.read.options(**scan.spark_options())
    paths = [literal_path(path) for path in scan.paths]
    if scan.format is FileFormat.CSV:
        return _csv(reader, scan, paths)
    if scan.format is FileFormat.TEXT:
        return reader.text(paths).toDF(scan.columns[0][0] if scan.columns else LINE)
    if isinstance(scan.options, JsonReadOptions) and not scan.options.explode_array:
        plain = reader.option("singleVariantColumn", LINE).json(paths)
        return _documents(session, plain, scan.columns)
    if scan.columns:
        reader = reader.schema(_schema(scan.columns))
    elif scan.format is FileFormat.JSON:
        reader = _with_schema_of_json(session, reader, paths)
    elif scan.format is FileFormat.AVRO:
        reader = reader.schema(merged_schema(session, scan.avro_schemas))
    name = AVRO if scan.format is FileFormat.AVRO else scan.format.lower()
    frame = reader.format(name).load(paths)
    return _in_any_spelling(session, frame) if scan.in_any_spelling else frame


def _in_any_spelling(
    session: SparkSession, frame: DataFrame, *, document: str | None = None
) -> DataFrame:
    """The rows of JSON with its keys taken for the names that they differ from in case alone.

    The names are those of the columns and of what is inside of them, or those in the type that a
    whole document is to become, in JSON.
    """
    from pyspark.sql import DataFrame

    case_counts = session.conf.get(_CASE_SENSITIVE) == "true"
    reader = in_workers(session, "ReadJson")
    java = session._jsparkSession
    made = reader.inAnySpelling(java, frame._jdf, document, case_counts)
    return DataFrame(made, session)


def _documents(session: SparkSession, frame: DataFrame, columns: Columns) -> DataFrame:
    """Each document as a value of the one column that is named, if one is."""
    from pyspark.sql import functions

    if not columns:
        return frame
    ((name, kind),) = columns
    document = _schema(columns)[0].dataType.json()
    spelled = _in_any_spelling(session, frame, document=document)
    return spelled.select(functions.col(LINE).cast(kind).alias(name))


def _with_schema_of_json(
    session: SparkSession, reader: DataFrameReader, paths: list[str]
) -> DataFrameReader:
    """Spark names a broken file when it reads rows, not when it looks for their columns."""
    from pyspark.sql.types import StructType

    lenient = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BROKEN_JSON}
    with _every_spelling(session) as merges:
        found = reader.options(**lenient).json(paths).schema
    if merges:
        _require_one_spelling(found.names)
        found = _one_spelling_inside(found)
    known = StructType([field for field in found if field.name != BROKEN_JSON])
    reader = reader.options(mode="FAILFAST")
    return reader.schema(known) if known.fields else reader


@contextmanager
def _every_spelling(session: SparkSession) -> Iterator[bool]:
    """Keys that differ in case alone count as several; yields whether they otherwise are one."""
    merges = session.conf.get(_CASE_SENSITIVE) != "true"
    session.conf.set(_CASE_SENSITIVE, "true")
    try:
        yield merges
    finally:
        if merges:
            session.conf.set(_CASE_SENSITIVE, "false")


def _require_one_spelling(names: Sequence[str]) -> None:
    """Spark reads documents by the exact key: those with another spelling would give NULL."""
    spelled: dict[str, str] = {}
    for name in names:
        other = spelled.setdefault(name.lower(), name)
        if other != name:
            raise UserError("JSON_KEYS_DIFFER_IN_CASE", key=other, other=name)


def _one_spelling_inside(kind: Any) -> Any:
    """Of keys inside documents, where others have lists of any words, one spelling is read."""
    from pyspark.sql.types import ArrayType, StructField, StructType

    if isinstance(kind, ArrayType):
        return ArrayType(_one_spelling_inside(kind.elementType), kind.containsNull)
    if not isinstance(kind, StructType):
        return kind
    first = {field.name.lower(): field for field in reversed(kind.fields)}
    return StructType(
        [
            StructField(field.name, _one_spelling_inside(field.dataType), field.nullable)
            for field in kind.fields
            if first[field.name.lower()] is field
        ]
    )


def _csv(reader: DataFrameReader, scan: FileScan, paths: list[str]) -> DataFrame:
    columns = scan.columns
    if not columns:
        found = reader.option("inferSchema", "true").csv(paths).dtypes
        if scan.has_header and _headers_agree(reader, paths, [name for name, _ in found]):
            reader = reader.option("enforceSchema", "true")
        columns = tuple(
            (name if scan.has_header else f"f{i}", kind if _is_inferred(kind) else "string")
            for i, (name, kind) in enumerate(found)
        )
    plain = tuple((name, "string" if _is_written(kind) else kind) for name, kind in columns)
    frame = reader.schema(_schema(plain)).csv(paths)
    if plain == columns:
        return frame
    return frame.select(*(_from_text(name, kind) for name, kind in columns))


def _headers_agree(reader: DataFrameReader, paths: list[str], names: list[str]) -> bool:
    """Whether no file has another header than these names; False where only Spark can tell.

    Spark makes up names where a header has none, or one twice, and then misses them in the files.
    """
    if len(paths) == 1:
        return True
    made_up = any(name.endswith(str(place)) for place, name in enumerate(names))
    return made_up and all(reader.csv(path).columns in ([], names) for path in paths)


def _is_written(kind: str) -> bool:
    """Whether CSV holds such values as the text of something else, or Spark reads it as text."""
    words = ("array", "map", "struct", "variant", "binary", "char", "varchar")
    return kind.lower().startswith(words)


def _from_text(name: str, kind: str) -> Column:
    """What COPY INTO VOLUME writes: nested values as JSON, bytes in base 64."""
    from pyspark.sql import functions

    column = functions.col(_quoted(name))
    word = kind.lower()
    if word.startswith(("array", "map", "struct")):
        return functions.from_json(column, kind, {"mode": "FAILFAST"}).alias(name)
    if word == "variant":
        return functions.parse_json(column).alias(name)
    return functions.unbase64(column).alias(name) if word == "binary" else column


def _is_inferred(kind: str) -> bool:
    return kind in _INFERRED or kind.startswith("decimal")


def _schema(columns: Columns) -> Any:
    from pyspark.sql.types import StructField, StructType, _parse_datatype_string

    return StructType([StructField(n, _parse_datatype_string(kind)) for n, kind in columns])


def _checked(frame: DataFrame, *, exactly: bool) -> DataFrame:
    if not any(kind == "string" for _, kind in frame.dtypes):
        return frame
    columns = (_checked_column(name, kind, exactly=exactly) for name, kind in frame.dtypes)
    return frame.select(*columns)


def _checked_column(name: str, kind: str, *, exactly: bool) -> Column:
    """Of CSV and JSON Spark reads what is not UTF-8 as the replacement character, without a word.

    A file may also hold that character: whoever sees the failure looks at the bytes.
    """
    from pyspark.sql import functions

    column = functions.col(_quoted(name))
    if kind != "string":
        return column
    broken = ~functions.is_valid_utf8(column) if exactly else column.contains(_REPLACEMENT)
    failure = functions.raise_error(functions.lit(NOT_UTF8)).cast("string")
    return functions.when(broken, failure).otherwise(column).alias(name)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
