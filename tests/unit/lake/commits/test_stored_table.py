"""A table from its log: live files with all that is known of them, whatever the log looks like."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.lake.commits.stored_table import StoredTable, place_of, read_stored_table


def transaction(application: str, version: int) -> dict:
    return {"txn": {"appId": application, "version": version, "lastUpdated": 1}}


def paths(log, version: int) -> list[str]:
    return sorted(file["path"] for file in read_stored_table(log.files, version).files)


def test_files_come_and_go(log):
    log.create(log.add("a", 3), log.add("b", 4))
    log.commit(log.remove("a", 3), log.add("c", 5))
    assert paths(log, 0) == ["a", "b"]
    found = read_stored_table(log.files, 1)
    assert (found.version, found.rows, found.bytes) == (1, 9, 200)


def test_a_file_with_another_vector_takes_its_own_place(log):
    vector = log.vector("v", 2)
    log.create(log.add("a", 3))
    # Delta writes both orders.
    log.commit(log.add("a", 3, vector=vector), log.remove("a", 3))
    found = read_stored_table(log.files, 1)
    assert [file["deletionVector"] for file in found.files] == [vector]
    assert found.rows == 1
    log.commit(log.remove("a", 3, vector=vector), log.add("a", 3, vector=log.vector("w", 3)))
    assert read_stored_table(log.files, 2).rows == 0


def test_rows_are_not_known_if_one_file_does_not_say(log):
    log.create(log.add("a", 3), log.add("b", None))
    assert read_stored_table(log.files, 0).rows is None


def test_the_last_number_of_each_application_counts(log):
    log.create(transaction("x", 1), transaction("y", 7))
    log.commit(transaction("x", 2))
    assert read_stored_table(log.files, 1).transactions == {"x": 2, "y": 7}


def test_properties_are_those_of_the_last_definition(log):
    log.create()
    log.commit(log.metadata(properties={"delta.enableRowTracking": "true"}))
    found = read_stored_table(log.files, 1)
    assert found.is_on("delta.enableRowTracking")
    assert not found.is_on("delta.enableDeletionVectors")


@pytest.mark.parametrize("shape", [{}, {"parts": 2}, {"sidecar": True}, {"hint": False}])
def test_a_checkpoint_says_the_same_as_the_commits_before_it(log, shape):
    log.create(log.add("a", 3), log.add("b", 4, vector=log.vector("v", 1)))
    log.commit(log.metadata(properties={"p": "true"}), log.add("c", 5), log.remove("a", 3))
    before = read_stored_table(log.files, 1)
    log.checkpoint(1, **shape)
    log.forget(0, 1)
    log.commit(log.add("d", 1))
    after = read_stored_table(log.files, 2)
    assert paths(log, 2) == ["b", "c", "d"]
    assert after.configuration == before.configuration == {"p": "true"}
    kept = {file["path"]: file for file in after.files}
    for file in before.files:
        shared = {key: value for key, value in file.items() if key != "dataChange"}
        assert kept[file["path"]] == shared


def test_a_log_with_a_gap_is_an_error(log):
    log.create()
    log.commit()
    log.forget(1)
    with pytest.raises(UserError) as raised:
        read_stored_table(log.files, 1)
    assert raised.value.condition == "DELTA_LOG_INCOMPLETE"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("x.parquet", "/t/x.parquet"),
        ("p=a%20b/x", "/t/p=a b/x"),
        ("p=a%253Ab/x", "/t/p=a%3Ab/x"),
        ("file:///t/p=a%253Ab/x", "/t/p=a%3Ab/x"),
        ("file:/u/x", "/u/x"),
    ],
)
def test_a_file_has_one_place_however_it_is_named(path, place):
    assert place_of(path, "/t") == place_of(path, "file:///t/") == place


def test_files_of_a_partition_are_told_by_the_values_in_the_log():
    files = [
        {"path": "a", "partitionValues": {"p": "1", "q": "x"}},
        {"path": "b", "partitionValues": {"p": "1", "q": ""}},
        {"path": "c", "partitionValues": {"p": "2", "q": None}},
    ]
    table = StoredTable(0, tuple(files))
    within = {
        name: [file["path"] for file in table.within(values).files]
        for name, values in {
            "first level": {"p": "1"},
            "null": {"q": None},
            "both": {"p": "1", "q": "x"},
            "none": {"p": "3"},
        }.items()
    }
    assert within == {"first level": ["a", "b"], "null": ["b", "c"], "both": ["a"], "none": []}
    new = [{"path": "n", "partitionValues": {"p": "2", "q": ""}}]
    assert [file["path"] for file in table.sharing_partitions(new).files] == ["c"]
