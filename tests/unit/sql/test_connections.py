"""Connections: every spelling of a key means the same, and no secret comes out again."""

from __future__ import annotations

import itertools

import pytest

from headwater.errors import NotSupported, UserError, caret_lines
from headwater.names import ObjectName
from headwater.sql.connection_keys import ConnectionType, key_spelling
from headwater.sql.connections import (
    CreateStorageConnection,
    DescConnection,
    DropConnection,
    ShowConnections,
)
from headwater.sql.describe import DescTable
from headwater.sql.masking import mask
from headwater.sql.parse import parse

SECRETS = (("access_id", "LTAIexample"), ("secret_key", "zq9Hidden"))
OSS = "CREATE STORAGE CONNECTION c TYPE OSS ENDPOINT = 'oss-cn-x.aliyuncs.com'"
COS = "CREATE STORAGE CONNECTION c TYPE COS REGION = 'ap-x' APP_ID = '125'"
S3 = "CREATE STORAGE CONNECTION c TYPE S3 REGION = 'us-east-1' ENDPOINT = 'http://127.0.0.1:8333'"
PAIRS = [
    (OSS, "ACCESS_ID", "ACCESS_KEY"),
    (OSS, "access_id", "access_key"),
    (OSS, "ACCESS_KEY_ID", "ACCESS_KEY_SECRET"),
    (OSS, "ACCESS_KEY", "SECRET_KEY"),
    (OSS, "ACCESS_ID", "SECRET_KEY"),
    (COS, "ACCESS_KEY", "SECRET_KEY"),
    (COS, "Secret_Id", "Secret_Key"),
    (COS, "ACCESS_ID", "ACCESS_KEY"),
    (S3, "ACCESS_KEY", "SECRET_KEY"),
    (S3, "ACCESS_KEY_ID", "SECRET_ACCESS_KEY"),
    (S3, "ACCESS_ID", "ACCESS_KEY"),
    (S3, "ACCESS_KEY", "ACCESS_KEY_SECRET"),
]


def create(text: str) -> CreateStorageConnection:
    statement = parse(text)
    assert isinstance(statement, CreateStorageConnection)
    return statement


def refused(text: str) -> UserError:
    with pytest.raises(UserError) as raised:
        parse(text)
    raised.value.statement = text
    return raised.value


def pointed(text: str) -> str:
    error = refused(text)
    assert error.span is not None
    return text[error.span.start : error.span.end]


@pytest.mark.parametrize(("head", "id_key", "secret_key"), PAIRS)
def test_every_spelling_means_the_same(head: str, id_key: str, secret_key: str) -> None:
    pairs = [f"{id_key} = 'LTAIexample'", f"{secret_key}='zq9Hidden'"]
    for order in itertools.permutations(pairs):
        assert create(" ".join([head, *order])).secrets == SECRETS


@pytest.mark.parametrize(("head", "id_key", "secret_key"), PAIRS)
@pytest.mark.parametrize("assign", [" = ", "=", " "])
def test_no_spelling_lets_a_secret_out(
    head: str, id_key: str, secret_key: str, assign: str
) -> None:
    text = f"{head} {id_key}{assign}'LTAIexample' {secret_key}{assign}'zq9Hidden' COMMENT 'mine'"
    statement = create(text)
    for shown in (mask(text), statement.to_sql(), repr(statement)):
        assert "LTAIexample" not in shown
        assert "zq9Hidden" not in shown
    assert "'****'" in statement.to_sql()
    assert "mine" in mask(text)


@pytest.mark.parametrize("key", ["ACESS_KEY", "SECRT", "PASSPHRAZE", "`my key`"])
@pytest.mark.parametrize("assign", [" = ", " "])
def test_the_value_of_a_misspelt_key_is_masked_too(key: str, assign: str) -> None:
    text = f"{OSS} {key}{assign}'zq9Hidden' REGION = 'cn-x'"
    assert mask(text) == f"{OSS} {key}{assign}'****' REGION = 'cn-x'"


