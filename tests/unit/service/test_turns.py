"""What runs one after the other."""

from __future__ import annotations

import pytest

from headwater.service.turns import turns_of


@pytest.mark.parametrize(
    ("script", "turn"),
    [
        ("REFRESH DYNAMIC TABLE d", "REFRESH w.s.d"),
        (" -- why\nrefresh dynamic table S.`D` ; ", "REFRESH w.s.d"),
        ("REFRESH MATERIALIZED VIEW other.m", "REFRESH w.other.m"),
        ("REFRESH DYNAMIC TABLE x.s.d", "REFRESH x.s.d"),
        # A script does more: whoever sent it again would do the rest twice.
        ("REFRESH DYNAMIC TABLE d; SELECT 1", None),
        ("SELECT 'REFRESH DYNAMIC TABLE d'", None),
        ("EXPLAIN REFRESH DYNAMIC TABLE d", None),
        ("REFRESH DYNAMIC", None),
        ("REFRESH 'unclosed", None),
        ("", None),
        ("REFRESH DYNAMIC TABLE d" + " " * 20_000, None),
    ],
)
def test_a_refresh_alone_has_the_turn_of_its_table(script: str, turn: str | None) -> None:
    turns = turns_of(script, session=None, workspace="w", schema="s")
    assert turns == (frozenset() if turn is None else {turn})


def test_partitions_have_turns_of_their_own() -> None:
    def of(script: str) -> frozenset[str]:
        return turns_of(script, session=None, workspace="w", schema="s")

    one = of("REFRESH DYNAMIC TABLE d PARTITION (day = '2026-01-01')")
    assert one != of("REFRESH DYNAMIC TABLE d PARTITION (day = '2026-01-02')")
    assert one == of("REFRESH DYNAMIC TABLE d PARTITION ( day='2026-01-01' )")


def test_a_session_has_one_too() -> None:
    assert turns_of("SELECT 1", session="a", workspace="w", schema="s") == {"SESSION a"}
