"""Messages of Kafka as rows with the columns of READ_KAFKA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A header may stand twice: a map has one value for a key, the last one, as other readers do.
_HEADERS = """
    transform_values(
      map_from_arrays(
        array_distinct(transform(coalesce(headers, array()), h -> h.key)),
        array_distinct(transform(coalesce(headers, array()), h -> h.key))),
      (k, same) -> element_at(filter(headers, h -> h.key = k), -1).value) AS headers
"""
_NO_HEADERS = "CAST(NULL AS MAP<STRING, BINARY>) AS headers"
_INCLUDED = "includeHeaders"


def messages(session: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """What Spark's Kafka source reads with these options."""
    headers = _HEADERS if options.get(_INCLUDED, "True") == "True" else _NO_HEADERS
    return (
        session.read.format("kafka")
        .options(**options)
        .load()
        .selectExpr(
            "topic",
            "partition",
            "offset",
            "timestamp",
            "CASE timestampType WHEN 0 THEN 'CreateTime' WHEN 1 THEN 'LogAppendTime'"
            " ELSE 'NoTimestampType' END AS timestamp_type",
            headers,
            "key",
            "value",
        )
    )