def test_what_is_no_secret_of_a_connection_is_not_masked() -> None:
    text = (
        "CREATE STORAGE CONNECTION IF NOT EXISTS c TYPE OSS REGION = 'r' ROLE_ARN = 'acs:ram::1:r'"
        " ENDPOINT = 'e' COMMENT 'key = value'"
    )
    assert mask(text).replace("'key = ****'", "'key = value'") == text
    for other in ("CREATE VOLUME v DIRECTORY = (ENABLE = TRUE) COMMENT = 'c'", "DROP CONNECTION c"):
        assert mask(other) == other
    volume = "CREATE EXTERNAL VOLUME v LOCATION = 's3://b/p/' STORAGE_CONNECTION = c"
    assert mask(volume) == volume


def test_the_statement_of_the_seed() -> None:
    text = (
        "CREATE STORAGE CONNECTION IF NOT EXISTS my_oss_conn TYPE OSS access_id = '<your_id>'"
        " access_key = '<your_secret>' ENDPOINT = 'oss-cn-shanghai.aliyuncs.com'"
    )
    assert create(text) == CreateStorageConnection(
        ObjectName("my_oss_conn"),
        ConnectionType.OSS,
        (("endpoint", "oss-cn-shanghai.aliyuncs.com"),),
        (("access_id", "<your_id>"), ("secret_key", "<your_secret>")),
        if_not_exists=True,
    )


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (
            "OSS REGION='cn-x' ROLE_ARN='acs:ram::1:role/r' ENDPOINT='oss.example.com'",
            {"region": "cn-x", "role_arn": "acs:ram::1:role/r", "endpoint": "oss.example.com"},
        ),
        (
            "cos REGION='ap-x' ROLE_ARN='qcs::cam::uin/1:roleName/r' APP_ID=125",
            {"region": "ap-x", "role_arn": "qcs::cam::uin/1:roleName/r", "app_id": "125"},
        ),
        (
            "S3 REGION = 'cn-north-1', ROLE_ARN = 'arn:aws-cn:iam::1:role/r'",
            {"region": "cn-north-1", "role_arn": "arn:aws-cn:iam::1:role/r"},
        ),
        (
            "KAFKA BOOTSTRAP_SERVERS=['a:9092', 'b:9092'] SECURITY_PROTOCOL='plaintext'",
            {"bootstrap_servers": "a:9092,b:9092", "security_protocol": "PLAINTEXT"},
        ),
        (
            "kafka bootstrap_servers = 'a:9092'",
            {"bootstrap_servers": "a:9092", "security_protocol": "PLAINTEXT"},
        ),
        (
            "HDFS NAME_NODE='ns' NAME_NODE_RPC_ADDRESSES=['h1:8020','h2:8020']",
            {"name_node": "ns", "name_node_rpc_addresses": "h1:8020,h2:8020"},
        ),
        ("FILE", {}),
        ("local COMMENTS = 'mine'", {}),
    ],
)
def test_settings_of_every_type(text: str, settings: dict[str, str]) -> None:
    statement = create(f"CREATE STORAGE CONNECTION c TYPE {text}")
    assert dict(statement.settings) == settings
    assert statement.secrets == ()


@pytest.mark.parametrize("comment", ["COMMENT 'x'", "COMMENT = 'x'", "COMMENTS='x'"])
def test_a_comment_may_stand_anywhere(comment: str) -> None:
    tail = "NAME_NODE='ns' NAME_NODE_RPC_ADDRESSES=['h:1']"
    for text in (f"{comment} {tail}", f"{tail} {comment}"):
        assert create(f"CREATE STORAGE CONNECTION c TYPE HDFS {text}").comment == "x"


def test_a_connection_belongs_to_a_workspace_and_has_no_schema() -> None:
    name = create("CREATE STORAGE CONNECTION Ws.C TYPE FILE").name
    assert (name.workspace, name.schema, name.name) == ("ws", None, "c")
    assert "two parts" in refused("DROP CONNECTION a.b.c").message


