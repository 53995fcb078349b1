"""The source rows of a MERGE that can do something."""

from __future__ import annotations

import pytest

from headwater.sql.edits import apply_edits
from headwater.sql.merge_source import merge_source_edits
from headwater.sql.tokens import tokenize

_TARGET = ("id", "name", "age")


def edited(text: str) -> str:
    return apply_edits(text, merge_source_edits(text, tokenize(text), _TARGET)).text


def kept(text: str) -> str | None:
    """The condition that source rows are held against; None when all are kept."""
    found = edited(text)
    if found == text:
        return None
    return found.partition(" WHERE ")[2].partition(") AS `")[0]


def test_the_merge_of_the_documents_keeps_rows_that_a_clause_names() -> None:
    text = (
        "MERGE INTO c target USING s source_stream ON target.id = source_stream.id "
        "WHEN MATCHED AND source_stream.__change_type = 'UPDATE_AFTER' "
        "THEN update set target.age = source_stream.age "
        "WHEN MATCHED AND source_stream.__change_type = 'DELETE' THEN DELETE "
        "WHEN NOT MATCHED AND source_stream.__change_type = 'INSERT' "
        "THEN INSERT VALUES (source_stream.id, source_stream.name, source_stream.age)"
    )
    assert edited(text) == text.replace(
        "USING s source_stream ON",
        "USING (SELECT * FROM s source_stream WHERE "
        "((source_stream.__change_type = 'UPDATE_AFTER')) OR "
        "((source_stream.__change_type = 'DELETE')) OR "
        "((source_stream.__change_type = 'INSERT'))) AS `source_stream` ON",
    )


@pytest.mark.parametrize(
    ("clauses", "condition"),
    [
        # a name that the target does not have is the source's
        ("WHEN MATCHED AND __change_type = 'DELETE' THEN DELETE", "((__change_type = 'DELETE'))"),
        # what is asked of the target row as well is left to Delta
        (
            "WHEN MATCHED AND s.kind = 'A' AND s.age > t.age THEN DELETE",
            "((s.kind = 'A'))",
        ),
        ("WHEN MATCHED AND s.x BETWEEN 1 AND 2 THEN DELETE", "((s.x BETWEEN 1 AND 2))"),
        (
            "WHEN MATCHED AND (s.x = 1 OR s.y = 2) THEN DELETE",
            "(((s.x = 1 OR s.y = 2)))",
        ),
        (
            "WHEN MATCHED AND CASE WHEN s.x = 1 THEN true ELSE false END THEN DELETE",
            "((CASE WHEN s.x = 1 THEN TRUE ELSE FALSE END))",
        ),
        # a clause for rows of the target alone says nothing about source rows
        (
            "WHEN MATCHED AND s.x = 1 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE",
            "((s.x = 1))",
        ),
    ],
)
def test_conditions_on_the_source_are_kept(clauses: str, condition: str) -> None:
    assert kept(f"MERGE INTO t USING s ON t.id = s.id {clauses}") == condition


@pytest.mark.parametrize(
    "text",
    [
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND t.age > 3 THEN DELETE",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND age > 3 THEN DELETE",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.x = 1 THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT *",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.x = t.name OR s.y THEN DELETE",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.x IN (SELECT 1) THEN DELETE",
        "MERGE INTO t USING (SELECT 1 AS id) ON t.id = id WHEN MATCHED AND x = 1 THEN DELETE",
        "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.age = 1 THEN DELETE",
        "MERGE INTO t",
        "MERGE INTO t USING",
    ],
)
def test_all_rows_are_kept_where_a_clause_may_use_any(text: str) -> None:
    assert edited(text) == text


def test_the_source_may_be_a_query_with_a_name() -> None:
    text = (
        "MERGE INTO t USING (SELECT * FROM s WHERE x ON y) AS q ON t.id = q.id "
        "WHEN MATCHED AND q.k = 1 THEN DELETE"
    )
    assert kept(text) == "x ON y) AS q WHERE ((q.k = 1))"
