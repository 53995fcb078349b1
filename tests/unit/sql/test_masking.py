"""No credential survives masking, wherever it stands; everything else does."""

from __future__ import annotations

import itertools
import re
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import Span, conditions
from headwater.names import quote_literal
from headwater.sql.masking import mask, mask_words, masked_with_span, secret_spans, secret_values

KEYS = [
    "ACCESS_ID",
    "ACCESS_KEY",
    "ACCESS_KEY_ID",
    "ACCESS_KEY_SECRET",
    "SECRET_KEY",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "TOKEN",
    "CLIENT_SECRET",
    "OAUTH_CLIENT_SECRET",
    "SESSION_TOKEN",
    "PRIVATE_KEY",
    "CREDENTIAL",
    "CREDENTIALS",
]
SETTINGS = [
    "kafka.sasl.password",
    "kafka.sasl.jaas.config",
    "fs.s3a.secret.key",
    "spark.hadoop.fs.s3a.access.key",
    "fs.s3a.bucket.2024.secret.key",
    "fs.azure.account.key.lake.dfs.core.windows.net",
    "fs.azure.account.oauth2.client.secret.lake.dfs.core.windows.net",
    "account.key",
    "clientSecret",
    "x-auth-token",
]


@st.composite
def mixed_case(draw: st.DrawFn, words: list[str]) -> str:
    word = draw(st.sampled_from(words))
    upper = draw(st.lists(st.booleans(), min_size=len(word), max_size=len(word)))
    return "".join(c.upper() if up else c.lower() for c, up in zip(word, upper, strict=True))


key = mixed_case(KEYS)
setting = mixed_case(KEYS + SETTINGS)
core = st.text("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789", min_size=8, max_size=12).map(
    lambda t: f"zq{t}"
)
gap = st.lists(
    st.sampled_from([" ", "\n", "\t", "/* note */", "-- note\n", "/* it's */", "/* a = 'b' */"]),
    max_size=3,
).map("".join)
space = gap.map(lambda text: f" {text}")


@st.composite
def secret(draw: st.DrawFn, between: str) -> str:
    """Pieces to look for, with characters between them that mean something to a parser."""
    pieces = draw(st.lists(core, min_size=1, max_size=3))
    text = pieces[0]
    for piece in pieces[1:]:
        text += draw(st.text(between, min_size=1, max_size=3)) + piece
    return text


anything = secret("'\"\\ \n;,=()@:/?&%-*`#é")
url_safe = secret("+=/%-._~!$")
one_word = secret("+/=%_.-")


@st.composite
def quoted(draw: st.DrawFn) -> tuple[str, str]:
    value = draw(anything)
    form = draw(st.sampled_from(["single", "double", "doubled"]))
    if form == "single":
        return value, quote_literal(value)
    escaped = value.replace("\\", "\\\\")
    if form == "double":
        return value, '"' + escaped.replace('"', '\\"') + '"'
    return value, "'" + escaped.replace("'", "''") + "'"


