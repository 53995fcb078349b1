"""What Spark's planner says of a query, without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def same_plan(session: SparkSession, one: str, other: str) -> bool:
    """Whether two queries mean the same to Spark: their optimized plans are equal."""
    plans: list[Any] = [_optimized(session, query) for query in (one, other)]
    return bool(plans[0].sameResult(plans[1]))


def is_deterministic(session: SparkSession, query: str) -> bool:
    """Whether Spark gives the same rows again for a query over the same data."""
    java: Any = session.sql(query)._jdf
    return bool(java.queryExecution().analyzed().deterministic())


def _optimized(session: SparkSession, query: str) -> Any:
    java: Any = session.sql(query)._jdf
    return java.queryExecution().optimizedPlan()
