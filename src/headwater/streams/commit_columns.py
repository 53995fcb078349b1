"""From the Delta version that wrote a row image to the version and the time that users know.

Law: a Delta version belongs to the first version of the table, as users count them, that reached
it; what came before the first one known belongs to that one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.names import quote_identifier

CHANGE_TYPE = "__change_type"
COMMIT_VERSION = "__commit_version"
COMMIT_TIMESTAMP = "__commit_timestamp"
DELTA_VERSION = "__delta_version"
MOST_IN_TEXT = 500
"""So many Delta versions are written into the text of the query; more are joined to it."""
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class CommitTime:
    """A version of a table: its number, the last Delta version it made, and its time."""

    version: int
    delta_version: int
    at: datetime


def by_delta_version(
    commits: Sequence[CommitTime], first: int, last: int
) -> list[tuple[int, CommitTime]]:
    """For every Delta version from `first` to `last` the version it belongs to.

    `commits` are in the order of their numbers; without any there is nothing to say.
    """
    if not commits:
        return []
    ends = [commit.delta_version for commit in commits]
    highest = min(last, ends[-1])
    return [(d, commits[bisect_left(ends, d)]) for d in range(first, highest + 1)]


def with_commits_in_text(
    changes: str, columns: Sequence[str], pairs: Sequence[tuple[int, CommitTime]]
) -> str:
    """The changes with version and time, which stand in the text itself: no join, no Spark job."""
    first = pairs[0][0] if pairs else 0
    version = _counted([(d, commit.version) for d, commit in pairs])
    time = _looked_up([_microseconds(commit.at) for _, commit in pairs], first)
    shown = f"{version} AS {COMMIT_VERSION}, timestamp_micros({time}) AS {COMMIT_TIMESTAMP}"
    return f"(SELECT {CHANGE_TYPE}, {shown}{_names(columns)} FROM {changes} AS changes)"  # noqa: S608


def _counted(pairs: Sequence[tuple[int, int]]) -> str:
    """The version of a Delta version: where each statement was one commit, both count alike."""
    distances = {number - delta_version for delta_version, number in pairs}
    if len(distances) == 1:
        return f"{DELTA_VERSION} + {distances.pop()}L"
    return _looked_up([number for _, number in pairs], pairs[0][0] if pairs else 0)


def _looked_up(numbers: Sequence[int], first: int) -> str:
    """The number of a Delta version, of which `first` has the first one.

    It is worked out for each row: a place in an array takes a third of the time of comparisons.
    """
    if not numbers:
        return "CAST(NULL AS BIGINT)"
    listed = ", ".join(f"{number}L" for number in numbers)
    return f"get(array({listed}), CAST({DELTA_VERSION} - {first}L AS INT))"


def with_commits_joined(changes: str, columns: Sequence[str], commits_view: str) -> str:
    """The changes with version and time from a view of `delta_version`, `version` and `at`."""
    own = "".join(f", changes.{quote_identifier(column)}" for column in columns)
    return (
        f"(SELECT changes.{CHANGE_TYPE}, commits.version AS {COMMIT_VERSION}, "  # noqa: S608
        f"commits.at AS {COMMIT_TIMESTAMP}{own} FROM {changes} AS changes "
        f"LEFT JOIN {quote_identifier(commits_view)} AS commits "
        f"ON changes.{DELTA_VERSION} = commits.delta_version)"
    )


def _names(columns: Sequence[str]) -> str:
    return "".join(f", {quote_identifier(column)}" for column in columns)


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
