"""What Spark's planner says of a query, without running it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MOST_FIELDS = "spark.sql.debug.maxToStringFields"
_ID = re.compile(r"#\d+L?")


def same_plan(session: SparkSession, one: str, other: str) -> bool:
    """Whether two queries mean the same to Spark: their optimized plans are equal.

    Some plans do not equal even themselves, because Spark compares the ids of columns that it made
    up: those are compared by their texts, with ids counted from the first.
    """
    plans = [_optimized(session, query) for query in (one, other)]
    if plans[0].sameResult(plans[1]):
        return True
    if plans[0].sameResult(plans[0]):
        return False
    texts = [_text(session, plan) for plan in plans]
    return texts[0] == texts[1]


def _optimized(session: SparkSession, query: str) -> Any:
    java: Any = session.sql(query)._jdf
    return java.queryExecution().optimizedPlan()


def _text(session: SparkSession, plan: Any) -> str:
    """The whole plan, with the ids of its columns in the order in which they stand there."""
    shortened = session.conf.get(_MOST_FIELDS)
    session.conf.set(_MOST_FIELDS, "1000000")
    try:
        text = str(plan.canonicalized().toString())
    finally:
        session.conf.set(_MOST_FIELDS, str(shortened))
    numbers: dict[str, str] = {}
    return _ID.sub(lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"), text)