@st.composite
def statements(draw: st.DrawFn) -> tuple[str, str]:
    """A secret, and a statement that gives it to a credential key."""
    before, after = draw(space), draw(space)
    value, text = draw(quoted())
    word, name = draw(key), draw(setting)
    bare = draw(one_word)
    link = draw(url_safe)
    return draw(
        st.sampled_from(
            [
                (
                    value,
                    f"CREATE STORAGE CONNECTION c TYPE S3 {word}{before}={after}{text} A = 'b'",
                ),
                (value, f"CREATE CONNECTION c {word}{before}{text}{after}ENDPOINT = 'x'"),
                (value, f"CREATE TABLE t USING jdbc OPTIONS ('{name}'{before}={after}{text})"),
                (value, f"CREATE TABLE t USING jdbc OPTIONS ({name}{before}{text}, user 'u')"),
                (value, f"SELECT * FROM f('h', map('a', 'b', '{name}'{before},{after}{text}), 1)"),
                (value, f"CALL f({word}{before}=>{after}{text})"),
                (value, f"ALTER CONNECTION c SET `{word}`{before}={after}{text}"),
                (value, f"CREATE USER u{before}IDENTIFIED{before}BY{after}{text}"),
                (value, f"SELECT * FROM t WHERE lower({word}) = {text} OR {word} IN ('a', {text})"),
                (value, f"CREATE CONNECTION c {word} = concat('a',{before}{text}) B = 'c'"),
                (value, f"CREATE SECRET s{before}AS{after}{text}"),
                (value, f"SET{before}{name}{before}={after}{text}"),
                (bare, f"SET{before}{name}{before}={after}{bare}"),
                (bare, f"SET{before}{name}{before}={after}{bare} {bare};{before}SELECT 1"),
                (bare, f"CREATE CONNECTION c {word}{before}={after}{bare} ENDPOINT = 'x'"),
                (bare, f"CREATE CONNECTION c {word} {bare} ENDPOINT = 'x'"),
                (link, f"SELECT * FROM f('jdbc:mysql://user:{link}@host:3306/db?x=y')"),
                (link, f"CREATE TABLE t LOCATION{before}'s3a://key:{link}@bucket/path'"),
                (link, f"SELECT * FROM delta.`s3a://key:{link}@bucket/path`"),
                (link, f"SET x.url = jdbc:mysql://user:{link}@host/db"),
                (link, f"SELECT f('jdbc:sqlserver://h;{word}={link};database=d')"),
                (link, f"SELECT f('jdbc:mysql://h/d?a=b&{word}={link}&user=u')"),
                (link, f'SELECT f(\'M required username="u" {word}="{link}";\')'),
                (link, f'SELECT f(\'{{"{word}": "{link}", "user": "u"}}\')'),
                (link, f"SELECT f('CREATE CONNECTION c {word} = \\'{link}\\' A = \\'b\\'')"),
                (link, f"SELECT f('map(''{word}'', ''{link}'')')"),
                (link, f"-- {word} = '{link}'\nSELECT 1"),
                (link, f"SELECT 1 /* {word}: {link} */ FROM t"),
                (link, f"SELECT 1 -- https://user:{link}@host\n FROM t"),
                (link, f"CREATE CONNECTION c {word} ={before}/* old '{link}' */ 'new'"),
                (value, f"CREATE CONNECTION c {word} = {text[:-1]}"),
                (value, f"CREATE CONNECTION c ENDPOINT = 'x {word}{before}={after}{text}"),
                (value, f"CREATE CONNECTION c ENDPOINT = 'x {word} = {text} {word} = {text}'"),
                (value, f"SELECT 'jdbc:x;{word}=' || {text}"),
                (bare, f"SET {name} = {bare}'"),
                (bare, f"SET {name} {bare}'"),
            ]
        )
    )


def _pieces(value: str) -> list[str]:
    return re.findall(r"zq[A-Z0-9]+", value)


@given(statements())
def test_no_piece_of_a_secret_survives(case: tuple[str, str]) -> None:
    value, statement = case
    masked = mask(statement)
    assert not [piece for piece in _pieces(value) if piece in masked], masked


@given(statements())
def test_masking_twice_changes_nothing_more(case: tuple[str, str]) -> None:
    masked = mask(case[1])
    assert mask(masked) == masked


@given(statements())
def test_the_spans_are_ordered_and_hold_the_secret(case: tuple[str, str]) -> None:
    value, statement = case
    spans = secret_spans(statement)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    covered = "".join(statement[span.start : span.end] for span in spans)
    assert all(piece in covered for piece in _pieces(value))


@st.composite
def kafka_statements(draw: st.DrawFn) -> tuple[str, str]:
    """A password of Kafka's, in the statements of pipes and Kafka tables, in every quoting."""
    before, after = draw(gap), draw(gap)
    value, text = draw(quoted() | raw_quoted())
    name = draw(mixed_case(["kafka.sasl.password", "kafka.sasl.jaas.config"]))
    mark = draw(st.sampled_from("'\""))
    key = draw(st.sampled_from(["", "r"])) + f"{mark}{name}{mark}"
    settings = f"map('kafka.sasl.username', 'u', {key}{before},{after}{text})"
    kafka = f"READ_KAFKA('h:1', 't', '', 'g', '', '', '', '', 'raw', 'raw', 0, {settings})"
    copy = f"COPY INTO t FROM (SELECT value FROM TABLE({kafka}))"
    table = "CREATE EXTERNAL TABLE t (key BINARY) USING KAFKA OPTIONS('topics' = 't', "
    return value, draw(
        st.sampled_from(
            [
                f"SELECT * FROM {kafka} k",
                f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' COMMENT 'it''s' AS {copy}",
                f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS MERGE INTO t USING {kafka} k ON true",
                f"{table}{key}{before}={after}{text}) CONNECTION c",
                f"{table}{key} {text}) CONNECTION c",
                f"{table}`{name}` = {text}) CONNECTION c",
                f"{table}{name} = {text}) CONNECTION c",
            ]
        )
    )


