"""GET_PRESIGNED_URL is found in expressions, with the place of each argument."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.edits import Edit, apply_edits
from headwater.sql.presigned_urls import PresignedUrl, find_presigned_urls
from headwater.sql.relations import find_relations
from headwater.sql.tokens import tokenize


def calls(text: str) -> tuple[PresignedUrl, ...]:
    return find_presigned_urls(text, tokenize(text))


@pytest.mark.parametrize(
    ("call", "volume", "path", "seconds"),
    [
        ("GET_PRESIGNED_URL(VOLUME v, 'a')", "VOLUME v", "'a'", None),
        (
            "get_presigned_url( USER VOLUME , relative_path, 60 )",
            "USER VOLUME",
            "relative_path",
            "60",
        ),
        (
            "GET_PRESIGNED_URL(TABLE VOLUME s.t, concat('a', ',', x[f(1, 2)]), 60 * 2)",
            "TABLE VOLUME s.t",
            "concat('a', ',', x[f(1, 2)])",
            "60 * 2",
        ),
    ],
)
def test_a_call_is_read(call: str, volume: str, path: str, seconds: str | None) -> None:
    text = f"SELECT a, {call} AS u FROM DIRECTORY(VOLUME v)"
    (found,) = calls(text)
    assert text[found.span.start : found.span.end] == call
    assert found.volume.to_sql() == volume
    assert found.path.text == path
    assert text[found.path.span.start : found.path.span.end] == path
    assert (found.seconds.text if found.seconds else None) == seconds


def test_the_volume_can_be_swapped_for_a_literal() -> None:
    text = (
        "SELECT GET_PRESIGNED_URL(VOLUME v, p) FROM t WHERE GET_PRESIGNED_URL(USER VOLUME, q) <> ''"
    )
    edits = [Edit(c.volume.span, f"'{i}'") for i, c in enumerate(calls(text)) if c.volume.span]
    assert apply_edits(text, edits).text == (
        "SELECT GET_PRESIGNED_URL('0', p) FROM t WHERE GET_PRESIGNED_URL('1', q) <> ''"
    )


def test_no_argument_is_taken_for_a_table() -> None:
    text = "SELECT GET_PRESIGNED_URL(TABLE VOLUME t, p), GET_PRESIGNED_URL(VOLUME v, p) FROM u"
    found = find_relations(text, tokenize(text))
    assert [str(relation.name) for relation in found.named] == ["u"]
    assert found.own == ()


def test_a_column_may_have_its_name() -> None:
    assert calls("SELECT get_presigned_url, x.get_presigned_url(1) FROM t") == ()


@pytest.mark.parametrize(
    ("call", "place"),
    [
        ("GET_PRESIGNED_URL('v', 'a')", "'v'"),
        ("GET_PRESIGNED_URL(VOLUME v)", ")"),
        ("GET_PRESIGNED_URL(VOLUME v, 'a', 1, 2)", ")"),
        ("GET_PRESIGNED_URL(VOLUME v, , 1)", ","),
        ("GET_PRESIGNED_URL(VOLUME v 'a')", "'a'"),
    ],
)
def test_mistakes_have_a_place(call: str, place: str) -> None:
    text = f"SELECT {call} FROM t"
    with pytest.raises(UserError) as raised:
        calls(text)
    span = raised.value.span
    assert span is not None
    assert text[span.start : span.end] == place
