"""Rows as Spark's `show` prints them; the expected texts are Spark's own."""

from __future__ import annotations

from headwater.spark_connect.pictures import picture

ROWS = [(1, "a much longer text than fits", 1.5), (22, None, None)]
NAMES = ["id", "name", "a_long_column_name_indeed"]


def test_long_texts_are_cut_and_stand_right():
    assert picture(NAMES, ROWS, truncate=20, more=2) == (
        "+---+--------------------+--------------------+\n"
        "| id|                name|a_long_column_nam...|\n"
        "+---+--------------------+--------------------+\n"
        "|  1|a much longer tex...|                 1.5|\n"
        "| 22|                NULL|                NULL|\n"
        "+---+--------------------+--------------------+\n"
        "only showing top 2 rows\n"
    )


def test_whole_texts_stand_left():
    assert picture(["x"], [("ab\ncd",)], truncate=0, more=1) == (
        "+------+\n|x     |\n+------+\n|ab\\ncd|\n+------+\nonly showing top 1 row\n"
    )


def test_records():
    assert picture(["id", "name"], [(1, "a")], vertical=True) == (
        "-RECORD 0---\n id   | 1   \n name | a   \n"
    )
    assert picture(["id"], [], vertical=True) == "(0 rows)\n"


def test_no_columns():
    assert picture([], []) == "++\n||\n++\n++\n"
