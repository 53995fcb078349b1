"""Delta versions to the versions and times that users know."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from headwater.streams.commit_columns import (
    CommitTime,
    by_delta_version,
    with_commits_in_text,
    with_commits_joined,
)

_AT = datetime(2025, 4, 28, 17, 37, 25, 785000, tzinfo=UTC)


def commits(*ends: int) -> list[CommitTime]:
    return [CommitTime(number, end, _AT) for number, end in enumerate(ends, start=1)]


def versions(ends: list[int], first: int, last: int) -> dict[int, int]:
    return {d: c.version for d, c in by_delta_version(commits(*ends), first, last)}


def test_several_delta_versions_may_belong_to_one_version() -> None:
    assert versions([0, 3, 4], 0, 4) == {0: 1, 1: 2, 2: 2, 3: 2, 4: 3}


def test_what_is_older_than_the_first_known_version_belongs_to_it() -> None:
    assert versions([7, 8], 5, 8) == {5: 1, 6: 1, 7: 1, 8: 2}


def test_what_is_not_recorded_yet_has_no_version() -> None:
    assert versions([0, 1], 0, 5) == {0: 1, 1: 2}
    assert by_delta_version([], 0, 5) == []


@given(st.lists(st.integers(0, 60), min_size=1, unique=True).map(sorted), st.integers(0, 60))
def test_a_delta_version_belongs_to_the_first_version_that_reached_it(
    ends: list[int], asked: int
) -> None:
    found = versions(ends, asked, asked)
    reached = [number for number, end in enumerate(ends, start=1) if end >= asked]
    assert found == ({asked: reached[0]} if reached else {})


def test_few_versions_stand_in_the_text() -> None:
    sql = with_commits_in_text("c", ["id", "a b"], by_delta_version(commits(0, 1), 1, 1))
    assert sql == (
        "(SELECT __change_type, __delta_version + 1L AS __commit_version, "
        "timestamp_micros(get(array(1745861845785000L), CAST(__delta_version - 1L AS INT))) "
        "AS __commit_timestamp, `id`, `a b` FROM c AS changes)"
    )


def test_versions_that_do_not_count_alike_are_looked_up() -> None:
    sql = with_commits_in_text("c", [], by_delta_version(commits(3, 5, 6), 4, 6))
    looked_up = "get(array(2L, 2L, 3L), CAST(__delta_version - 4L AS INT)) AS __commit_version"
    assert looked_up in sql


def test_without_versions_nothing_is_known() -> None:
    assert "CAST(NULL AS BIGINT) AS __commit_version" in with_commits_in_text("c", [], [])


def test_many_versions_are_joined() -> None:
    sql = with_commits_joined("c", ["id"], "v")
    assert "LEFT JOIN `v` AS commits ON changes.__delta_version = commits.delta_version" in sql
    assert "changes.`id`" in sql
