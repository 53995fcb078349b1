"""The requests that the drivers of S3, OSS and COS make, seen by a fake; no cloud is asked."""

from __future__ import annotations

import urllib.parse
from pathlib import Path

import pytest
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store

from headwater.errors import UserError
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, Role, StoreConnection
from headwater.storage.cos import cos_bucket, cos_endpoint
from headwater.storage.endpoints import parse_endpoint
from headwater.storage.open_store import open_store
from headwater.storage.oss import oss_endpoint, oss_region
from headwater.storage.s3 import s3_endpoint
from headwater.storage.store import Store

KEYS = AccessKeys("key-id", "hw-cloud-s3cret", "t0ken")
LISTING = b"""<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult><Name>sales</Name><EncodingType>url</EncodingType><IsTruncated>%s</IsTruncated>
%s<Contents><Key>in/a%%20b.csv</Key><LastModified>2026-11-15T10:00:00.000Z</LastModified>
<ETag>"5B3C1A2E053D763E1B002CC607C5A0FE"</ETag><Type>Normal</Type><Size>344606</Size></Contents>
<Contents><Key>in/sub/</Key><LastModified>2026-11-15T10:00:00.000Z</LastModified>
<ETag>"D41D8CD98F00B204E9800998ECF8427E"</ETag><Size>0</Size></Contents></ListBucketResult>"""
LAST_PAGE = LISTING % (b"false", b"")
TOKEN = b"<NextContinuationToken>to&amp;ken+/=</NextContinuationToken>"
FIRST_PAGE = LISTING % (b"true", TOKEN)


def oss(fake: FakeStore) -> Store:
    endpoint = f"http://oss-cn-hangzhou.localhost:{fake.port}"
    return open_store(
        parse_location("oss://sales/in/"), StoreConnection(Scheme.OSS, endpoint, keys=KEYS)
    )


def cos(fake: FakeStore) -> Store:
    endpoint = f"http://cos.ap-shanghai.localhost:{fake.port}"
    connection = StoreConnection(Scheme.COS, endpoint, "ap-shanghai", "1250000000", KEYS)
    return open_store(parse_location("cos://sales/in/"), connection)


def test_oss_lists_with_the_bucket_in_the_host() -> None:
    with fake_store(Canned(200, FIRST_PAGE), Canned(200, LAST_PAGE)) as fake:
        pages = list(oss(fake).list())
        assert [[file.path for file in page] for page in pages] == [["a b.csv"], ["a b.csv"]]
        first, second = fake.requests
        assert first.headers["host"] == f"sales.oss-cn-hangzhou.localhost:{fake.port}"
        assert first.target == "/?encoding-type=url&list-type=2&max-keys=1000&prefix=in%2F"
        query = urllib.parse.parse_qs(second.target.partition("?")[2])
        assert query["continuation-token"] == ["to&ken+/="]
        assert first.headers["authorization"].startswith("OSS4-HMAC-SHA256 Credential=key-id/")
        assert "/cn-hangzhou/oss/aliyun_v4_request,Signature=" in first.headers["authorization"]
        assert first.headers["x-oss-security-token"] == "t0ken"
        assert first.headers["x-oss-content-sha256"] == "UNSIGNED-PAYLOAD"


def test_oss_puts_with_a_checksum_and_no_chunks(tmp_path: Path) -> None:
    with fake_store() as fake:
        (tmp_path / "x").write_bytes(b"content")
        oss(fake).put(tmp_path / "x", "sub dir/ü+.csv")
        (request,) = fake.requests
        assert (request.method, request.target) == ("PUT", "/in/sub%20dir/%C3%BC%2B.csv")
        assert request.body == b"content"
        assert request.headers["content-length"] == "7"
        assert request.headers["content-md5"] == "mgNkuembtIDdJeHwKEyFVQ=="
        assert "transfer-encoding" not in request.headers
        assert "content-encoding" not in request.headers


def test_oss_deletes_many_at_once() -> None:
    with fake_store() as fake:
        assert oss(fake).delete_many(["a", "b<c"]) == {}
        (request,) = fake.requests
        assert (request.method, request.target) == ("POST", "/?delete")
        assert b"<Object><Key>in/b&lt;c</Key></Object>" in request.body
        assert "content-md5" in request.headers


def test_oss_addresses_for_a_while() -> None:
    with fake_store() as fake:
        url = urllib.parse.urlsplit(oss(fake).presign("a b.csv", seconds=60))
        query = urllib.parse.parse_qs(url.query)
        assert url.netloc == f"sales.oss-cn-hangzhou.localhost:{fake.port}"
        assert url.path == "/in/a%20b.csv"
        assert query["x-oss-expires"] == ["60"]
        assert "x-oss-signature" in query
        assert "hw-cloud-s3cret" not in url.geturl()
        assert fake.requests == []


def test_cos_has_the_account_in_the_bucket_and_the_bucket_in_the_host() -> None:
    with fake_store(Canned(200, LAST_PAGE)) as fake:
        assert [len(page) for page in cos(fake).list()] == [1]
        (request,) = fake.requests
        host = f"sales-1250000000.cos.ap-shanghai.localhost:{fake.port}"
        assert request.headers["host"] == host
        assert request.target.startswith("/?encoding-type=url")
        authorization = request.headers["authorization"]
        assert authorization.startswith("AWS4-HMAC-SHA256 Credential=key-id/")
        assert "/ap-shanghai/s3/aws4_request,SignedHeaders=host;" in authorization
        assert request.headers["x-amz-security-token"] == "t0ken"


