"""TABLE_CHANGES as a relation: its arguments, their places, and what is refused."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.own_relations import take_own_relation
from headwater.sql.relations import find_relations
from headwater.sql.table_changes import TableChanges
from headwater.sql.tokens import tokenize


def taken(text: str) -> TableChanges:
    found = take_own_relation(text, tokenize(text), 0)
    assert found is not None
    assert isinstance(found[0], TableChanges)
    return found[0]


@pytest.mark.parametrize(
    "text",
    [
        "TABLE_CHANGES('w.s.t', '2026-11-15', current_timestamp())",
        "table_changes('S.T', timestamp '2026-01-01' - INTERVAL 1 DAY, f(1, (2, 3)))",
        "TABLE(TABLE_CHANGES('t', 'a', 'b', map('TABLE_STREAM_MODE', 'ORIGINAL')))",
        "TABLE_CHANGES('t', 'a', 'b', map('table_stream_mode', 'standard'))",
        "TABLE_CHANGES('t', 'a', 'b', map())",
    ],
)
def test_it_survives_being_written_back(text: str) -> None:
    first = taken(text)
    assert taken(first.to_sql()) == first
    assert first.every == ("ORIGINAL" in text)


def test_the_arguments_say_where_they_stand() -> None:
    text = "TABLE_CHANGES('s.t', now() - INTERVAL '1' DAY, cast('x' AS TIMESTAMP))"
    found = taken(text)
    assert found.table == ObjectName("t", "s")
    assert (found.start, found.end) == ("now() - INTERVAL '1' DAY", "cast('x' AS TIMESTAMP)")
    spans = (found.table_span, found.start_span, found.end_span)
    pieces = [text[span.start : span.end] for span in spans if span is not None]
    assert pieces == ["'s.t'", found.start, found.end]


def test_it_is_found_in_a_join_and_its_alias_is_its_own() -> None:
    text = "SELECT * FROM TABLE_CHANGES('t', 'a', 'b') c JOIN u ON c.id = u.id"
    found = find_relations(text, tokenize(text))
    assert [(own.relation.alias, own.aliased) for own in found.own] == [("table_changes", True)]
    assert [str(named.name) for named in found.named] == ["u"]


@pytest.mark.parametrize(
    ("arguments", "condition", "place", "hint"),
    [
        ("'t', 'a'", "FUNCTION_ARGUMENT", "TABLE_CHANGES", "'<start>', '<end>'"),
        ("", "FUNCTION_ARGUMENT", "TABLE_CHANGES", "'<start>', '<end>'"),
        ("'t', , 'b'", "FUNCTION_ARGUMENT", "TABLE_CHANGES", "'<start>', '<end>'"),
        ("s.t, 'a', 'b'", "FUNCTION_ARGUMENT", "s.t", "'<schema>.<table>'"),
        ("'a.b.c.d', 'a', 'b'", "SYNTAX_ERROR", "'a.b.c.d'", ""),
        ("'t', 'a', 'b', 'ORIGINAL'", "FUNCTION_ARGUMENT", "'ORIGINAL'", "map("),
        ("'t', 'a', 'b', map('x')", "FUNCTION_ARGUMENT", "map('x')", "map("),
        ("'t', 'a', 'b', map('STREAM_MODE', 'x')", "OPTION_UNKNOWN", "'STREAM_MODE'", "TABLE_ST"),
        ("'t', 'a', 'b', map('TABLE_STREAM_MODE', 'x')", "FUNCTION_ARGUMENT", "'x'", "ORIGINAL"),
    ],
)
def test_what_it_cannot_take_is_pointed_at(
    arguments: str, condition: str, place: str, hint: str
) -> None:
    text = f"TABLE_CHANGES({arguments})"
    with pytest.raises(UserError) as caught:
        taken(text)
    error = caught.value
    assert error.span is not None
    assert (error.condition, text[error.span.start : error.span.end]) == (condition, place)
    assert hint in (error.hint or "")


def test_a_table_may_be_called_table_changes() -> None:
    text = "SELECT * FROM table_changes WHERE a = 1"
    assert find_relations(text, tokenize(text)).own == ()
