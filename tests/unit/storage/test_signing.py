"""Signatures against published ones: of Amazon's documents, of the tests of Alibaba's libraries."""

from __future__ import annotations

from datetime import UTC, datetime

from headwater.storage.connections import AccessKeys
from headwater.storage.content_of import content_of
from headwater.storage.requests import Request, encoded_path
from headwater.storage.signing import AlibabaSigner, AmazonSigner

AMAZON = AccessKeys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
AMAZON_HOST = {"host": "examplebucket.s3.amazonaws.com"}
AMAZON_TIME = datetime(2013, 5, 24, tzinfo=UTC)
ALIBABA_QUERY = {
    "param1": "value1",
    "+param1": "value3",
    "|param1": "value4",
    "+param2": "",
    "|param2": "",
    "param2": "",
}
ALIBABA_HEADERS = {
    "x-oss-head1": "value",
    "abc": "value",
    "zabc": "value",
    "xyz": "value",
    "content-type": "text/plain",
}
ALIBABA_PUT = Request("PUT", "/1234+-/123/1.txt", ALIBABA_QUERY, ALIBABA_HEADERS)
ALIBABA_TIME = datetime(2023, 12, 17, 3, 47, 36, tzinfo=UTC)


def amazon(request: Request) -> str:
    signed = AmazonSigner("us-east-1").signed(request, AMAZON, AMAZON_TIME)
    return signed.headers["authorization"].rpartition("Signature=")[2]


def test_amazon_get_object() -> None:
    request = Request("GET", "/test.txt", headers={**AMAZON_HOST, "range": "bytes=0-9"})
    expected = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    assert amazon(request) == expected


def test_amazon_put_object() -> None:
    headers = {
        **AMAZON_HOST,
        "date": "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
    }
    content = content_of(b"Welcome to Amazon S3.")
    request = Request("PUT", "/test$file.text", headers=headers, content=content)
    expected = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    assert amazon(request) == expected


def test_amazon_queries() -> None:
    lifecycle = Request("GET", "/", {"lifecycle": ""}, AMAZON_HOST)
    listing = Request("GET", "/", {"max-keys": "2", "prefix": "J"}, AMAZON_HOST)
    expected = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    assert amazon(lifecycle) == expected
    expected = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    assert amazon(listing) == expected


def test_amazon_presigned() -> None:
    request = Request("GET", "/test.txt", headers=AMAZON_HOST)
    signer = AmazonSigner("us-east-1")
    signed = signer.presigned(request, AMAZON, AMAZON_TIME, seconds=86400)
    expected = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    assert signed.query["X-Amz-Signature"] == expected


def alibaba(keys: AccessKeys, at: datetime) -> str:
    signed = AlibabaSigner("cn-hangzhou", "bucket").signed(ALIBABA_PUT, keys, at)
    return signed.headers["authorization"]


def test_alibaba_header() -> None:
    at = datetime(2023, 12, 16, 16, 20, 57, tzinfo=UTC)
    assert alibaba(AccessKeys("ak", "sk"), at) == (
        "OSS4-HMAC-SHA256 Credential=ak/20231216/cn-hangzhou/oss/aliyun_v4_request,"
        "Signature=e21d18daa82167720f9b1047ae7e7f1ce7cb77a31e8203a7d5f4624fa0284afe"
    )


def test_alibaba_header_with_a_token() -> None:
    assert alibaba(AccessKeys("ak", "sk", "token"), ALIBABA_TIME).endswith(
        "Signature=b94a3f999cf85bcdc00d332fbd3734ba03e48382c36fa4d5af5df817395bd9ea"
    )


def test_alibaba_presigned() -> None:
    headers = {**ALIBABA_HEADERS, "x-oss-content-sha256": "UNSIGNED-PAYLOAD"}
    request = Request("PUT", ALIBABA_PUT.path, ALIBABA_QUERY, headers)
    signer = AlibabaSigner("cn-hangzhou", "bucket")
    signed = signer.presigned(request, AccessKeys("ak", "sk"), ALIBABA_TIME, seconds=599)
    expected = "c79e8654f07e7361c4c6eb02cdb500c1e65888d7dc38affe1f92dc388b2402c4"
    assert signed.query["x-oss-signature"] == expected


def test_paths_are_encoded_once_and_slashes_stay() -> None:
    assert encoded_path("/a b/%41+é~") == "/a%20b/%2541%2B%C3%A9~"
