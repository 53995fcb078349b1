"""The order of the tests themselves."""

from __future__ import annotations

import pytest
from tests.longest_first import longest_first


def test_every_worker_s_block_starts_with_its_share_of_the_long_ones():
    ordered = longest_first([1, 2, 3], [4, 5, 6, 7, 8, 9], workers=2)
    assert ordered == [1, 3, 4, 5, 2, 6, 7, 8, 9]


def test_what_belongs_together_is_in_the_block_of_the_first_worker_behind_its_long_ones():
    ordered = longest_first([1, 2], [3, 4, 5, 6], workers=2, together=[7, 8])
    assert ordered == [1, 7, 8, 3, 2, 4, 5, 6]


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("together", [0, 1, 30])
@pytest.mark.parametrize(("long", "short"), [(0, 9), (9, 0), (7, 2), (2, 40), (1, 1), (0, 0)])
def test_no_test_is_lost_or_run_twice(workers, long, short, together):
    names = list(range(long + short + together))
    parts = names[:long], names[long : long + short], names[long + short :]
    ordered = longest_first(parts[0], parts[1], workers=workers, together=parts[2])
    assert sorted(ordered) == names
