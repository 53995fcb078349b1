"""Which kind of refresh the facts ask for, and which of several reasons counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater.catalog.dynamic_tables import RefreshKind, RefreshMode
from headwater.incremental.deltas import Change
from headwater.refresh.choice import choose
from headwater.refresh.facts import Facts, Problem, SourceFacts
from headwater.refresh.reasons import Reason

QUIET = SourceFacts("1", "public.t", 4, 4, Change.NONE, "no commit")
COMPACTED = replace(QUIET, to_version=5)
APPENDED = replace(QUIET, to_version=5, change=Change.INSERTS)
CHANGED = replace(QUIET, to_version=5, change=Change.ANY)
FACTS = Facts(
    mode=RefreshMode.AUTO,
    refreshed_before=True,
    full_asked_for=False,
    problems=(),
    sources=(QUIET,),
    date_matters=False,
    not_incremental=None,
)
NEVER = Problem(Reason.NOT_INCREMENTAL, "a function in FROM")


def chosen(**facts: object) -> tuple[RefreshKind, Reason]:
    choice = choose(replace(FACTS, **facts))
    return choice.kind, choice.reason


@pytest.mark.parametrize(
    ("source", "kind", "reason"),
    [
        (QUIET, RefreshKind.NO_DATA, Reason.SOURCES_UNCHANGED),
        (COMPACTED, RefreshKind.NO_DATA, Reason.NO_ROWS_CHANGED),
        (APPENDED, RefreshKind.INCREMENTAL, Reason.ROWS_ADDED),
        (CHANGED, RefreshKind.INCREMENTAL, Reason.ROWS_CHANGED),
    ],
)
def test_what_happened_to_the_sources_decides(
    source: SourceFacts, kind: RefreshKind, reason: Reason
) -> None:
    assert chosen(sources=(QUIET, source)) == (kind, reason)


def test_the_first_refresh_is_full_whatever_else_holds() -> None:
    problem = Problem(Reason.SETTINGS_CHANGED, "x")
    assert chosen(refreshed_before=False, problems=(problem,)) == (
        RefreshKind.FULL,
        Reason.FIRST_REFRESH,
    )


def test_columns_that_the_rows_lack_are_filled_in_whether_sources_changed_or_not() -> None:
    lacking = Problem(Reason.COLUMNS_ADDED, "'c'")
    filled = (RefreshKind.INCREMENTAL, Reason.COLUMNS_ADDED)
    assert chosen(problems=(lacking,)) == filled
    assert chosen(problems=(lacking,), sources=(CHANGED,), date_matters=True) == filled


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"mode": RefreshMode.FULL}, Reason.MODE_FULL),
        ({"not_incremental": NEVER}, Reason.NOT_INCREMENTAL),
        ({"sources": (replace(CHANGED, ignored=True),)}, Reason.DIMENSION_CHANGED),
        ({"full_asked_for": True}, Reason.FULL_ASKED_FOR),
    ],
)
def test_columns_are_not_filled_in_where_all_rows_are_worked_out_anyway(
    facts: dict[str, object], reason: Reason
) -> None:
    lacking = Problem(Reason.COLUMNS_ADDED, "'c'")
    assert chosen(problems=(lacking,), **facts) == (RefreshKind.FULL, reason)


def test_the_gravest_of_several_problems_is_the_reason() -> None:
    source = replace(CHANGED, problem=Problem(Reason.HISTORY_GONE, "vacuumed"))
    problems = (Problem(Reason.TABLE_CHANGED, ""), Problem(Reason.QUERY_CHANGED, ""))
    assert chosen(sources=(source,), problems=problems)[1] is Reason.QUERY_CHANGED
    assert chosen(sources=(source,))[1] is Reason.HISTORY_GONE


def test_a_full_refresh_is_not_done_for_nothing() -> None:
    assert chosen(mode=RefreshMode.FULL)[0] is RefreshKind.NO_DATA
    assert chosen(not_incremental=NEVER)[0] is RefreshKind.NO_DATA
    assert chosen(mode=RefreshMode.FULL, sources=(APPENDED,)) == (
        RefreshKind.FULL,
        Reason.MODE_FULL,
    )


def test_a_session_can_ask_for_a_full_refresh_of_what_did_not_change() -> None:
    assert chosen(full_asked_for=True) == (RefreshKind.FULL, Reason.FULL_ASKED_FOR)


def test_another_date_is_a_change() -> None:
    assert chosen(date_matters=True) == (RefreshKind.INCREMENTAL, Reason.DATE_CHANGED)


def test_a_query_that_is_not_understood_says_what_stands_in_the_way() -> None:
    choice = choose(replace(FACTS, sources=(APPENDED,), not_incremental=NEVER))
    assert choice.kind is RefreshKind.FULL
    assert choice.words == "the query cannot be maintained incrementally: a function in FROM"


def test_every_reason_has_words() -> None:
    assert all(reason.words for reason in Reason)


def test_changes_of_dimension_tables_alone_are_nothing_to_do() -> None:
    dimension = replace(COMPACTED, ignored=True)
    assert chosen(sources=(QUIET, dimension)) == (
        RefreshKind.NO_DATA,
        Reason.ONLY_DIMENSIONS_CHANGED,
    )
    assert chosen(sources=(APPENDED, dimension)) == (RefreshKind.INCREMENTAL, Reason.ROWS_ADDED)


def test_rows_that_go_are_not_looked_for_with_a_dimension_that_changed_unseen() -> None:
    dimension = replace(COMPACTED, ignored=True)
    full = (RefreshKind.FULL, Reason.DIMENSION_CHANGED)
    assert chosen(sources=(CHANGED, dimension)) == full
    assert chosen(sources=(APPENDED, dimension), date_matters=True) == full
