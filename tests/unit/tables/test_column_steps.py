"""From one list of columns to another: the steps, carried out on a list, end in what was wanted."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from headwater.catalog.dynamic_tables import OwnColumn
from headwater.catalog.objects import TableColumn, TableShape
from headwater.tables.column_steps import added_columns, column_steps, why_not

names = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)


def shape_of(*columns: str, kind: str = "int", **changes: object) -> TableShape:
    made = tuple(TableColumn(name, kind) for name in columns)
    return TableShape(columns=made, **changes)  # type: ignore[arg-type]


def own(*columns: str, kind: str = "int") -> tuple[OwnColumn, ...]:
    return tuple(OwnColumn(name, kind, kind.upper()) for name in columns)


def carried_out(columns: list[str], steps: list[str]) -> list[str]:
    """What Delta would make of it."""
    for step in steps:
        text = step.removeprefix("ALTER TABLE {table} ")
        if found := re.fullmatch(r"DROP COLUMNS \((.*)\)", text):
            gone = found[1].replace("`", "").split(", ")
            columns = [name for name in columns if name not in gone]
        elif found := re.fullmatch(
            r"(?:ADD COLUMNS \(|ALTER COLUMN )`(\w+)`(?: INT)? (FIRST|AFTER `(\w+)`)\)?", text
        ):
            columns = [name for name in columns if name != found[1]]
            place = 0 if found[2] == "FIRST" else columns.index(found[3]) + 1
            columns.insert(place, found[1])
        else:
            assert "TBLPROPERTIES" in text, text
    return columns


@given(names, names)
def test_the_steps_end_in_the_columns_that_were_wanted(there: list[str], wanted: list[str]) -> None:
    bring, take = column_steps(shape_of(*there), own(*wanted))
    assert carried_out(there, bring + take) == wanted


@given(names)
def test_what_is_there_already_needs_no_step(there: list[str]) -> None:
    assert column_steps(shape_of(*there), own(*(n.upper() for n in there))) == ([], [])


def test_to_take_a_column_away_needs_names_that_differ_from_those_in_files_once() -> None:
    mapping = "ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    assert column_steps(shape_of("a", "b"), own("a")) == (
        [mapping],
        ["ALTER TABLE {table} DROP COLUMNS (`b`)"],
    )
    mapped = shape_of("a", "b", properties={"delta.columnMapping.mode": "name"})
    assert column_steps(mapped, own("a"))[0] == []
    assert column_steps(shape_of("a"), own("a", "b c"))[0][0] == mapping


def test_a_wider_type_is_a_step_and_no_other_type_is() -> None:
    steps, _ = column_steps(shape_of("a"), own("a", kind="bigint"))
    assert steps == [
        "ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "ALTER TABLE {table} ALTER COLUMN `a` TYPE BIGINT",
    ]
    assert why_not(shape_of("a"), own("a", kind="bigint")) is None
    assert (
        why_not(shape_of("a"), own("a", kind="string")) == "column 'a' is int and would be string"
    )


def test_rows_of_which_nothing_stays_are_not_kept() -> None:
    assert why_not(shape_of("a"), own("b")) == "no column would stay"
    parted = shape_of("a", "b", partition_columns=("b",))
    assert why_not(parted, own("a")) == "it is partitioned by 'b', which would go"
    assert added_columns(shape_of("a"), own("A", "b")) == ("b",)