@st.composite
def raw_quoted(draw: st.DrawFn) -> tuple[str, str]:
    value = draw(secret(" \\;,=()@:/?&%-*`#é"))
    start, mark = draw(st.sampled_from("rR")), draw(st.sampled_from("'\""))
    return value, f"{start}{mark}{value}{mark}"


@given(kafka_statements())
def test_no_piece_of_a_password_of_kafka_survives(case: tuple[str, str]) -> None:
    value, statement = case
    masked = mask(statement)
    assert not [piece for piece in _pieces(value) if piece in masked], masked
    assert mask(masked) == masked


@given(st.text("abk='\";:@/,.()- \n*\\", max_size=40), setting)
def test_no_text_breaks_masking_and_masking_is_stable(text: str, name: str) -> None:
    for statement in (text, f"{text}{name}{text}"):
        assert mask(mask(statement)) == mask(statement)


words = st.sampled_from(
    ["SELECT", "amount", "FROM", "orders", "o.id", "=", "'2024-01-01'", "'it\\'s'", "(", ")", "42",
     "-- a note\n", "/* b */", "primary_key", "'s3a://bucket/path'", "'abfss://c@a.dfs.net/p'",
     "'http://host:80/x'", "'me@example.com'", "key", "map('a', 'b')", "access", "WHERE", "tokens"]
)  # fmt: skip


@given(st.lists(words, max_size=20))
def test_text_without_credentials_is_unchanged(parts: list[str]) -> None:
    text = " ".join(parts)
    assert mask(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (password STRING COMMENT 'hashed', token STRING NOT NULL)",
        "SELECT a.token FROM a JOIN b ON a.token = b.token WHERE a.secret IS NOT NULL",
        "CREATE VIEW v AS SELECT a.token FROM a JOIN b ON a.token = b.token",
        "INSERT INTO t (id, token) SELECT id, token FROM s",
        "SELECT * FROM t WHERE password = ? AND token = :token",
        "SET spark.hadoop.fs.s3a.aws.credentials.provider = org.example.Provider",
        "SET spark.sql.shuffle.partitions = 4; SET spark.hadoop.fs.s3a.secret.key",
        "SHOW CONNECTIONS WHERE name LIKE 'secret%'",
        "COMMENT ON COLUMN t.a IS 'the \"password\" of old'",
        "CREATE DYNAMIC TABLE d AS SELECT key, access FROM identified",
    ],
)
def test_statements_that_only_name_credentials_are_unchanged(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            "CREATE STORAGE CONNECTION c TYPE OSS access_id = 'AB' ACCESS_KEY='cd' REGION='r'",
            "CREATE STORAGE CONNECTION c TYPE OSS access_id = '****' ACCESS_KEY='****' REGION='r'",
        ),
        (
            "SET spark.hadoop.fs.s3a.secret.key = a b c;\nSELECT 1",
            "SET spark.hadoop.fs.s3a.secret.key = '****';\nSELECT 1",
        ),
        (
            "SELECT f('jdbc:sqlserver://h;user=u;password=p;database=d')",
            "SELECT f('jdbc:sqlserver://h;user=u;password=****;database=d')",
        ),
        ("SELECT f('x://u:p@w@h/path')", "SELECT f('x://u:****@h/path')"),
        ("TOKEN = 'a' || 'b' COMMENT 'c'", "TOKEN = '****' || '****' COMMENT 'c'"),
        ("PASSWORD = 'never closed", "PASSWORD = '****'"),
        ("SELECT f('Authorization', 'Basic abc')", "SELECT f('Authorization', '****')"),
        (
            "FROM READ_KAFKA('h:1', map('kafka.sasl.username', 'u', 'kafka.sasl.password', 'p'))",
            "FROM READ_KAFKA('h:1', map('kafka.sasl.username', 'u', 'kafka.sasl.password',"
            " '****'))",
        ),
        # In code anything may follow a credential: it is covered to the end of the text.
        (
            "CREATE FUNCTION f() .. AS $$\n  x = 1\n  api_key = 'a'\n  return 'b'\n$$; SELECT 'c'",
            "CREATE FUNCTION f() .. AS $$\n  x = 1\n  api_key = ****$$; SELECT 'c'",
        ),
        ("AS $$ get('https://u:p@h/') $$", "AS $$ get('https://u:****@h/') $$"),
    ],
)
def test_only_the_value_is_replaced(text: str, masked: str) -> None:
    assert mask(text) == masked


