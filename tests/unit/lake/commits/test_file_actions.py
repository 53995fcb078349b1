"""What a commit says of files that go, and of files whose rows are marked."""

from __future__ import annotations

import json

from headwater.lake.commits.file_actions import marked, remove

STATS = {"numRecords": 5, "minValues": {"a": 1}, "nullCount": {"a": 5}}
FILE = {
    "path": "a",
    "partitionValues": {"p": "1"},
    "size": 9,
    "modificationTime": 3,
    "dataChange": False,
    "stats": json.dumps(STATS),
    "baseRowId": 7,
    "clusteringProvider": "liquid",
}
OLD = {"storageType": "u", "pathOrInlineDv": "x", "sizeInBytes": 1, "cardinality": 2}
NEW = {**OLD, "pathOrInlineDv": "y", "offset": 1, "cardinality": 3, "maxRowIndex": None}


def test_a_remove_says_all_that_the_add_said():
    found = remove({**FILE, "deletionVector": OLD}, at_ms=42)
    assert found == {
        "path": "a",
        "partitionValues": {"p": "1"},
        "size": 9,
        "stats": FILE["stats"],
        "baseRowId": 7,
        "deletionVector": OLD,
        "deletionTimestamp": 42,
        "dataChange": True,
        "extendedFileMetadata": True,
    }


def test_a_file_keeps_everything_but_its_vector():
    found = marked(FILE, NEW)
    assert found is not None
    assert json.loads(found["stats"]) == {**STATS, "tightBounds": False}
    assert found["deletionVector"] == {k: v for k, v in NEW.items() if v is not None}
    same = {**found, "stats": FILE["stats"], "dataChange": False}
    del same["deletionVector"]
    assert same == FILE


def test_a_file_without_rows_is_not_added_again():
    assert marked(FILE, {**NEW, "cardinality": 5}) is None


def test_statistics_of_the_rows_that_were_left_are_not_kept():
    wide = {**STATS, "tightBounds": False}
    found = marked({**FILE, "deletionVector": OLD, "stats": json.dumps(wide)}, NEW)
    assert found is not None
    assert json.loads(found["stats"]) == wide
    found = marked({**FILE, "deletionVector": OLD}, NEW)
    assert found is not None
    assert json.loads(found["stats"]) == {"numRecords": 5, "tightBounds": False}
