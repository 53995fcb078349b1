"""What Spark's planner says of a query, without running it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headwater.lake.commits.delta_transaction import settings as session_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MOST_FIELDS = "spark.sql.debug.maxToStringFields"
# Which files of a table are read is no part of what a query means, and finding them takes jobs.
_MEANING_ALONE = {
    "spark.databricks.delta.stats.skipping": "false",
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    # Whatever the session says: the answer belongs to the query.
    "spark.sql.constraintPropagation.enabled": "true",
}
# How Spark counts several sorts of DISTINCT values at once: in an order of its own, which differs
# from one time to the next, also of the very same text.
_SORTS_OF_DISTINCT = re.compile(r"\bgid#\d+")
_MOST_ORDERS = 16
# The rows of a recursive query's last step: an id that Spark made up.
_OWN_ROWS = "UnionLoopRef"
_ID = re.compile(r"#\d+L?")
# Where a column stands says which one it is; a name for it is only needed where one stands twice.
_NAME = re.compile(r" AS #\d+L?")


def same_plan(session: SparkSession, one: str, other: str) -> bool:
    """Whether two queries mean the same to Spark: their optimized plans are equal.

    Some plans do not even equal those of the same text, because Spark compares ids that it made up
    (ExistenceJoin, recursion): those are compared by their texts, with ids counted from the first.
    Where it chose an order by chance, it chooses until both had the same.
    """
    with session_settings(session, _MEANING_ALONE):
        plans = [_optimized(session, query) for query in (one, other)]
        if plans[0].sameResult(plans[1]):
            return True
        if all(_SORTS_OF_DISTINCT.search(str(plan.toString())) for plan in plans):
            return _same_by_chance(session, one, other)
        again = _optimized(session, one)
    if plans[0].sameResult(again):
        return False
    texts = [_text(session, plan) for plan in plans]
    return texts[0] == texts[1] and _same_leaves(*plans)


def _same_by_chance(session: SparkSession, one: str, other: str) -> bool:
    """Whether a plan of the one was ever equal to one of the other."""
    ours: list[Any] = []
    theirs: list[Any] = []
    for _ in range(_MOST_ORDERS):
        ours.append(_optimized(session, one))
        if any(ours[-1].sameResult(plan) for plan in theirs):
            return True
        theirs.append(_optimized(session, other))
        if any(theirs[-1].sameResult(plan) for plan in ours):
            return True
    return False


def _same_leaves(one: Any, other: Any) -> bool:
    """Whether both read the same relations, of which a text gives no more than their columns."""
    leaves, others = _leaves(one), _leaves(other)
    return len(leaves) == len(others) and all(map(_same_leaf, leaves, others))


def _leaves(plan: Any) -> list[Any]:
    found = plan.collectLeaves()
    return [found.apply(at) for at in range(found.size())]


def _same_leaf(one: Any, other: Any) -> bool:
    names = one.nodeName(), other.nodeName()
    return bool(names == (_OWN_ROWS, _OWN_ROWS) or one.sameResult(other))


def _optimized(session: SparkSession, query: str) -> Any:
    java: Any = session.sql(query)._jdf
    return java.queryExecution().optimizedPlan()


def _text(session: SparkSession, plan: Any) -> str:
    """The whole plan without names, the ids of its columns in the order in which they stand."""
    shortened = session.conf.get(_MOST_FIELDS)
    session.conf.set(_MOST_FIELDS, "1000000")
    try:
        text = _NAME.sub("", str(plan.canonicalized().toString()))
    finally:
        session.conf.set(_MOST_FIELDS, str(shortened))
    numbers: dict[str, str] = {}
    return _ID.sub(lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"), text)


def types_within(session: SparkSession, query: str) -> dict[str, tuple[str, bool]]:
    """The types of columns by name, however deep inside of a query; whether they may be NULL.

    Of a column that is nowhere referred to, nothing is said.
    """
    from pyspark.sql.types import _parse_datatype_json_value

    frame = session.sql(query)
    java: Any = frame._jdf
    found = {field.name: (field.dataType.simpleString(), field.nullable) for field in frame.schema}
    known: dict[str, str] = {}
    for name, kind, nullable in _attributes(json.loads(java.queryExecution().analyzed().toJSON())):
        written = json.dumps(kind)
        if written not in known:
            known[written] = _parse_datatype_json_value(kind).simpleString()
        before = found.get(name)
        # An outer join makes NULLs of what has none below it.
        found[name] = (known[written], nullable or (before is not None and before[1]))
    return found


def _attributes(part: Any) -> Iterator[tuple[str, Any, bool]]:
    if isinstance(part, list):
        for inner in part:
            yield from _attributes(inner)
    elif isinstance(part, dict):
        if str(part.get("class", "")).endswith("AttributeReference"):
            yield part["name"], part["dataType"], bool(part["nullable"])
        for inner in part.values():
            if isinstance(inner, list | dict):
                yield from _attributes(inner)
