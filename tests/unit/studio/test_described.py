"""DESC EXTENDED taken apart."""

from __future__ import annotations

from headwater.studio.described import described

HEADING = ("# detailed table information", "", "")


def test_columns_and_details_come_apart() -> None:
    rows = [("id", "int", "x"), ("", "", ""), HEADING, ("type", "MANAGED TABLE", "")]
    known = described([*rows, ("format", "DELTA", "")])
    assert [column["column_name"] for column in known.columns] == ["id"]
    assert (known.type, known.stores_rows) == ("MANAGED TABLE", True)


def test_a_column_may_be_called_like_the_heading() -> None:
    rows = [("id", "int", ""), HEADING, ("", "", ""), HEADING, ("type", "VIEW", "")]
    known = described(rows)
    assert [column["column_name"] for column in known.columns] == ["id", HEADING[0]]
    assert known.stores_rows is False


def test_without_extended_there_are_only_columns() -> None:
    known = described([("id", "int", "")])
    assert (len(known.columns), known.details, known.type) == (1, {}, "")
