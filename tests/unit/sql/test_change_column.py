"""CHANGE COLUMN in Hive's words: the name may be repeated, and is not changed that way."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.alter_table import ChangeColumn
from headwater.sql.parse import parse


@pytest.mark.parametrize("text", ["c c BIGINT", "c BIGINT", "c TYPE BIGINT"])
def test_the_name_may_be_repeated(text: str) -> None:
    parsed = parse(f"ALTER TABLE t CHANGE COLUMN {text}")
    assert parsed.action == ChangeColumn(("c",), type="BIGINT")  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["c d BIGINT", "c d BIGINT COMMENT 'x'", "c d DECIMAL(3, 1)"])
def test_another_name_is_what_rename_column_is_for(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(f"ALTER TABLE t CHANGE COLUMN {text}")
    assert caught.value.condition == "SYNTAX_ERROR"
    assert caught.value.hint == "RENAME COLUMN c TO d"


@pytest.mark.parametrize("text", ["c BIGNIT", "c BIGNIT COMMENT 'x'"])
def test_a_type_that_does_not_exist_is_told_so(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(f"ALTER TABLE t CHANGE COLUMN {text}")
    assert caught.value.condition == "TYPE_NOT_SUPPORTED"
