"""Which queue is meant, and which server is asked; nothing is sent."""

from __future__ import annotations

import pytest

from headwater.errors import NotSupported, UserError
from headwater.queues.mns_names import mns_name
from headwater.queues.open_queue import mns_server, open_queue, sqs_server
from headwater.queues.sqs_names import SqsName, sqs_name
from headwater.storage.addresses import Scheme
from headwater.storage.connections import AccessKeys, Role, StoreConnection

KEYS = AccessKeys("key-id", "hw-s3cret")
S3 = StoreConnection(Scheme.S3, region="eu-west-1", keys=KEYS)
OSS = StoreConnection(Scheme.OSS, region="cn-hangzhou", keys=KEYS)
MNS_SERVER = {"ALICLOUD_MNS_ENDPOINT": "http://1234.mns.cn-beijing-internal.aliyuncs.com"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("new-files", ("new-files", None, None, None)),
        ("new_files.fifo", ("new_files.fifo", None, None, None)),
        ("arn:aws:sqs:eu-west-1:123:q", ("q", "123", "eu-west-1", None)),
        ("arn:aws-cn:sqs:cn-north-1:123:q", ("q", "123", "cn-north-1", None)),
        (
            "https://sqs.eu-west-1.amazonaws.com/123/q",
            ("q", "123", "eu-west-1", "sqs.eu-west-1.amazonaws.com"),
        ),
        (
            "https://vpce-1.sqs.us-east-1.vpce.amazonaws.com/123/q",
            ("q", "123", "us-east-1", "vpce-1.sqs.us-east-1.vpce.amazonaws.com"),
        ),
        (
            "https://sqs.cn-north-1.amazonaws.com.cn/123/q",
            ("q", "123", "cn-north-1", "sqs.cn-north-1.amazonaws.com.cn"),
        ),
    ],
)
def test_queues_of_sqs(text: str, expected: tuple[str, str | None, str | None, str | None]) -> None:
    assert sqs_name(text) == SqsName(text, *expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "q\n",
        "arn:aws:s3:::bucket",
        "arn:aws:sqs:eu-west-1:123:q/x",
        "http://sqs.eu-west-1.amazonaws.com/123/q",
        "https://sqs.eu-west-1.amazonaws.com/q",
        "https://sqs.eu-west-1.amazonaws.com/123/q?x=1",
        "https://evil.example/123/q",
        "https://sqs.eu-west-1.amazonaws.com.evil.example/123/q",
        "https://evil.example#.sqs.eu-west-1.amazonaws.com/123/q",
        "https://u:pa55word@evil.example/123/q",
    ],
)
def test_no_queues_of_sqs(text: str) -> None:
    with pytest.raises(UserError) as caught:
        open_queue(S3, sqs_queue=text, mns_queue=None, environment={})
    assert caught.value.condition == "QUEUE_NAME_REFUSED"
    assert "pa55word" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "url"),
    [
        ("q-1", "q-1", "http://1234.mns.cn-beijing-internal.aliyuncs.com"),
        (
            "https://1234.mns.cn-hangzhou.aliyuncs.com/queues/q",
            "q",
            "https://1234.mns.cn-hangzhou.aliyuncs.com",
        ),
        (
            "http://1234.mns.cn-hangzhou.aliyuncs.com/q",
            "q",
            "http://1234.mns.cn-hangzhou.aliyuncs.com",
        ),
    ],
)
def test_queues_of_mns(text: str, name: str, url: str) -> None:
    found = mns_name(text, MNS_SERVER["ALICLOUD_MNS_ENDPOINT"])
    assert (found.text, found.name, found.endpoint.url) == (text, name, url)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-q",
        "a b",
        "a/b",
        "q\n",
        "ftp://1234.mns.cn-hangzhou.aliyuncs.com/queues/q",
        "https://mns.cn-hangzhou.aliyuncs.com/queues/q",
        "https://1234.mns.cn-hangzhou.aliyuncs.com/topics/q",
        "https://1234.mns.cn-hangzhou.aliyuncs.com.evil.example/queues/q",
        "https://u:pa55word@evil.example/queues/q",
    ],
)
def test_no_queues_of_mns(text: str) -> None:
    with pytest.raises(UserError) as caught:
        open_queue(OSS, sqs_queue=None, mns_queue=text, environment=MNS_SERVER)
    assert caught.value.condition == "QUEUE_NAME_REFUSED"
    assert "pa55word" not in str(caught.value)