def test_an_equals_sign_behind_type_is_answered_with_the_right_spelling() -> None:
    text = "CREATE STORAGE CONNECTION c TYPE = oss ENDPOINT = 'e'"
    error = refused(text)
    assert error.condition == "CONNECTION_TYPE_ASSIGNED"
    assert error.hint == "write TYPE OSS"
    assert error.span is not None
    assert caret_lines(text, error.span)[1].index("^") == len("line 1: ") + text.index("=")


def test_an_unknown_key_gets_the_nearest_and_the_whole_list() -> None:
    text = f"{OSS} ACESS_ID = 'a' ACCESS_KEY = 'b'"
    error = refused(text)
    assert error.condition == "CONNECTION_KEY_UNKNOWN"
    assert pointed(text) == "ACESS_ID"
    assert error.hint is not None
    assert error.hint.startswith("did you mean ACCESS_ID?")
    assert "ENDPOINT" in error.hint
    assert "'a'" not in error.message + error.hint


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("OSS ENDPOINT = 'e'", "ACCESS_ID, ACCESS_KEY"),
        ("OSS ACCESS_ID = 'a' ACCESS_KEY = 'b'", "ENDPOINT"),
        ("OSS ROLE_ARN = 'acs:ram::1:role/r' ENDPOINT = 'e'", "REGION"),
        ("COS ACCESS_KEY = 'a' SECRET_KEY = 'b' REGION = 'r'", "APP_ID"),
        ("S3 ACCESS_KEY = 'a' REGION = 'r'", "SECRET_KEY"),
        ("S3 ACCESS_KEY = 'a' SECRET_KEY = 'b'", "ENDPOINT or REGION"),
        ("S3 ROLE_ARN = 'arn:aws:iam::1:role/r'", "REGION"),
        ("KAFKA", "BOOTSTRAP_SERVERS"),
        ("HDFS NAME_NODE = 'n'", "NAME_NODE_RPC_ADDRESSES"),
    ],
)
def test_a_missing_key_is_named_with_all_that_the_type_takes(text: str, missing: str) -> None:
    error = refused(f"CREATE STORAGE CONNECTION c TYPE {text}")
    assert error.condition == "CONNECTION_KEY_MISSING"
    assert error.parameters["missing"] == missing
    assert error.hint is not None
    assert missing.split(" or ")[0].split(", ")[0] in error.hint


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (f"{OSS} ACCESS_ID='a' ACCESS_KEY='b' ROLE_ARN='acs:ram::1:role/r'", "_FORMS_MIXED"),
        (f"{S3} ROLE_ARN='arn:aws:iam::1:role/r' SECRET_KEY='b'", "_FORMS_MIXED"),
        (f"{OSS} ACCESS_ID='a' ACCESS_KEY='b' SECRET_KEY='c'", "_KEY_TWICE"),
        (f"{OSS} ACCESS_ID='a' ACCESS_KEY_ID='b' ACCESS_KEY='c'", "_KEY_TWICE"),
        (f"{OSS} ACCESS_ID='' ACCESS_KEY='b'", "_KEY_VALUE"),
        (f"{OSS} ACCESS_ID='a ' ACCESS_KEY='b'", "_KEY_VALUE"),
        ("CREATE STORAGE CONNECTION c TYPE KAFKA BOOTSTRAP_SERVERS='a'", "_KEY_VALUE"),
        (
            "CREATE STORAGE CONNECTION c TYPE KAFKA BOOTSTRAP_SERVERS='a:1'"
            " SECURITY_PROTOCOL='SSL'",
            "_KEY_VALUE",
        ),
        (
            "CREATE STORAGE CONNECTION c TYPE S3 REGION='r' ROLE_ARN='acs:ram::1:role/r'",
            "_KEY_VALUE",
        ),
        (f"{OSS} ACCESS_ID='a' ACCESS_KEY='b' REGION='a/b'", "_KEY_VALUE"),
        ("CREATE STORAGE CONNECTION c TYPE FILE ENDPOINT = 'e'", "_KEY_UNKNOWN"),
        ("CREATE STORAGE CONNECTION c TYPE FTP", "_TYPE_UNKNOWN"),
        ("CREATE CATALOG CONNECTION c TYPE HMS", "_KIND_NOT_SUPPORTED"),
        ("CREATE API CONNECTION c TYPE CLOUD_FUNCTION", "_KIND_NOT_SUPPORTED"),
        ("CREATE EXTERNAL CATALOG x CONNECTION c", "_KIND_NOT_SUPPORTED"),
        ("ALTER STORAGE CONNECTION c SET ENDPOINT = 'e'", "_ALTERED"),
        ("CREATE OR REPLACE STORAGE CONNECTION c TYPE FILE", "_ALTERED"),
    ],
)
def test_what_cannot_be_is_refused_by_name(text: str, condition: str) -> None:
    assert refused(text).condition == f"CONNECTION{condition}"


