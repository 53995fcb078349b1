"""LOCATION and paths: what is taken literally, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.storage.addresses import (
    Scheme,
    StoreAddress,
    checked_folder,
    checked_path,
    parse_location,
)


@pytest.mark.parametrize(
    ("location", "scheme", "bucket", "prefix"),
    [
        ("s3://bucket/a/b/", Scheme.S3, "bucket", "a/b/"),
        ("s3://bucket/a/b", Scheme.S3, "bucket", "a/b/"),
        ("OSS://my-bucket/x/", Scheme.OSS, "my-bucket", "x/"),
        ("cos://b-1250000000/x", Scheme.COS, "b-1250000000", "x/"),
        ("s3://my.bucket", Scheme.S3, "my.bucket", ""),
        ("s3://bucket/", Scheme.S3, "bucket", ""),
        ("file:///abs/dir/", Scheme.FILE, "", "abs/dir/"),
        ("file:///abs/my dir", Scheme.FILE, "", "abs/my dir/"),
        ("file:///", Scheme.FILE, "", ""),
        (
            "s3://bucket/100%/a+b/ünï/it's/..x/a%20b",
            Scheme.S3,
            "bucket",
            "100%/a+b/ünï/it's/..x/a%20b/",
        ),
        ("s3://bucket/who@host/", Scheme.S3, "bucket", "who@host/"),
    ],
)
def test_locations(location: str, scheme: Scheme, bucket: str, prefix: str) -> None:
    address = parse_location(location)
    assert address == StoreAddress(scheme, bucket, prefix)
    assert address.url == f"{scheme}://{bucket}/{prefix}"
    assert parse_location(address.url) == address
    assert address.is_bucket_root == (prefix == "")
    assert address.url_of("x/y.csv") == address.url + "x/y.csv"


@pytest.mark.parametrize(
    "location",
    [
        "",
        "bucket/a",
        "/abs/dir",
        "C:\\data",
        "http://bucket/a",
        "hdfs://host/a",
        "s3a://bucket/a",
        "javascript:alert(1)",
        "s3:bucket/a",
        "s3:/bucket/a",
        "s3://",
        "s3:///a",
        "s3://ab/../c",
        "s3://bucket/..",
        "s3://bucket/../other/",
        "s3://bucket/a/../b",
        "s3://bucket/a/./b",
        "s3://bucket/a//b",
        "s3://bucket//a",
        "s3://bucket/a//",
        "s3://bucket/%2e%2e/b",
        "s3://bucket/a%2Fb",
        "s3://bucket/a%2fb",
        "s3://bucket/a%5Cb",
        "s3://bucket/a%00b",
        "s3://bucket/a%0ab",
        "s3://bucket/a\\b",
        "s3://bucket/a\nb",
        "s3://bucket/a\x00b",
        "s3://bucket/a\x7f",
        "s3://bucket/a?versionId=1",
        "s3://bucket/a#b",
        "s3://user:pa55word@bucket/a",
        "s3://bucket:9000/a",
        "s3://b/a",
        "s3://-bucket/a",
        "s3://buc..ket/a",
        "s3://" + "b" * 64 + "/a",
        "s3://bücket/a",
        "s3://bucket/\ud800",
        "file://host/a",
        "file:/abs",
        "file://abs/dir",
        "file:///a/../etc",
        "file:///%2e%2e/etc",
        " s3://bucket/a",
    ],
)
def test_locations_that_are_refused(location: str) -> None:
    with pytest.raises(UserError, match="LOCATION_REFUSED") as caught:
        parse_location(location)
    assert "pa55word" not in str(caught.value)
    str(caught.value).encode()


@given(st.text())
def test_a_location_is_read_or_refused(text: str) -> None:
    for location in (text, f"s3://bucket/{text}", f"file:///{text}", f"oss://{text}"):
        try:
            address = parse_location(location)
        except UserError:
            continue
        segments = address.prefix.split("/")
        assert not {"..", "."} & set(segments)
        assert "" not in segments[:-1]
        assert parse_location(address.url) == address


@given(st.text())
def test_a_path_is_kept_or_refused(text: str) -> None:
    try:
        assert checked_path(text) == text
    except UserError:
        return
    assert not text.startswith("/")
    assert not {"..", ".", ""} & set(text.split("/"))


def test_folders_below() -> None:
    address = parse_location("s3://bucket/a")
    assert address.below("b/c").url == address.below("b/c/").url == "s3://bucket/a/b/c/"
    assert address.below("") == address
    assert checked_folder("") == ""
    for folder in ("..", "/a", "a//", "a/../b"):
        with pytest.raises(UserError):
            address.below(folder)