@pytest.mark.parametrize(
    ("endpoint", "region", "arn", "expected"),
    [
        (None, "cn-shanghai", "acs:ram::145:role/r", "https://145.mns.cn-shanghai.aliyuncs.com"),
        (
            "oss-cn-hangzhou-internal.aliyuncs.com",
            None,
            "acs:ram::145:role/r",
            "https://145.mns.cn-hangzhou-internal.aliyuncs.com",
        ),
        (None, "cn-shanghai", "acs:ram::evil.example/:role/r", None),
    ],
)
def test_the_queues_of_a_role_are_in_its_account(
    endpoint: str | None, region: str | None, arn: str, expected: str | None
) -> None:
    connection = StoreConnection(Scheme.OSS, endpoint, region, role=Role(arn, "an-id"))
    assert mns_server(connection, {}) == expected
    assert mns_server(connection, MNS_SERVER) == MNS_SERVER["ALICLOUD_MNS_ENDPOINT"]


def test_whose_keys_are_given_has_an_account_that_nobody_knows() -> None:
    assert mns_server(OSS, {}) is None


def test_a_name_of_mns_needs_a_server() -> None:
    with pytest.raises(UserError, match="set ALICLOUD_MNS_ENDPOINT to https://") as caught:
        open_queue(OSS, sqs_queue=None, mns_queue="q", environment={})
    assert caught.value.condition == "QUEUE_SERVER_UNKNOWN"


@pytest.mark.parametrize(
    ("connection", "sqs_queue", "mns_queue", "option"),
    [
        (S3, None, None, "AWS_SQS_QUEUE"),
        (S3, None, "q", "AWS_SQS_QUEUE"),
        (S3, "q", "q", "AWS_SQS_QUEUE"),
        (OSS, "q", None, "ALICLOUD_MNS_QUEUE"),
        (OSS, None, None, "ALICLOUD_MNS_QUEUE"),
    ],
)
def test_the_queue_of_another_cloud(
    connection: StoreConnection, sqs_queue: str | None, mns_queue: str | None, option: str
) -> None:
    with pytest.raises(UserError, match=f"write {option} = '<queue>'"):
        open_queue(connection, sqs_queue=sqs_queue, mns_queue=mns_queue, environment=MNS_SERVER)


def test_cos_tells_nobody() -> None:
    connection = StoreConnection(Scheme.COS, region="x-1", keys=KEYS)
    with pytest.raises(NotSupported, match="stores of type COS"):
        open_queue(connection, sqs_queue="q", mns_queue=None, environment={})


@pytest.mark.parametrize(
    ("endpoint", "environment", "expected"),
    [
        (None, {}, None),
        ("s3.eu-west-1.amazonaws.com", {}, None),
        ("https://s3.cn-north-1.amazonaws.com.cn", {}, None),
        ("http://127.0.0.1:5000", {}, "http://127.0.0.1:5000"),
        ("http://127.0.0.1:8333", {"AWS_ENDPOINT_URL_SQS": "http://a:1"}, "http://a:1"),
        (None, {"AWS_ENDPOINT_URL": "http://b:2"}, "http://b:2"),
        (None, {"AWS_ENDPOINT_URL": "b", "AWS_ENDPOINT_URL_SQS": "a"}, "a"),
    ],
)
def test_the_server_of_sqs(
    endpoint: str | None, environment: dict[str, str], expected: str | None
) -> None:
    connection = StoreConnection(Scheme.S3, endpoint, keys=KEYS)
    assert sqs_server(connection, environment) == expected
