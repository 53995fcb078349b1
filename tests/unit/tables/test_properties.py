"""What the documents' table properties mean to Delta, set, changed and taken away."""

from __future__ import annotations

import pytest

from headwater.tables.properties import delta_properties, tracks_changes, unset_properties

FILES, LOG = "delta.deletedFileRetentionDuration", "delta.logRetentionDuration"
ROWS = "delta.enableRowTracking"


def kept(**wanted: str) -> tuple[str | None, str | None]:
    found = delta_properties(wanted.items(), lake_days=7)
    return found.get(FILES), found.get(LOG)


def test_the_retention_is_told_to_delta_and_its_log_stays_longer() -> None:
    assert kept(data_retention_days="3") == ("interval 3 days", "interval 30 days")
    assert kept(data_retention_days="60") == ("interval 60 days", "interval 60 days")
    assert kept(data_lifecycle="3") == (None, None)


def test_tracking_makes_delta_remember_removed_files_as_long_as_a_stream_may_wait() -> None:
    assert kept(change_tracking="true") == ("interval 30 days", "interval 30 days")
    both = {"change_tracking": "true", "data_retention_days": "45"}
    assert kept(**both) == ("interval 45 days", "interval 45 days")
    assert kept(change_tracking="false") == (None, None)


def test_what_the_table_has_already_counts() -> None:
    tracked = {"change_tracking": "true", ROWS: "true"}
    shorter = delta_properties([("data_retention_days", "2")], current=tracked, lake_days=7)
    assert shorter[FILES] == "interval 30 days"
    long = {"data_retention_days": "80"}
    found = delta_properties([("change_tracking", "true")], current=long, lake_days=7)
    assert found[FILES] == found[LOG] == "interval 80 days"


def test_the_retention_of_the_lake_counts_where_the_table_says_nothing() -> None:
    found = delta_properties([("change_tracking", "true")], lake_days=50)
    assert found[FILES] == found[LOG] == "interval 50 days"


@pytest.mark.parametrize(
    ("properties", "ready"),
    [
        ({}, False),
        ({ROWS: "true"}, False),
        ({ROWS: "true", FILES: "interval 1 week"}, False),
        ({ROWS: "true", FILES: "interval 13 days"}, False),
        ({ROWS: "true", FILES: "interval 14 days"}, True),
        ({ROWS: "false", FILES: "interval 14 days"}, False),
    ],
)
def test_a_table_is_ready_when_rows_are_tracked_and_files_remembered(
    properties: dict[str, str], ready: bool
) -> None:
    assert tracks_changes(properties, days=14) is ready


def test_what_set_properties_gives_is_ready_for_the_longest_extension() -> None:
    assert tracks_changes(delta_properties([("change_tracking", "true")], lake_days=0), days=30)


def test_to_unset_the_retention_does_not_shorten_what_streams_need() -> None:
    current = {"data_retention_days": "60", "change_tracking": "true", ROWS: "true"}
    to_set, to_remove = unset_properties(["DATA_RETENTION_DAYS"], current, lake_days=7)
    assert to_set == {FILES: "interval 30 days", LOG: "interval 30 days"}
    assert to_remove == ("data_retention_days",)
    names = ["data_retention_days", "change_tracking"]
    to_set, to_remove = unset_properties(names, current, lake_days=7)
    assert to_set == {ROWS: "false"}
    assert set(to_remove) == {*names, FILES, LOG}
