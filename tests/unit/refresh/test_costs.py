"""What a refresh is expected to cost: sizes from the logs, corrected by what refreshes took."""

from __future__ import annotations

from headwater.algebra.nodes import Aggregate, Changes, Field, Node, Scan
from headwater.catalog.dynamic_tables import RefreshKind
from headwater.incremental.deltas import Change
from headwater.incremental.plan import DeltaPlan, Outcome
from headwater.refresh.costs import Took, costs
from headwater.refresh.facts import SourceFacts

GIGA = 1_000_000_000
FIELDS = (Field("k#1", "k"),)
TREE = Aggregate(Scan("1", "t", FIELDS), ("k#1",))
FROM_CHANGES = DeltaPlan(Outcome.CHANGE, Aggregate(Changes("1", "t", FIELDS), ("k#1",)))
ANEW = DeltaPlan(Outcome.CHANGE, TREE)


def source(*, bytes: int = GIGA, changed: int = 1000) -> dict[str, SourceFacts]:
    facts = SourceFacts("1", "t", 1, 2, Change.ANY, "", changed_bytes=changed, bytes=bytes)
    return {"1": facts}


def test_reading_the_change_alone_is_cheaper_than_reading_everything() -> None:
    found = costs(TREE, FROM_CHANGES, source(), 0)
    assert found.incremental * 10 < found.full
    assert not found.full_is_cheaper


def test_a_change_as_large_as_the_table_is_cheaper_in_full() -> None:
    everything = source(changed=2 * GIGA)
    assert costs(TREE, FROM_CHANGES, everything, 0).full_is_cheaper


def test_few_rows_that_went_are_a_small_change_although_their_file_is_read() -> None:
    facts = SourceFacts(
        "1", "t", 1, 2, Change.ANY, "", changed_rows=10, changed_bytes=GIGA, rows=10**7, bytes=GIGA
    )
    assert not costs(TREE, FROM_CHANGES, {"1": facts}, 0).full_is_cheaper


def test_a_plan_that_reads_the_source_anew_costs_about_as_much() -> None:
    found = costs(TREE, ANEW, source(changed=GIGA), 0)
    assert found.incremental >= found.full * 0.9


def test_a_table_that_others_follow_is_dearer_in_full_for_its_rows_are_compared() -> None:
    plain = costs(TREE, FROM_CHANGES, source(), GIGA)
    followed = costs(TREE, FROM_CHANGES, source(), GIGA, followed=True)
    assert followed.full > plain.full * 1.2
    assert followed.incremental == plain.incremental


def test_a_followed_table_is_overwritten_if_its_readers_lose_less_than_comparing_takes() -> None:
    plain = costs(TREE, FROM_CHANGES, source(), GIGA)
    compared = costs(TREE, FROM_CHANGES, source(), GIGA, followed=True, loss=1000.0)
    overwritten = costs(TREE, FROM_CHANGES, source(), GIGA, followed=True, loss=0.5)
    assert not plain.overwrites
    assert not compared.overwrites
    assert overwritten.overwrites
    assert round(overwritten.full - plain.full, 6) == 0.5


def test_rows_that_go_are_dearer_to_find_in_a_table_that_is_not_written_anew() -> None:
    small = costs(TREE, FROM_CHANGES, source(), 0)
    large = costs(TREE, FROM_CHANGES, source(), 0, small=False)
    assert small.incremental < large.incremental < small.incremental + 1
    assert small.full == large.full
    added = DeltaPlan(Outcome.APPEND, FROM_CHANGES.rows)
    assert costs(TREE, added, source(), 0, small=False) == costs(TREE, added, source(), 0)


def test_a_long_plan_over_little_data_is_dearer_than_the_query() -> None:
    long: Node = Changes("1", "t", FIELDS)
    for _ in range(50):
        long = Aggregate(long, ("k#1",))
    plan = DeltaPlan(Outcome.CHANGE, long)
    assert costs(TREE, plan, source(bytes=20_000_000), 0).full_is_cheaper
    assert not costs(TREE, plan, source(), 0).full_is_cheaper


def test_little_data_is_never_worth_the_question() -> None:
    assert not costs(TREE, ANEW, source(bytes=1000, changed=5000), 0).full_is_cheaper


def test_what_was_overwritten_is_worth_it_sooner() -> None:
    some = costs(TREE, ANEW, source(bytes=1_000_000, changed=900_000), 0)
    all_rows = costs(TREE, ANEW, source(bytes=1_000_000, changed=2_000_000), 0)
    assert not some.full_is_cheaper
    assert all_rows.full_is_cheaper


def test_history_corrects_what_is_expected() -> None:
    plain = costs(TREE, FROM_CHANGES, source(), 0)
    slow = [Took(RefreshKind.INCREMENTAL, 1.0, 3.0)] * 3 + [Took(RefreshKind.FULL, 10.0, 5.0)]
    found = costs(TREE, FROM_CHANGES, source(), 0, slow)
    assert round(found.incremental / plain.incremental, 6) == 3
    assert round(found.full / plain.full, 6) == 0.5


def test_one_odd_refresh_does_not_count_without_limit() -> None:
    odd = [Took(RefreshKind.INCREMENTAL, 0.1, 1000.0)]
    plain = costs(TREE, FROM_CHANGES, source(), 0)
    assert costs(TREE, FROM_CHANGES, source(), 0, odd).incremental <= plain.incremental * 5
