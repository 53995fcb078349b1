"""What we refuse without Spark, Spark refuses; its keywords are those we know."""

from __future__ import annotations

from typing import Any

import pytest
from tests.broken_queries import BROKEN

from headwater.sql.spark_keywords import SPARK_KEYWORDS

pytestmark = pytest.mark.spark


def test_spark_refuses_every_query_that_we_refuse(spark: Any) -> None:
    from pyspark.errors import AnalysisException

    spark.sql("CREATE OR REPLACE TEMPORARY VIEW t AS SELECT 1 AS a, 2 AS b, 3 AS c")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW u AS SELECT 1 AS a, 2 AS b, 3 AS c")
    taken = []
    for text in BROKEN:
        try:
            spark.sql(text)
        except AnalysisException:
            continue
        taken.append(text)
    assert taken == []


def test_we_know_the_keywords_of_this_spark(spark: Any) -> None:
    rows = spark.sql("SELECT keyword FROM sql_keywords()").collect()
    # X is one only before a text, as in X '1F', and stands there where no name could.
    assert {row[0] for row in rows} - SPARK_KEYWORDS == {"X"}
