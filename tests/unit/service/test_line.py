"""Who waits and who runs."""

from __future__ import annotations

import random

import pytest

from headwater.service.lanes import Lane, lane_of
from headwater.service.line import Line


def test_those_that_wait_start_in_their_order() -> None:
    line = Line[str](most_running=2, most_waiting=10)
    for item in "abc":
        line.join(item)
    assert (line.next(), line.next(), line.next()) == ("a", "b", None)
    line.leave("a")
    assert line.next() == "c"


def test_of_one_session_one_runs_and_others_pass_it() -> None:
    line = Line[str](most_running=3, most_waiting=10)
    line.join("a1", {"a"})
    line.join("a2", {"a"})
    line.join("b1", {"b"})
    assert (line.next(), line.next(), line.next()) == ("a1", "b1", None)
    line.leave("a1")
    assert line.next() == "a2"


def test_who_needs_two_turns_waits_for_both_and_is_not_overtaken() -> None:
    line = Line[str](most_running=9, most_waiting=10)
    line.join("in session a", {"session a"})
    line.join("in session a, of table t", {"session a", "table t"})
    line.join("of table t", {"table t"})
    assert (line.next(), line.next()) == ("in session a", None)
    line.leave("in session a")
    assert (line.next(), line.next()) == ("in session a, of table t", None)
    line.leave("in session a, of table t")
    assert line.next() == "of table t"


def test_a_full_line_is_full_until_somebody_leaves_it() -> None:
    line = Line[str](most_running=1, most_waiting=2)
    line.join("a")
    line.join("b")
    assert line.full
    assert line.withdraw("b")
    assert not line.withdraw("b")
    assert not line.full


def test_the_laws_hold_for_random_days() -> None:
    seed = random.randrange(1_000_000)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(50):
        line = Line[int](most_running=chance.randint(1, 4), most_waiting=chance.randint(1, 6))
        turns_of: dict[int, set[str]] = {}
        running: list[int] = []
        started: list[int] = []
        for item in range(80):
            if not line.full:
                turns_of[item] = set(chance.choice(["", "a", "b", "ac", "c"]))
                line.join(item, turns_of[item])
            while chance.random() < 0.6 and (found := line.next()) is not None:
                running.append(found)
                started.append(found)
            named = [turn for i in running for turn in turns_of[i]]
            assert len(named) == len(set(named))
            assert len(running) == line.running <= line.most_running
            assert line.waiting <= line.most_waiting
            if running and chance.random() < 0.5:
                line.leave(running.pop(chance.randrange(len(running))))
        for turn in "abc":
            of_turn = [i for i in started if turn in turns_of[i]]
            assert of_turn == sorted(of_turn)


@pytest.mark.parametrize(
    ("script", "lane"),
    [
        ("SHOW TABLES", Lane.QUICK),
        ("  -- x\n desc t ; ", Lane.QUICK),
        ("USE s", Lane.QUICK),
        ("CANCEL JOB 'x'", Lane.QUICK),
        ("'unclosed", Lane.QUICK),
        ("SHOW TABLES; SELECT 1", Lane.COMPUTING),
        ("SELECT 1", Lane.COMPUTING),
        ("SELECT * FROM (SHOW TABLES)", Lane.COMPUTING),
        ("", Lane.COMPUTING),
        ("SHOW TABLES" + " " * 20_000, Lane.COMPUTING),
    ],
)
def test_only_questions_about_metadata_are_quick(script: str, lane: Lane) -> None:
    assert lane_of(script) is lane
