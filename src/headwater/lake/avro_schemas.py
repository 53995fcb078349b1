"""Avro files: what their headers say they hold, and one schema for files that differ.

Spark's own reader would take the schema of any one file for that of all, and drop the columns that
only others have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

AVRO = "org.apache.spark.sql.avro.AvroFileFormat"
"""By the class: the short name asks for a jar, although the reader comes with Spark."""
_NOT_AVRO = ("InvalidAvroMagicException", "EOFException", "Not a data file", "Invalid sync")


def avro_schema_text(session: SparkSession, path: str) -> str | None:
    """The schema that the file's header holds; None if it is no Avro file."""
    from py4j.protocol import Py4JJavaError

    java: Any = session._jvm
    hadoop = session._jsparkSession.sparkContext().hadoopConfiguration()
    files = java.org.apache.avro.file.DataFileReader
    try:
        content = java.org.apache.avro.mapred.FsInput(java.org.apache.hadoop.fs.Path(path), hadoop)
        try:
            rows = java.org.apache.avro.generic.GenericDatumReader()
            return str(files.openReader(content, rows).getSchema().toString())
        finally:
            content.close()
    except Py4JJavaError as error:
        if any(name in str(error.java_exception.toString()) for name in _NOT_AVRO):
            return None
        raise


def merged_schema(session: SparkSession, texts: Iterable[str]) -> StructType:
    """The columns of all these schemas, each of a record, in the order in which they come."""
    from pyspark.sql.types import StructType

    java: Any = session._jvm
    converters = getattr(getattr(java.org.apache.spark.sql.avro, "SchemaConverters$"), "MODULE$")
    merged: Any = None
    for text in texts:
        parsed = java.org.apache.avro.Schema.Parser().parse(text)
        found = converters.toSqlType(parsed).dataType()
        merged = found if merged is None else merged.merge(found, False)
    return StructType.fromJson(json.loads(merged.json()))
