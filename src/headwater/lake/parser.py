"""Spark's parser in a JVM in which no Spark has been started.

Law: what it refuses, the Spark of these settings refuses. What it cannot say is left to Spark.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from headwater.lake.spark_errors import reshape
from headwater.sql.edits import EditedText

_log = logging.getLogger(__name__)
_SQL = "spark.sql."


def require_parsed(gateway: Any, settings: Mapping[str, str], text: EditedText) -> None:
    """Raises the error of a text that cannot be parsed."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import ParseException, PySparkException
    from pyspark.errors.exceptions.captured import convert_exception

    try:
        _parse(gateway.jvm, settings, text.text)
        return
    except Py4JJavaError as error:
        found: Exception = convert_exception(error.java_exception)
    except (Py4JError, PySparkException, ConnectionError) as error:
        # Of a process that had a Spark before, PySpark has turned them already.
        found = error
    if isinstance(found, ParseException):
        raise reshape(found, text) from None
    _log.debug("Spark's parser cannot be asked", exc_info=found)


def _parse(jvm: Any, settings: Mapping[str, str], text: str) -> None:
    # Where there is no session, every thread has settings of its own, and the parser asks for them.
    known = jvm.org.apache.spark.sql.internal.SQLConf.get()
    for key, value in settings.items():
        if key.startswith(_SQL):
            known.setConfString(key, value)
    jvm.org.apache.spark.sql.execution.SparkSqlParser().parsePlan(text)