def test_other_kinds_of_connections_are_not_supported() -> None:
    assert isinstance(refused("CREATE CATALOG CONNECTION c TYPE HMS"), NotSupported)


@pytest.mark.parametrize(
    "text",
    [
        f"{OSS} ACCESS_KEY = zq9Hidden",
        f"{OSS} ACCESS_ID = 'a' 'zq9Hidden'",
        f"{OSS} ACCESS_KEY = ['zq9Hidden']",
        f"{OSS} ACCESS_ID = 'a' ACCESS_KEY = 'zq9 Hidden'",
        f"{OSS} ACCESS_ID = 'a' ACCESS_KEY = 'zq9Hidden' ACCESS_KEY_SECRET = 'zq9Hidden'",
    ],
)
def test_no_error_repeats_a_secret(text: str) -> None:
    error = refused(text)
    assert "zq9" not in error.message + (error.hint or "")


def test_the_wrong_words_are_answered_with_the_right_ones() -> None:
    assert refused("DROP STORAGE CONNECTION c").hint == "write DROP CONNECTION, without STORAGE"
    assert refused("CREATE CONNECTION c TYPE S3").hint == "write CREATE STORAGE CONNECTION"
    assert refused("CREATE STORAGE CONNECTION c TYPE HDSF").hint == "did you mean HDFS?"


def test_the_small_statements() -> None:
    assert parse("DROP CONNECTION IF EXISTS c FORCE") == DropConnection(ObjectName("c"), True, True)
    assert parse("DESCRIBE CONNECTION c") == DescConnection(ObjectName("c"))
    assert parse("DESC CONNECTION EXTENDED c") == DescConnection(ObjectName("c"), True)
    assert parse("DESC CONNECTION EXTENDED") == DescConnection(ObjectName("extended"))
    shown = parse("SHOW CONNECTIONS WHERE type = 'OSS' LIMIT 2")
    assert isinstance(shown, ShowConnections)
    assert (shown.filter.where, shown.filter.limit) == ("type = 'OSS'", 2)


def test_a_table_may_be_called_connection() -> None:
    assert parse("DESC connection") == DescTable(ObjectName("connection"))
    assert parse("DESC connection.t") == DescTable(ObjectName("t", "connection"))


def test_keys_are_shown_as_the_documents_of_their_type_spell_them() -> None:
    spelled = {
        (kind.value, key): key_spelling(kind, key)
        for kind in (ConnectionType.OSS, ConnectionType.S3)
        for key in ("access_id", "secret_key")
    }
    assert spelled == {
        ("OSS", "access_id"): "ACCESS_ID",
        ("OSS", "secret_key"): "ACCESS_KEY",
        ("S3", "access_id"): "ACCESS_KEY",
        ("S3", "secret_key"): "SECRET_KEY",
    }
