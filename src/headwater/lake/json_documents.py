"""How many documents a file of JSON holds, read as a stream by the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def holds_one_json_document(session: SparkSession, path: str) -> bool:
    """Whether nothing follows the first document; also true of what is not JSON at all.

    Who reads a file that is not JSON says so better than this could.
    """
    from py4j.protocol import Py4JJavaError

    java = session._jvm
    hadoop = session._jsparkSession.sparkContext().hadoopConfiguration()
    place = java.org.apache.hadoop.fs.Path(path)
    opened = None
    try:
        opened = place.getFileSystem(hadoop).open(place)
        codec = java.org.apache.hadoop.io.compress.CompressionCodecFactory(hadoop).getCodec(place)
        stream = opened if codec is None else codec.createInputStream(opened)
        parser = java.com.fasterxml.jackson.core.JsonFactory().createParser(stream)
        parser.nextToken()
        parser.skipChildren()
        return parser.nextToken() is None
    except Py4JJavaError:
        return True
    finally:
        if opened is not None:
            opened.close()