def test_cos_deletes_with_the_checksum_it_wants() -> None:
    with fake_store() as fake:
        cos(fake).delete_many(["a"])
        assert "content-md5" in fake.requests[0].headers


@pytest.mark.parametrize(
    ("bucket", "app_id", "expected"),
    [
        ("b", "125", "b-125"),
        ("b-125", "125", "b-125"),
        ("b", None, "b"),
        ("b1125", "125", "b1125-125"),
    ],
)
def test_the_real_name_of_a_cos_bucket(bucket: str, app_id: str | None, expected: str) -> None:
    assert cos_bucket(StoreConnection(Scheme.COS, app_id=app_id), bucket) == expected


@pytest.mark.parametrize(
    ("endpoint", "region", "bucket", "host", "folder"),
    [
        (None, "eu-west-1", "b-1", "b-1.s3.eu-west-1.amazonaws.com", "/"),
        (None, "cn-north-1", "b-1", "b-1.s3.cn-north-1.amazonaws.com.cn", "/"),
        (None, None, "b-1", "b-1.s3.us-east-1.amazonaws.com", "/"),
        (None, "eu-west-1", "b.1", "s3.eu-west-1.amazonaws.com", "/b.1/"),
        ("minio.example:9000", None, "b-1", "minio.example", "/b-1/"),
        ("http://127.0.0.1:8333", None, "b-1", "127.0.0.1", "/b-1/"),
    ],
)
def test_hosts_of_s3(
    endpoint: str | None, region: str | None, bucket: str, host: str, folder: str
) -> None:
    found = s3_endpoint(StoreConnection(Scheme.S3, endpoint, region), bucket)
    assert (found.host, found.folder) == (host, folder)


@pytest.mark.parametrize(
    ("endpoint", "region", "host", "signed_for"),
    [
        ("oss-cn-hangzhou.aliyuncs.com", None, "b.oss-cn-hangzhou.aliyuncs.com", "cn-hangzhou"),
        (
            "oss-cn-beijing-internal.aliyuncs.com",
            None,
            "b.oss-cn-beijing-internal.aliyuncs.com",
            "cn-beijing",
        ),
        (
            "https://oss-ap-southeast-1.aliyuncs.com/",
            None,
            "b.oss-ap-southeast-1.aliyuncs.com",
            "ap-southeast-1",
        ),
        (None, "cn-shanghai", "b.oss-cn-shanghai.aliyuncs.com", "cn-shanghai"),
        (None, "oss-cn-shanghai", "b.oss-cn-shanghai.aliyuncs.com", "cn-shanghai"),
        (
            "oss-accelerate.aliyuncs.com",
            "cn-shanghai",
            "b.oss-accelerate.aliyuncs.com",
            "cn-shanghai",
        ),
    ],
)
def test_hosts_and_regions_of_oss(
    endpoint: str | None, region: str | None, host: str, signed_for: str
) -> None:
    connection = StoreConnection(Scheme.OSS, endpoint, region)
    assert oss_endpoint(connection, "b").host == host
    assert oss_region(connection) == signed_for


def test_what_a_connection_lacks_is_named() -> None:
    with pytest.raises(UserError, match="lacks REGION"):
        oss_region(StoreConnection(Scheme.OSS, "oss-accelerate.aliyuncs.com"))
    with pytest.raises(UserError, match="lacks ENDPOINT"):
        oss_region(StoreConnection(Scheme.OSS))
    with pytest.raises(UserError, match="lacks REGION"):
        cos_endpoint(StoreConnection(Scheme.COS), "b")
    address = parse_location("s3://bucket/in")
    for connection in (None, StoreConnection(Scheme.S3)):
        with pytest.raises(UserError, match="lacks keys"):
            open_store(address, connection)
    with pytest.raises(UserError, match="type OSS"):
        open_store(address, StoreConnection(Scheme.OSS, keys=KEYS))
    role = StoreConnection(Scheme.COS, role=Role("arn", "id"))
    with pytest.raises(UserError, match="lacks REGION"):
        open_store(parse_location("cos://bucket/in"), role)


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "ftp://host",
        "http://",
        "http://u:pa55word@host",
        "host/path",
        "host?x",
        "host#x",
        "host:port",
        "host:99999",
        "ho st",
        "http://host:80:80",
        "a\nb",
    ],
)
def test_endpoints_that_are_refused(endpoint: str) -> None:
    with pytest.raises(UserError, match="ENDPOINT_REFUSED") as caught:
        parse_endpoint(endpoint)
    assert "pa55word" not in str(caught.value)


def test_endpoints() -> None:
    assert parse_endpoint("host").url == "https://host"
    assert parse_endpoint(" http://HOST:80/ ").url == "http://host"
    assert parse_endpoint("https://host:8443").url == "https://host:8443"
    assert parse_endpoint("http://[::1]:8333").url == "http://[::1]:8333"