def test_known_secrets_are_blanked_however_they_are_written() -> None:
    known = "it's/a+secret"
    text = "failed for it's/a+secret, 'it\\'s/a+secret', it''s/a+secret and it%27s%2Fa%2Bsecret"
    assert mask_words(text, [known]) == "failed for ****, '****', **** and ****"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE CONNECTION c PASSWORD = 'it\\'s me'", "cannot use it's me here"),
        ("CREATE CONNECTION c PASSWORD = 'it''s me'", "cannot use it's me here"),
        ("SET a.secret.key = hunter2", "cannot use hunter2 here"),
        ("CREATE CONNECTION c PASSWORD = 'hunter2000 B = 'c'", "cannot use hunter2000 here"),
        ("SELECT concat('a;password=', 'hunter2')", "cannot use hunter2 here"),
    ],
)
def test_the_secrets_of_a_statement_are_found_again_in_a_message(
    statement: str, message: str
) -> None:
    assert mask_words(message, secret_values(statement)) == "cannot use **** here"


@given(statements())
def test_no_piece_of_a_secret_survives_in_a_message(case: tuple[str, str]) -> None:
    value, statement = case
    shown = mask_words(f"cannot use {value} here", secret_values(statement))
    if value in secret_values(statement):
        assert value not in shown
    assert "****" not in secret_values(mask(statement))


def test_known_secrets_include_the_longer_of_two_that_share_a_start() -> None:
    assert mask_words("abcdef abcd", ["abcd", "abcdef", ""]) == "**** ****"


def test_a_short_known_secret_is_blanked_only_where_it_stands_alone() -> None:
    assert mask_words("a cat has a=a", ["a"]) == "**** cat has ****=****"


@given(statements(), st.data())
def test_a_span_keeps_its_place_in_the_masked_text(
    case: tuple[str, str], data: st.DataObject
) -> None:
    statement = case[1]
    start = data.draw(st.integers(0, len(statement)))
    end = data.draw(st.integers(start, len(statement)))
    masked, moved = masked_with_span(statement, Span(start, end))
    assert masked == mask(statement)
    assert moved is not None
    assert 0 <= moved.start <= moved.end <= len(masked)
    if not any(s.start < end and start < s.end for s in secret_spans(statement)):
        assert masked[moved.start : moved.end] == statement[start:end]


def test_a_span_on_a_secret_covers_its_mask() -> None:
    text = "PASSWORD = 'hunter2' TYPE oops"
    masked, moved = masked_with_span(text, Span(14, 16))
    assert moved is not None
    assert masked[moved.start : moved.end] == "'****'"
    assert masked_with_span(text, None) == ("PASSWORD = '****' TYPE oops", None)


def test_an_ordinary_statement_costs_next_to_nothing() -> None:
    query = (
        "SELECT a.id, sum(b.amount) FROM orders a JOIN lines b ON a.id = b.order_id WHERE x > 1 "
    )
    query *= 12
    assert min(timeit.repeat(lambda: mask(query), number=20, repeat=5)) / 20 < 0.0003


def test_no_message_or_hint_of_ours_loses_a_word() -> None:
    """Errors are masked on their way out; what they tell to type must arrive."""
    own = [text for known in conditions().values() for text in (known.message, known.hint) if text]
    assert [text for text in own if mask(text) != text] == []
