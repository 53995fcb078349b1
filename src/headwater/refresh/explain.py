"""What a refresh would do, in words and as JSON: the same data that running it reads."""

from __future__ import annotations

import json
from typing import Any

from headwater.algebra.nodes import Node, inputs_of
from headwater.algebra.outline import line_of
from headwater.catalog.dynamic_tables import RefreshKind
from headwater.incremental.deltas import Rule
from headwater.incremental.maintenance import Decision
from headwater.incremental.plan import DeltaPlan, Outcome
from headwater.names import counted
from headwater.refresh.facts import Problem, SourceFacts
from headwater.refresh.outlook import Outlook
from headwater.refresh.prospect import Prospect
from headwater.refresh.reasons import Reason

_WRITES = {
    Outcome.NOTHING: "nothing: no row can have changed",
    Outcome.APPEND: "append: rows only come",
    Outcome.CHANGE: "change: rows come and go, in one commit",
    Outcome.REWRITE: "rewrite: a small table, its groups and the change put together",
}


def explain_lines(outlook: Outlook) -> list[str]:
    """For people."""
    planned, choice = outlook.planned, outlook.choice
    lines = [
        f"Refresh: {choice.kind} because {choice.words} ({choice.reason})",
        f"CanBeIncrementalized: {can_be_incremental(outlook)}",
        "Sources:",
        *(f"  {source_line(source.facts)}" for source in planned.sources),
    ]
    if outlook.delta is not None and outlook.query is not None:
        lines += ["Plan:", *plan_lines(outlook.delta, outlook.query.tree)]
    return [*lines, f"Write: {write_words(outlook)}"]


def explain_json(outlook: Outlook) -> str:
    """For programs."""
    choice = outlook.choice
    body: dict[str, Any] = {
        "kind": choice.kind.value,
        "reason": choice.reason.value,
        "because": choice.words,
        "can_be_incremental": can_be_incremental(outlook),
        "sources": [source.facts.to_dict() for source in outlook.planned.sources],
        "write": write_words(outlook),
    }
    if outlook.delta is not None:
        body["operators"] = _operators(outlook.delta)
        body["parts"] = len(outlook.delta.parts)
        body["states"] = [change.name for change in outlook.delta.states]
    return json.dumps(body, indent=2)


def can_be_incremental(outlook: Outlook) -> str:
    """Yes, or what of the query stands in the way."""
    problem = outlook.planned.definition.not_incremental
    if outlook.choice.reason is Reason.NOT_PROVEN:
        return f"No because {outlook.choice.words}"
    return "Yes" if problem is None else _no(problem)


def _operators(delta: DeltaPlan) -> list[dict[str, Any]]:
    return [
        {
            "operator": line_of(decision.node),
            "rule": decision.rule.value,
            "insert_only": decision.insert_only,
            "old_rows_stored": decision.stored,
        }
        for decision in delta.decisions
    ]


def prospect_lines(prospect: Prospect) -> list[str]:
    """For people, of a query that has no dynamic table yet."""
    problem, query = prospect.problem, prospect.query
    if problem is not None:
        return [f"CanBeIncrementalized: {_no(problem)}", "Refresh: FULL"]
    assert query is not None
    assert prospect.delta is not None
    return ["CanBeIncrementalized: Yes", "Plan:", *plan_lines(prospect.delta, query.tree)]


def prospect_json(prospect: Prospect) -> str:
    """For programs."""
    problem = prospect.problem
    body: dict[str, Any] = {"can_be_incremental": "Yes" if problem is None else _no(problem)}
    if prospect.delta is not None:
        body["operators"] = _operators(prospect.delta)
    return json.dumps(body, indent=2)


def _no(problem: Problem) -> str:
    return f"No because {problem.reason.words}: {problem.detail}"


def source_line(facts: SourceFacts) -> str:
    """A source: from which version to which, and what happened in between."""
    if facts.from_version is None:
        return f"{facts.name}: all rows of Delta version {facts.to_version}"
    known = facts.changed_rows
    size = "" if known is None else f", about {counted(known, 'row')}"
    of = "" if facts.rows is None else f" of {facts.rows:,}"
    versions = f"Delta versions {facts.from_version} to {facts.to_version}"
    return f"{facts.name}: {versions}, {facts.told_by}{size}{of if size else ''}"


def plan_lines(delta: DeltaPlan, tree: Node) -> list[str]:
    """The tree of the query, each operator with the rule that finds its change."""
    rules = {id(decision.node): decision for decision in delta.decisions}
    lines: list[str] = []

    def add(node: Node, depth: int) -> None:
        lines.append(f"{'  ' * (depth + 1)}{line_of(node)}{_rule(rules.get(id(node)))}")
        for inner in inputs_of(node):
            add(inner, depth + 1)

    add(tree, 0)
    if delta.states:
        kept = ", ".join(change.name for change in delta.states)
        lines.append(f"  groups kept beside the table: {kept}")
    if delta.parts:
        lines.append(f"  {counted(len(delta.parts), 'part')} read more than once, worked out once")
    return lines


def _rule(decision: Decision | None) -> str:
    if decision is None:
        return ""
    words = [decision.rule.value]
    if decision.stored:
        words.append("old rows from the table itself")
    if decision.insert_only and decision.rule is not Rule.UNCHANGED:
        words.append("rows only come")
    return f"  [{', '.join(words)}]"


def write_words(outlook: Outlook) -> str:
    """How the rows are written."""
    if outlook.choice.kind is RefreshKind.NO_DATA:
        return "nothing"
    if outlook.delta is not None:
        return _WRITES[outlook.delta.kind]
    return "all rows anew"
