"""Which reader a range needs, on logs written by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.errors import SchemaError, UserError
from headwater.lake.changes.classify import classify
from headwater.lake.changes.commits import LoggedFile
from headwater.lake.changes.images import CAME, WENT, ChangedVector, WholeFile, rewrites
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.delta_log.actions import FileId

TRACKED = {
    "delta.enableRowTracking": "true",
    "delta.rowTracking.materializedRowIdColumnName": "_row-id-1",
    "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version-1",
}
EACH = [Wanted.EVERY, Wanted.INSERTED]


def column(name: str, kind: Any = "long", *, physical: str | None = None) -> dict[str, Any]:
    metadata = {} if physical is None else {"delta.columnMapping.physicalName": physical}
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def read(log, start: int = 0, wanted: Wanted = Wanted.NET):
    return classify(log.files, ChangeRange(start, log.newest), wanted)


def shown(classified) -> list[tuple[Any, ...]]:
    """The images, short enough to compare."""
    return [
        (image.file.id.path, {CAME: "+", WENT: "-"}[image.sign], image.version)
        if isinstance(image, WholeFile)
        else (image.file.id.path, image.before is not None, image.after is not None, image.version)
        for image in classified.images
    ]


def test_an_empty_range_is_nothing_and_reads_no_log(log):
    found = classify(log.files, ChangeRange(7, 7), Wanted.NET)
    assert (found.reader, found.images) == (Reader.NOTHING, ())
    assert found.insert_only
    assert found.minimal


@pytest.mark.parametrize("wrong", [(-2, 3), (4, 3)])
def test_a_range_does_not_go_backwards(wrong):
    with pytest.raises(ValueError, match="not a range"):
        ChangeRange(*wrong)


@pytest.mark.parametrize("wanted", list(Wanted))
def test_appended_files_are_read_by_their_commit(log, wanted):
    log.create(log.add("old"))
    log.commit(log.add("a"), log.add("b"))
    log.commit(log.add("c"))
    found = read(log, wanted=wanted)
    assert (found.reader, found.insert_only, found.minimal) == (Reader.ADDED_FILES, True, True)
    assert found.added == {1: ("a", "b"), 2: ("c",)}
    assert not found.row_ids


def test_the_first_commit_belongs_to_a_range_from_before_it(log):
    log.create(log.add("a"))
    assert read(log, -1).added == {0: ("a",)}


@pytest.mark.parametrize("wanted", list(Wanted))
def test_compaction_properties_and_repeated_files_are_no_change(log, wanted):
    log.create(log.add("a"), log.add("b"))
    log.commit(
        log.remove("a", data_change=False),
        log.remove("b", data_change=False),
        log.add("ab", data_change=False),
        operation="OPTIMIZE",
    )
    log.commit(log.metadata(properties={"x": "1"}), operation="SET TBLPROPERTIES")
    log.commit(log.add("ab", data_change=False), operation="ROW TRACKING BACKFILL")
    assert read(log, wanted=wanted).reader is Reader.NOTHING


@pytest.mark.parametrize("wanted", list(Wanted))
def test_files_that_were_appended_and_compacted_are_read_once(log, wanted):
    log.create(log.add("old"))
    log.commit(log.add("a"))
    log.commit(
        log.remove("old", data_change=False),
        log.remove("a", data_change=False),
        log.add("olda", data_change=False),
    )
    log.commit(log.add("b"))
    found = read(log, wanted=wanted)
    assert (found.reader, found.added) == (Reader.ADDED_FILES, {1: ("a",), 3: ("b",)})


def test_what_came_and_went_in_between_is_not_read_for_net(log):
    log.create(log.add("old"))
    log.commit(log.add("a"))
    log.commit(log.remove("a"), log.add("b"))
    found = read(log)
    assert (found.reader, found.added) == (Reader.ADDED_FILES, {2: ("b",)})


def test_a_table_restored_within_the_range_has_not_changed(log):
    log.create(log.add("a"))
    log.commit(log.remove("a"), log.add("b"))
    log.commit(log.remove("b"), log.add("a"), operation="RESTORE")
    assert read(log).reader is Reader.NOTHING


def test_without_row_ids_the_ends_are_compared(log):
    log.create(log.add("a"), log.add("kept"))
    log.commit(log.remove("a"), log.add("b"))
    found = read(log)
    assert (found.reader, found.insert_only, found.minimal) == (Reader.FILE_DIFFERENCE, False, True)
    assert shown(found) == [("a", "-", 0), ("b", "+", 1)]
    assert not found.row_ids


@pytest.mark.parametrize("wanted", EACH)
def test_without_row_ids_single_changes_cannot_be_told(log, wanted):
    log.create(log.add("a"))
    log.commit(log.remove("a"), log.add("b"))
    with pytest.raises(UserError) as raised:
        classify(log.files, ChangeRange(0, 1), wanted, name="sales.orders")
    assert raised.value.condition == "CHANGES_NOT_TRACKED"
    assert raised.value.hint == (
        "ALTER TABLE sales.orders SET PROPERTIES('change_tracking' = 'true')"
    )


def test_with_row_ids_they_are_used(log):
    log.commit(log.metadata(properties=TRACKED), log.add("a"))
    log.commit(log.remove("a"), log.add("b"))
    found = read(log)
    assert (found.reader, found.minimal, found.row_ids) == (Reader.ROW_TRACKING, False, True)
    assert not found.insert_only
    assert read(log, wanted=Wanted.INSERTED).insert_only


def test_with_row_ids_rows_that_were_rewritten_in_the_range_keep_their_versions(log):
    log.commit(log.metadata(properties=TRACKED))
    log.commit(log.add("a"))
    log.commit(log.remove("a"), log.add("b"))
    found = read(log)
    assert (found.reader, found.row_ids, found.added) == (Reader.ADDED_FILES, True, {2: ("b",)})


def test_row_ids_must_be_there_all_the_way(log):
    log.create(log.add("a"))
    log.commit(log.metadata(properties=TRACKED))
    log.commit(log.remove("a"), log.add("b"))
    assert read(log, 0).reader is Reader.FILE_DIFFERENCE
    assert read(log, 1).reader is Reader.ROW_TRACKING
    moved = {**TRACKED, "delta.rowTracking.materializedRowIdColumnName": "_row-id-2"}
    log.commit(log.metadata(properties=moved), log.remove("b"), log.add("c"))
    assert read(log, 1).reader is Reader.FILE_DIFFERENCE


def test_a_changed_vector_is_read_once_however_often_it_changed(log):
    one, two = log.vector("v1", 1), log.vector("v2", 2)
    log.create(log.add("a"))
    log.commit(log.remove("a"), log.add("a", vector=one))
    log.commit(log.remove("a", vector=one), log.add("a", vector=two))
    (image,) = read(log, 0).images
    assert (image.before, image.after, image.went_at) == (None, two, 0)
    (image,) = read(log, 1).images
    assert isinstance(image, ChangedVector)
    assert (image.before, image.after, image.went_at) == (one, two, 1)


def test_a_file_came_when_it_came_whatever_became_of_its_vector(log):
    one, two = log.vector("v1", 1), log.vector("v2", 2)
    log.create()
    log.commit(log.add("a"))
    log.commit(log.remove("a"), log.add("a", vector=one))
    log.commit(log.remove("a", vector=one), log.add("a", vector=two))
    found = read(log)
    assert (found.reader, shown(found)) == (Reader.ADDED_FILES, [("a", "+", 1)])
    assert found.images[0].file.vector == two
    log.commit(log.remove("a", vector=two))
    log.commit(log.add("a", vector=one))
    assert shown(read(log)) == [("a", "+", 5)]


def test_a_restore_is_read_with_the_commits_around_it(log):
    log.commit(log.metadata(properties=TRACKED), log.add("a"), log.add("b"))
    log.commit(log.remove("a"))
    log.commit(log.add("a"), operation="RESTORE")
    log.commit(log.remove("b"))
    assert shown(read(log)) == [("a", "-", 1), ("a", "+", 2), ("b", "-", 3)]


def test_a_vector_that_is_taken_away_brings_rows_back(log):
    one = log.vector("v1", 1)
    log.create(log.add("a", vector=one))
    log.commit(log.remove("a", vector=one), log.add("a"), operation="RESTORE")
    found = read(log)
    assert (found.reader, shown(found)) == (Reader.ADDED_FILES, [("a", True, False, 1)])


def test_every_change_is_read_commit_by_commit(log):
    one = log.vector("v1", 1)
    log.commit(log.metadata(properties=TRACKED), log.add("a"))
    log.commit(log.remove("a"), log.add("a", vector=one), log.add("b"))
    log.commit(log.remove("b"))
    images = [("a", False, True, 1), ("b", "+", 1), ("b", "-", 2)]
    assert shown(read(log, wanted=Wanted.EVERY)) == images
    assert shown(read(log)) == images[:1]


def test_around_a_compaction_the_commits_are_read_and_not_the_ends(log):
    log.create(log.add("a"), log.add("b"))
    log.commit(
        log.remove("a", data_change=False),
        log.remove("b", data_change=False),
        log.add("ab", data_change=False),
    )
    log.commit(log.remove("ab"), log.add("ab", vector=log.vector("v", 1)))
    assert shown(read(log)) == [("ab", False, True, 2)]


def test_a_commit_that_only_says_so_of_half_its_files_is_read_whole(log):
    log.create(log.add("a"))
    log.commit(log.remove("a", data_change=False), log.add("b"))
    assert shown(read(log)) == [("a", "-", 0), ("b", "+", 1)]


def test_a_commit_that_is_missing_is_an_error(log):
    log.create()
    log.commit(log.add("a"))
    log.commit(log.add("b"))
    log.forget(1)
    with pytest.raises(SchemaError, match="the log has no commit 1") as raised:
        read(log)
    assert raised.value.condition == "CHANGES_GONE"
    assert read(log, 1).added == {2: ("b",)}


def test_the_definition_at_the_start_comes_from_a_checkpoint(log):
    log.commit(log.metadata(properties=TRACKED), log.add("a"))
    log.commit(log.add("b"))
    log.checkpoint(1)
    log.forget(0, 1)
    log.commit(log.remove("a"), log.add("c"))
    assert read(log, 1).reader is Reader.ROW_TRACKING
    for file in log.log.glob("*checkpoint*"):
        file.unlink()
    with pytest.raises(SchemaError, match="how the table looked at version 1") as raised:
        read(log, 1)
    assert raised.value.condition == "CHANGES_GONE"


BEFORE = struct(column("id"), column("v", "integer"))
FITTING = {
    "the same": BEFORE,
    "added": struct(column("id"), column("v", "integer"), column("w", "string")),
    "dropped": struct(column("id")),
    "renamed": struct(column("key", physical="id"), column("v", "integer")),
    "widened": struct(column("id"), column("v", "long")),
    "to a decimal": struct(column("id"), column("v", "decimal(12,2)")),
}
OTHER = {
    "another type": (struct(column("id"), column("v", "string")), "column 'v' has another type"),
    "a narrow decimal": (struct(column("id"), column("v", "decimal(11,2)")), "another type"),
    "another column": (struct(column("id"), column("w", "integer")), "column 'v' was replaced"),
    "new physical names": (
        struct(column("id", physical="col-1"), column("v", "integer", physical="col-2")),
        "column 'id' was replaced",
    ),
    "a struct": (struct(column("id", struct(column("x")))), "another type"),
}


@pytest.mark.parametrize("after", FITTING.values(), ids=FITTING)
def test_a_schema_under_which_old_files_can_be_read_is_fine(log, after):
    log.commit(log.metadata(BEFORE), log.add("a"))
    log.commit(log.metadata(after))
    log.commit(log.remove("a"), log.add("b"))
    assert read(log).reader is Reader.FILE_DIFFERENCE


@pytest.mark.parametrize(("after", "reason"), OTHER.values(), ids=OTHER)
def test_a_schema_under_which_old_files_cannot_be_read_ends_the_range(log, after, reason):
    log.commit(log.metadata(BEFORE), log.add("a"))
    log.commit(log.add("b"))
    log.commit(log.metadata(after), log.remove("a"), log.remove("b"), log.add("c"))
    log.commit(log.add("d"))
    with pytest.raises(SchemaError, match=reason) as raised:
        read(log)
    assert raised.value.condition == "CHANGES_SCHEMA_CHANGED"
    assert raised.value.parameters["version"] == 2
    assert read(log, 2).added == {3: ("d",)}
    assert classify(log.files, ChangeRange(0, 1), Wanted.NET).added == {1: ("b",)}


def test_a_schema_of_which_no_old_file_is_read_does_not_matter(log):
    log.commit(log.metadata(BEFORE))
    log.commit(log.metadata(struct(column("other", "string"))), log.add("a"))
    log.commit(log.remove("a"), log.add("b"))
    assert read(log).added == {2: ("b",)}
    log.commit(log.remove("b"), log.add("b", vector=log.vector("v", 1)))
    assert read(log).added == {2: ("b",)}


def test_a_column_that_went_and_came_again_with_another_type_ends_the_range(log):
    log.commit(log.metadata(BEFORE), log.add("a"))
    log.commit(log.metadata(struct(column("id"))), log.remove("a"), log.add("b"))
    log.commit(log.metadata(struct(column("id"), column("v", "string"))))
    with pytest.raises(SchemaError, match="column 'v' has another type"):
        read(log)


def test_fields_of_structs_are_columns_too(log):
    def table(*fields: dict[str, Any]) -> dict[str, Any]:
        return struct(column("s", {"type": "array", "elementType": struct(*fields)}))

    log.commit(log.metadata(table(column("x"))), log.add("a"))
    log.commit(log.metadata(table(column("x"), column("y"))), log.remove("a"), log.add("b"))
    assert read(log).reader is Reader.FILE_DIFFERENCE
    log.commit(log.metadata(table(column("x"), column("z"))), log.remove("b"), log.add("c"))
    with pytest.raises(SchemaError, match=r"column 's\.y' was replaced"):
        read(log, 1)


def test_files_of_another_partitioning_cannot_be_read(log):
    log.commit(log.metadata(BEFORE), log.add("a"))
    log.commit(log.metadata(BEFORE, partitioned_by=["v"]), log.remove("a"), log.add("v=1/b"))
    with pytest.raises(SchemaError, match="partitioned differently"):
        read(log)


def test_the_log_alone_is_read(log):
    """The files of the table are not there at all, and nothing asks for them."""
    log.create(log.add("a"))
    log.commit(log.add("b"))
    assert sorted(path.name for path in log.folder.iterdir()) == ["_delta_log"]
    assert json.dumps(read(log).added) == '{"1": ["b"]}'


def test_files_that_took_the_place_of_others_may_hold_the_same_rows():
    assert rewrites([_whole("new", CAME), _whole("old", WENT)])
    assert not rewrites([_whole("new", CAME, appended=True), _whole("old", WENT)])
    assert not rewrites([_whole("new", CAME)])
    assert not rewrites([_whole("old", WENT)])


def _whole(path: str, sign: int, *, appended: bool = False) -> WholeFile:
    return WholeFile(LoggedFile(FileId(path, None), {"path": path}), sign, 1, appended=appended)
