"""What the documents in a file of JSON are like, read as a stream by the JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Each costs some calls to the JVM.
_MOST_KEYS = 1000


def holds_one_json_document(session: SparkSession, path: str) -> bool:
    """Whether nothing follows the first document; also true of what is not JSON at all.

    Who reads a file that is not JSON says so better than this could.
    """
    from py4j.protocol import Py4JJavaError

    try:
        with _parser(session, path) as parser:
            parser.nextToken()
            parser.skipChildren()
            return parser.nextToken() is None
    except Py4JJavaError:
        return True


def first_json_keys(session: SparkSession, path: str) -> tuple[str, ...]:
    """The keys of the first document, or of the first in an array; none where it is no object."""
    from py4j.protocol import Py4JJavaError

    keys: list[str] = []
    try:
        with _parser(session, path) as parser:
            sign = str(parser.nextToken())
            if sign == "START_ARRAY":
                sign = str(parser.nextToken())
            if sign != "START_OBJECT":
                return ()
            while str(parser.nextToken()) == "FIELD_NAME" and len(keys) < _MOST_KEYS:
                keys.append(parser.currentName())
                parser.nextToken()
                parser.skipChildren()
    except Py4JJavaError:
        return ()
    return tuple(keys)


@contextmanager
def _parser(session: SparkSession, path: str) -> Iterator[Any]:
    java: Any = session._jvm
    hadoop = session._jsparkSession.sparkContext().hadoopConfiguration()
    place = java.org.apache.hadoop.fs.Path(path)
    opened = place.getFileSystem(hadoop).open(place)
    try:
        codec = java.org.apache.hadoop.io.compress.CompressionCodecFactory(hadoop).getCodec(place)
        stream = opened if codec is None else codec.createInputStream(opened)
        yield java.com.fasterxml.jackson.core.JsonFactory().createParser(stream)
    finally:
        opened.close()
