"""What makes the rows that are there useless for the rows that are to come. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from headwater.catalog.dynamic_tables import Frontier
from headwater.incremental.deltas import Change
from headwater.refresh.definition import Definition
from headwater.refresh.facts import Problem
from headwater.refresh.hints import Hints
from headwater.refresh.reasons import Reason
from headwater.refresh.sources import Source

QUERY_DIFFERS = "query_differs"
"""In the detail of a frontier: why its rows are none of the query that replaced theirs."""
LACKING = "lacking"
"""In the detail of a frontier: the query whose rows these are but for columns, and the columns."""
IGNORED = "ignored"
"""In the detail of a frontier: dimension tables that changed and were not looked at."""
FROZEN = "immutable_where"
"""In the detail of a frontier: which rows were not to be changed."""
PARAMETERS = "parameters"
"""In the detail of a frontier: the parameters of the query."""


def problems_of_query(
    before: Frontier, definition: Definition, settings: Mapping[str, str]
) -> Iterator[Problem]:
    """The query, and all but its sources that decides what it gives, against the last refresh."""
    lacking = lacking_columns(before, definition.fingerprint)
    if lacking:
        yield Problem(Reason.COLUMNS_ADDED, ", ".join(f"'{name}'" for name in lacking))
    elif before.fingerprint != definition.fingerprint:
        yield Problem(Reason.QUERY_CHANGED, before.detail.get(QUERY_DIFFERS, ""))
    other = _differing(before.settings, settings)
    if other:
        yield Problem(Reason.SETTINGS_CHANGED, ", ".join(other))
    then = before.detail.get(PARAMETERS, {})
    changed = _differing(then, definition.parameters)
    if changed:
        words = (f"{key} was {_value(then, key)}" for key in changed)
        yield Problem(Reason.PARAMETERS_CHANGED, ", ".join(words))
    called = sorted(function.id for function in definition.reading.functions)
    if before.detail.get("functions", []) != called:
        functions = ", ".join(function.name for function in definition.reading.functions)
        yield Problem(Reason.FUNCTION_CHANGED, functions)
    if set(before.sources) != {table.id for table in definition.sources}:
        names = [
            f"{table.schema}.{table.name}"
            for table in definition.sources
            if table.id not in before.sources
        ]
        yield Problem(Reason.SOURCE_REPLACED, ", ".join(names))


def lacking_columns(before: Frontier, fingerprint: str) -> list[str]:
    """The columns whose values alone keep the rows from being those of a query."""
    lacking = before.detail.get(LACKING) or {}
    return list(lacking["columns"]) if lacking.get("fingerprint") == fingerprint else []


def problems_of_sources(
    before: Frontier, sources: Sequence[Source], hints: Hints
) -> Iterator[Problem]:
    """Sources whose changes the session does not want to be followed."""
    overlooked = before.detail.get(IGNORED, ())
    for source in sources:
        facts, id = source.facts, source.table.id
        if id in overlooked and id not in hints.dimensions:
            words = f"{facts.name} was one until now"
            yield Problem(Reason.DIMENSION_CHANGED, words)
        if facts.change is Change.NONE:
            continue
        if id in hints.full_if_changed:
            yield Problem(Reason.LISTED_SOURCE_CHANGED, facts.name)
        if hints.full_above is not None and facts.share > hints.full_above:
            yield Problem(Reason.SOURCE_CHANGED_MUCH, f"{facts.share:.0%} of {facts.name}")


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(key for key in {*then, *now} if then.get(key) != now.get(key))


def _value(values: Mapping[str, str], key: str) -> str:
    return f"'{values[key]}'" if key in values else "not set"
