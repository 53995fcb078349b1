"""Delta's operations in our words, and the rows they say they touched."""

from __future__ import annotations

import pytest

from headwater.lake.delta_log.actions import Commit
from headwater.lake.delta_log.operations import RowCounts, operation_of, row_counts


def commit(operation, *, version=5, mode=None, **metrics) -> Commit:
    parameters = {"mode": mode} if mode else {}
    return Commit(version, operation=operation, operation_parameters=parameters, metrics=metrics)


@pytest.mark.parametrize(
    ("delta", "ours"),
    [
        ("CREATE TABLE", "CREATE"),
        ("CREATE TABLE AS SELECT", "CREATE_TABLE_AS"),
        ("REPLACE TABLE", "REPLACE"),
        ("CREATE OR REPLACE TABLE", "REPLACE"),
        ("REPLACE TABLE AS SELECT", "REPLACE_TABLE_AS"),
        ("CREATE OR REPLACE TABLE AS SELECT", "REPLACE_TABLE_AS"),
        ("MERGE", "MERGE_INTO"),
        ("DELETE", "DELETE"),
        ("UPDATE", "UPDATE"),
        ("TRUNCATE", "TRUNCATE"),
        ("OPTIMIZE", "COMPACTION"),
        ("RESTORE", "RESTORE"),
        ("SET TBLPROPERTIES", "ALTER"),
        ("UNSET TBLPROPERTIES", "ALTER"),
        ("ADD COLUMNS", "ALTER"),
        ("CHANGE COLUMN", "ALTER"),
        ("RENAME COLUMN", "ALTER"),
        ("DROP COLUMNS", "ALTER"),
        ("UPGRADE PROTOCOL", "ALTER"),
        ("CLUSTER BY", "ALTER"),
        ("ROW TRACKING BACKFILL", "ALTER"),
        ("STREAMING UPDATE", "STREAMING_UPDATE"),
        ("Vacuum Start", "VACUUM_START"),
    ],
)
def test_operations(delta, ours):
    assert operation_of(commit(delta)) == ours


def test_a_write_is_named_by_its_mode():
    assert operation_of(commit("WRITE", mode="Append")) == "INSERT_INTO"
    assert operation_of(commit("WRITE", mode="Overwrite")) == "INSERT_OVERWRITE"


@pytest.mark.parametrize("mode", ["Append", "Overwrite", "ErrorIfExists"])
def test_the_first_write_creates_the_table(mode):
    assert operation_of(commit("WRITE", mode=mode, version=0)) == "CREATE_TABLE_AS"
    assert operation_of(commit("CREATE OR REPLACE TABLE", version=0)) == "CREATE"


def test_rows_are_counted_only_where_stated():
    assert row_counts(commit("WRITE", numOutputRows="3")) == RowCounts(inserted=3)
    assert row_counts(commit("DELETE", numDeletedRows="3", numCopiedRows="9")) == RowCounts(
        deleted=3
    )
    assert row_counts(commit("UPDATE", numUpdatedRows="3")) == RowCounts(updated=3)
    assert row_counts(commit("TRUNCATE", numRemovedFiles="3")) == RowCounts()


def test_a_merge_counts_target_rows_not_output_rows():
    metrics = {
        "numOutputRows": "100",
        "numTargetRowsInserted": "1",
        "numTargetRowsUpdated": "2",
        "numTargetRowsDeleted": "0",
    }
    assert row_counts(commit("MERGE", **metrics)) == RowCounts(1, 2, 0)


def test_metrics_of_delta_rs_are_understood():
    assert row_counts(commit("WRITE", num_added_rows="3")) == RowCounts(inserted=3)
    assert row_counts(commit("DELETE", num_deleted_rows="3")) == RowCounts(deleted=3)
