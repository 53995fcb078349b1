"""The settings of Spark that change what a query gives: a refresh under others starts anew."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.sql.settings import TIME_ZONE_KEY

_KEYS = (
    "spark.sql.ansi.enabled",
    "spark.sql.caseSensitive",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.legacy.timeParserPolicy",
    "spark.sql.mapKeyDedupPolicy",
    "spark.sql.orderByOrdinal",
    "spark.sql.groupByOrdinal",
    "spark.sql.groupByAliases",
)


def settings_that_matter(
    session: Mapping[str, str], lake: Mapping[str, str], time_zone: str
) -> dict[str, str]:
    """The values that a session, or else the lake, gives them; Spark's own are left out."""
    given = {key: session.get(key, lake.get(key)) for key in _KEYS}
    known = {key: value for key, value in given.items() if value is not None}
    return {**known, TIME_ZONE_KEY: time_zone}
