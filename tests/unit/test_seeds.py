"""Seeds of random tests: the same in all workers of a run, others in the next run."""

from __future__ import annotations

import pytest
from tests.seeds import seeds

RUN = "PYTEST_XDIST_TESTRUNUID"


@pytest.fixture(autouse=True)
def nothing_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (RUN, "HEADWATER_SEEDS", "HEADWATER_A_SEED"):
        monkeypatch.delenv(name, raising=False)


def test_every_run_has_its_fixed_seeds() -> None:
    assert seeds("HEADWATER_A_SEED", (0, 5)) == [0, 5]


def test_a_seed_is_repeated_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_SEEDS", "3")
    monkeypatch.setenv("HEADWATER_A_SEED", "7,9")
    assert seeds("HEADWATER_A_SEED", (0, 5)) == [7, 9]


def test_workers_of_one_run_draw_the_same_new_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_SEEDS", "3")
    monkeypatch.setenv(RUN, "one")
    first = seeds("HEADWATER_A_SEED", (0, 5))
    assert first == seeds("HEADWATER_A_SEED", (0, 5))
    assert first[:2] == [0, 5]
    assert len(set(first)) == 5
    monkeypatch.setenv(RUN, "another")
    assert seeds("HEADWATER_A_SEED", (0, 5)) != first


def test_runs_without_workers_draw_new_seeds_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_SEEDS", "3")
    assert seeds("HEADWATER_A_SEED", ()) != seeds("HEADWATER_A_SEED", ())
