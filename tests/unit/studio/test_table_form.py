"""The statement of the wizard for dynamic tables."""

from __future__ import annotations

from headwater.names import ObjectName
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.parse import parse
from headwater.studio.table_form import MODES, TableForm, create_table_text

QUERY = "SELECT 1 AS a FROM b;\n"


def made(**given: object) -> CreateDynamicTable:
    found = parse(create_table_text(TableForm(ObjectName.of("s", "T"), **given), QUERY))  # type: ignore[arg-type]
    assert isinstance(found, CreateDynamicTable)
    return found


def test_a_name_alone_is_a_table() -> None:
    text = create_table_text(TableForm(ObjectName.of("s", "T")), QUERY)
    assert text == "CREATE DYNAMIC TABLE s.t AS\nSELECT 1 AS a FROM b"
    assert parse(text).mode is None


def test_every_field_becomes_its_clause() -> None:
    table = made(
        mode="INCREMENTAL STRICT",
        partitioned_by="day, `Other x`",
        clustered_by="a,b,",
        sorted_by="b",
        buckets=4,
        lifecycle_days=30,
        comment="it's",
    )
    assert table.partitioned_by == ("day", "other x")
    assert (table.clustered_by, table.sorted_by, table.buckets) == (("a", "b"), ("b",), 4)
    assert table.properties == (("data_lifecycle", "30"),)
    assert (table.mode, table.comment) == ("INCREMENTAL STRICT", "it's")


def test_every_mode_can_be_chosen() -> None:
    assert [made(mode=mode).mode for mode in MODES] == [None, *MODES[1:]]


def test_what_is_typed_is_no_further_clause() -> None:
    hostile = "a) COMMENT 'x"
    table = made(partitioned_by=hostile, comment="' REFRESH_MODE = FULL", mode="FULL; DROP TABLE t")
    assert table.partitioned_by == (hostile.lower(),)
    assert (table.comment, table.mode) == ("' REFRESH_MODE = FULL", None)
