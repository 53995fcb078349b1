"""String literals, decoded: each expectation was read off Spark 4.2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.names import quote_literal
from headwater.sql.string_literals import decode_string


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ("''", ""),
        ("'a''b'", "a'b"),
        ("''''", "'"),
        ('"a""b"', 'a"b'),
        ("\"a''b\"", "a''b"),
        (r"'\%\_'", r"\%\_"),
        (r"'\u0041\101'", "AA"),
        (r"'\0x\Z\q\r\n\t\b'", "\0x\x1aq\r\n\t\b"),
        (r"'\u00\400\1'", "u004001"),
        (r"'\U0001F600'", "😀"),
        (r"'\\n'", r"\n"),
        (r"r'a\nb'", r"a\nb"),
        ("R'x\\'", "x\\"),
        (r"'\u0024{x}'", "${x}"),
    ],
)
def test_literals_mean_what_spark_reads(literal: str, text: str) -> None:
    assert decode_string(literal) == text


@given(st.text())
def test_quoting_and_decoding_are_inverse(text: str) -> None:
    assert decode_string(quote_literal(text)) == text
