"""Headers are read when a text may use them."""

from __future__ import annotations

import pytest

from headwater.sql.kafka_headers import may_use_headers
from headwater.sql.tokens import tokenize

KAFKA = "READ_KAFKA('b', 't', '', '', '', '', '', '', 'raw', 'raw', 0, map())"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"SELECT * FROM {KAFKA}", True),
        (f"SELECT headers FROM {KAFKA}", True),
        (f"SELECT `Headers`['a'] FROM {KAFKA}", True),
        (f"SELECT k.* FROM {KAFKA} AS k", True),
        (f"SELECT k.* FROM {KAFKA} k", True),
        (f"SELECT k.* FROM TABLE({KAFKA}) k", True),
        (f"SELECT read_kafka.* FROM {KAFKA}", True),
        (f"SELECT m.* FROM (SELECT * FROM {KAFKA}) m", True),
        (f"SELECT value FROM {KAFKA}", False),
        (f"SELECT count(*) FROM {KAFKA}", False),
        (f"SELECT m.* FROM (SELECT value FROM {KAFKA}) m", False),
        (f"SELECT m.* FROM (SELECT value FROM {KAFKA} k) m", False),
        (f"SELECT m.* FROM (SELECT value AS v FROM {KAFKA} WHERE offset > 1) m", False),
        (f"SELECT 'headers' FROM {KAFKA}", False),
    ],
)
def test_a_text_that_uses_headers_is_told_so(text: str, expected: bool) -> None:
    end = text.index(KAFKA) + len(KAFKA) + ("TABLE" in text)
    assert may_use_headers(tokenize(text), end) is expected
