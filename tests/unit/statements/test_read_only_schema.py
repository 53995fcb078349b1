"""information_schema: its views are read and described; nothing in it is made, changed or used."""

from __future__ import annotations

import pytest

import headwater
from headwater.errors import UserError
from headwater.statements.information_schema import VIEW_COLUMNS
from headwater.statements.information_schema_refreshes import error_code


@pytest.mark.parametrize(
    "text",
    [
        "USE information_schema",
        "DROP SCHEMA information_schema",
        "DESC SCHEMA information_schema",
        "CREATE TABLE information_schema.x (a INT)",
        "CREATE TABLE Information_Schema.x (a INT)",
        "DROP TABLE information_schema.tables",
        "ALTER TABLE t RENAME TO information_schema.x",
        "INSERT INTO information_schema.tables VALUES (1)",
        "TRUNCATE TABLE information_schema.job_history",
    ],
)
def test_it_is_refused_with_the_way_to_read_it(lake: headwater.Connection, text: str) -> None:
    before = lake.sql("SHOW TABLES").rows, lake.sql("SHOW SCHEMAS").rows, lake.schema
    with pytest.raises(UserError) as caught:
        lake.sql(text)
    assert caught.value.condition == "SCHEMA_READ_ONLY"
    assert "SHOW TABLES IN information_schema" in (caught.value.hint or "")
    assert (lake.sql("SHOW TABLES").rows, lake.sql("SHOW SCHEMAS").rows, lake.schema) == before


@pytest.mark.parametrize(
    ("name", "hint"), [("tabels", "did you mean tables?"), ("zzz", "known are audit, columns, ")]
)
def test_a_view_that_is_not_there_is_told_from_the_others(
    lake: headwater.Connection, name: str, hint: str
) -> None:
    with pytest.raises(UserError) as caught:
        lake.sql(f"DESC information_schema.{name}")
    assert caught.value.condition == "TABLE_NOT_FOUND"
    assert (caught.value.hint or "").startswith(hint)


# As the reference of the language spells them.
_DOCUMENTED = {
    "tables": "table_catalog table_schema table_name table_creator table_type row_count bytes"
    " create_time last_modify_time is_partitioned is_clustered comment properties data_lifecycle",
    "job_history": "workspace_name workspace_id job_id job_name job_creator status cru"
    " error_message job_type job_sub_type job_text start_time end_time execution_time input_objects"
    " output_objects input_tables output_tables input_bytes output_bytes cache_hit rows_produced"
    " rows_inserted rows_updated rows_deleted virtual_cluster job_config job_priority query_tag"
    " client_info pt_date",
    "materialized_view_refresh_history": "workspace_name schema_name materialized_view_name cru"
    " virtual_cluster_name status scheduled_start_time start_time end_time error_code error_message"
    " pt_date",
    "volumes": "volume_catalog volume_schema volume_name volume_url volume_region volume_type"
    " volume_creator connection_name comment properties create_time last_modify_time",
    "connections": "workspace_name connection_name connection_kind type provider region"
    " source_creator create_time last_modify_time comment properties",
}


@pytest.mark.parametrize("name", _DOCUMENTED)
def test_views_have_the_documented_columns(lake: headwater.Connection, name: str) -> None:
    described = lake.sql(f"DESC information_schema.{name}").rows
    assert [row[0] for row in described] == _DOCUMENTED[name].split()


def test_every_view_is_listed_and_described(lake: headwater.Connection) -> None:
    listed = [row[1] for row in lake.sql("SHOW TABLES IN information_schema").rows]
    assert listed == sorted(VIEW_COLUMNS)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("TABLE_NOT_FOUND: there is no table", "TABLE_NOT_FOUND"),
        ("DIVIDE_BY_ZERO: Division by zero.\nline 1: ..", "DIVIDE_BY_ZERO"),
        ("UNRESOLVED_COLUMN.WITH_SUGGESTION: A column ..", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("the process ended", None),
        (None, None),
    ],
)
def test_the_code_of_an_error_is_its_condition(message: str | None, code: str | None) -> None:
    assert error_code(message) == code
