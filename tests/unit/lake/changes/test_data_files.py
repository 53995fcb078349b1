"""Files that are gone are found before anything is read."""

from __future__ import annotations

import pytest

from headwater.lake.changes.classify import classify
from headwater.lake.changes.data_files import missing_because, vector_file
from headwater.lake.changes.ranges import ChangeRange, Wanted
from headwater.lake.table_folders import LocalFolder

# The example of Delta's protocol.
ENCODED = "^-aqEH.-t@S}K{vb[*k^"


def images(log):
    return classify(log.files, ChangeRange(0, log.newest), Wanted.NET).images


def missing(log):
    return missing_because(LocalFolder(log.folder), images(log))


def test_all_data_files_must_be_there(log):
    log.create()
    log.commit(log.add("a%20b/c.parquet"), log.add("s3://bucket/d.parquet"))
    assert missing(log) == "file c.parquet is no longer there"
    (log.folder / "a b").mkdir()
    (log.folder / "a b" / "c.parquet").touch()
    assert missing(log) is None


def test_an_absolute_path_is_one_of_another_table(log, tmp_path):
    log.create()
    place = tmp_path / "other" / "x.parquet"
    log.commit(log.add(place.as_uri()))
    assert missing(log) == "file x.parquet is no longer there"
    place.parent.mkdir()
    place.touch()
    assert missing(log) is None


def test_a_removed_file_of_which_the_log_says_too_little_cannot_be_read(log):
    log.create(log.add("a"))
    log.commit({"remove": {"path": "a", "dataChange": True}})
    assert "too little" in missing(log)


def test_both_vectors_of_a_file_must_be_there(log):
    vector = {**log.vector(ENCODED, 1), "storageType": "u"}
    log.create(log.add("a", vector=vector))
    log.commit(log.remove("a", vector=vector), log.add("a"))
    (log.folder / "a").touch()
    name = vector_file(vector)
    assert missing(log) == f"file {name} is no longer there"
    (log.folder / name).touch()
    assert missing(log) is None


@pytest.mark.parametrize(
    ("vector", "place"),
    [
        (
            {"storageType": "u", "pathOrInlineDv": "ab" + ENCODED},
            "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin",
        ),
        ({"storageType": "i", "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0"}, None),
    ],
)
def test_the_log_says_where_a_vector_is(vector, place):
    """The examples of Delta's protocol."""
    assert vector_file(vector) == place
