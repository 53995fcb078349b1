"""Which partition a statement means, as Delta's log spells it, and which files lie in it."""

from __future__ import annotations

import pytest
from tests.unit.catalog import samples

from headwater.catalog.objects import Table, TableColumn, TableKind, TableShape
from headwater.catalog.partitions import Partition, inside
from headwater.errors import HeadwaterError
from headwater.refresh.partitions import condition_of, holds_file, partition_of
from headwater.sql.cursor import Cursor
from headwater.sql.partition_spec import parse_partition_spec

TYPES = {
    "ds": "date",
    "p": "string",
    "n": "int",
    "b": "boolean",
    "d": "decimal(5,2)",
    "at": "timestamp",
    "v": "bigint",
}


def a_table(*partitioned_by: str) -> Table:
    columns = tuple(TableColumn(name, type) for name, type in TYPES.items())
    return samples.a_table(
        "d", kind=TableKind.DYNAMIC, shape=TableShape(1, columns, partitioned_by)
    )


def named(table: Table, text: str, *, parameterised: bool = True) -> Partition | None:
    spec = parse_partition_spec(Cursor(f"PARTITION ({text})")) if text else None
    return partition_of(table, spec, parameterised=parameterised)


def refused(table: Table, text: str, *, parameterised: bool = True) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        named(table, text, parameterised=parameterised)
    return caught.value


@pytest.mark.parametrize(
    ("column", "typed", "written"),
    [
        ("p", "'a b'", "a b"),
        ("p", "5", "5"),
        ("p", "NULL", None),
        ("n", "'007'", "7"),
        ("n", "-3", "-3"),
        ("ds", "'2026-01-31'", "2026-01-31"),
        ("ds", "DATE '2026-01-31'", "2026-01-31"),
        ("b", "TRUE", "true"),
        ("d", "'1.5'", "1.50"),
    ],
)
def test_values_are_spelled_as_in_the_log(column: str, typed: str, written: str | None) -> None:
    assert named(a_table(column), f"{column} = {typed}") == Partition(((column, written),))


@pytest.mark.parametrize(
    ("column", "typed", "condition"),
    [
        ("n", "'x'", "PARTITION_VALUE"),
        ("n", "'3000000000'", "PARTITION_VALUE"),
        ("ds", "'31.1.2026'", "PARTITION_VALUE"),
        ("b", "'maybe'", "PARTITION_VALUE"),
        ("d", "'1.555'", "PARTITION_VALUE"),
        ("d", "'1000'", "PARTITION_VALUE"),
        ("p", "''", "PARTITION_VALUE"),
        ("at", "'2026-01-31 00:00:00'", "PARTITION_TYPE"),
    ],
)
def test_values_that_no_file_can_have_are_refused(column: str, typed: str, condition: str) -> None:
    error = refused(a_table(column), f"{column} = {typed}")
    assert error.condition == condition
    assert error.span is not None


def test_trailing_levels_may_be_left_out_and_nothing_else() -> None:
    table = a_table("ds", "p", "n")
    assert named(table, "DS = '2026-01-31', p = 'a'") == Partition(
        (("ds", "2026-01-31"), ("p", "a"))
    )
    wrong = ("p = 'a'", "ds = '2026-01-31', n = 1", "p = 'a', ds = '2026-01-31'", "v = 1")
    assert {refused(table, text).condition for text in wrong} == {"PARTITION_COLUMNS"}
    hint = refused(table, "p = 'a'").hint
    assert hint is not None
    assert "PARTITION (ds = '<value>', p = '<value>', n = '<value>')" in hint


def test_only_a_table_with_partitions_and_parameters_is_refreshed_by_partition() -> None:
    assert refused(a_table("ds"), "").condition == "PARTITION_NEEDED"
    assert named(a_table("ds"), "", parameterised=False) is None
    assert named(a_table(), "") is None
    no_partitions = refused(a_table(), "ds = '2026-01-31'")
    no_parameters = refused(a_table("ds"), "ds = '2026-01-31'", parameterised=False)
    assert {no_partitions.condition, no_parameters.condition} == {"PARTITION_OF_WHOLE_TABLE"}
    assert "has no partitions" in str(no_partitions.message)
    assert "reads no parameters" in str(no_parameters.message)


def test_partitions_hold_and_meet_each_other() -> None:
    wide, narrow = Partition((("a", "1"),)), Partition((("a", "1"), ("b", None)))
    other = Partition((("a", "2"),))
    assert wide.holds(narrow)
    assert not narrow.holds(wide)
    assert narrow.meets(wide)
    assert not other.meets(narrow)
    assert inside(wide, [wide, narrow, other]) == (narrow,)
    assert Partition.from_key(narrow.key) == narrow
    assert str(narrow) == "a = '1', b = NULL"


def test_files_are_told_by_the_names_and_values_of_the_log() -> None:
    partition = Partition((("ds", "2026-01-31"), ("p", None)))
    physical = {"ds": "col-1", "p": "col-2"}
    assert holds_file(partition, physical, {"col-1": "2026-01-31", "col-2": ""})
    assert not holds_file(partition, physical, {"col-1": "2026-01-31", "col-2": "x"})
    assert not holds_file(partition, physical, {"col-1": "2026-02-01"})


def test_the_condition_for_rows_compares_in_the_type_of_the_column() -> None:
    partition = Partition((("ds", "2026-01-31"), ("p", None)))
    assert condition_of(partition, TYPES) == (
        "`ds` <=> CAST('2026-01-31' AS date) AND `p` <=> NULL"
    )
