"""Large files in parts, on a real S3 server; what only a fake can say is said so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.seaweedfs import SeaweedServer
from tests.unit.storage.fake_store import Canned, fake_store

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.storage import multipart
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.exchange import Exchange
from headwater.storage.multipart import PartSizes
from headwater.storage.object_store import ObjectStore
from headwater.storage.s3 import s3_endpoint
from headwater.storage.signing import AmazonSigner

MEGABYTE = 1 << 20
SMALL = PartSizes(above=6 * MEGABYTE, size=5 * MEGABYTE, most=6 * MEGABYTE)
STARTED = Canned(body=b"<R><UploadId>u1</UploadId></R>")


def store_at(connection: StoreConnection, bucket: str) -> ObjectStore:
    keys = connection.keys
    assert keys is not None
    exchange = Exchange(s3_endpoint(connection, bucket), AmazonSigner("us-east-1"), lambda: keys)
    return ObjectStore(exchange, parse_location(f"s3://{bucket}/in"), part_sizes=SMALL)


@pytest.fixture
def store(seaweedfs: SeaweedServer) -> ObjectStore:
    return store_at(seaweedfs.connection, seaweedfs.create_bucket())


@pytest.mark.parametrize("size", [6 * MEGABYTE, 10 * MEGABYTE, 13 * MEGABYTE + 7])
def test_a_file_of_any_size_arrives_as_it_is(store: ObjectStore, tmp_path: Path, size: int) -> None:
    local = tmp_path / "local"
    local.write_bytes(os.urandom(size))
    store.put(local, "a b/ü.bin")
    info = store.head("a b/ü.bin")
    assert info is not None
    assert info.size == size
    # Stores say so of what came in parts: the sign that this is what was tested.
    assert ("-" in info.etag) == (size > SMALL.above)
    store.get("a b/ü.bin", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == local.read_bytes()


def test_a_file_that_changes_while_it_is_sent_is_refused_and_not_there(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = tmp_path / "local"
    local.write_bytes(os.urandom(11 * MEGABYTE))
    read = multipart.content_of

    def read_and_change(path: Path, *, start: int, size: int) -> object:
        found = read(path, start=start, size=size)
        if start:
            os.utime(path, (1, 1))
        return found

    monkeypatch.setattr(multipart, "content_of", read_and_change)
    with pytest.raises(UserError, match="FILE_CHANGED"):
        store.put(local, "a.bin")
    assert store.head("a.bin") is None


def test_the_server_copies_a_large_object_in_parts(store: ObjectStore, tmp_path: Path) -> None:
    """This server copies any size at once: its refusal comes from the next test's fake."""
    local = tmp_path / "local"
    local.write_bytes(os.urandom(11 * MEGABYTE))
    store.put(local, "a.bin")
    named = {"x-amz-copy-source": f"/{store._address.bucket}/in/a.bin"}
    multipart.copy_parts(
        store._sender("b.bin"),
        named,
        11 * MEGABYTE,
        SMALL,
        range_header="x-amz-copy-source-range",
    )
    store.get("b.bin", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == local.read_bytes()


def fake_connection(port: int) -> StoreConnection:
    keys = AccessKeys("id", "secret")
    return StoreConnection(Scheme.S3, endpoint=f"http://127.0.0.1:{port}", keys=keys)


def test_a_move_that_is_refused_for_its_size_is_done_in_parts() -> None:
    too_large = Canned(400, b"<Error><Code>InvalidRequest</Code></Error>")
    head = Canned(
        headers={
            "Content-Length": str(7 * MEGABYTE),
            "Last-Modified": "Wed, 18 Nov 2026 00:00:00 GMT",
            "ETag": '"e"',
        }
    )
    part = Canned(body=b"<CopyPartResult><ETag>p</ETag></CopyPartResult>")
    whole = Canned(body=b"<R><ETag>w</ETag></R>")
    with fake_store(too_large, head, STARTED, part, part, whole, Canned()) as fake:
        store_at(fake_connection(fake.port), "bucket").move("a", "b")
    asked = [(request.method, request.target) for request in fake.requests]
    assert asked[0] == ("PUT", "/bucket/in/b")
    assert asked[2] == ("POST", "/bucket/in/b?uploads=")
    ranges = {request.headers.get("x-amz-copy-source-range") for request in fake.requests[3:5]}
    assert ranges == {"bytes=0-5242879", "bytes=5242880-7340031"}
    assert fake.requests[5].body.count(b"<ETag>p</ETag>") == 2
    assert asked[6] == ("POST", "/bucket?delete=")


def test_a_copy_that_is_refused_for_another_reason_stays_refused() -> None:
    with (
        fake_store(Canned(403, b"<Error><Code>AccessDenied</Code></Error>")) as fake,
        pytest.raises(UserError, match="STORAGE_DENIED"),
    ):
        store_at(fake_connection(fake.port), "bucket").move("a", "b")


def test_a_file_stays_where_it_is_if_its_copy_failed_behind_a_200() -> None:
    failed = Canned(body=b"<Error><Code>InternalError</Code></Error>")
    with fake_store(failed) as fake, pytest.raises(TransientError, match="STORE_BUSY"):
        store_at(fake_connection(fake.port), "bucket").move("a", "b")
    assert [request.method for request in fake.requests] == ["PUT"]


@pytest.mark.parametrize("body", [b"<Error><Code>InternalError</Code></Error>", b"<html></html>"])
def test_files_are_not_taken_for_deleted_because_of_a_200(body: bytes) -> None:
    with fake_store(Canned(body=body)) as fake, pytest.raises(UserError, match="STORE_REFUSED"):
        store_at(fake_connection(fake.port), "bucket").delete_many(["a"])


def test_an_upload_that_fails_is_ended(tmp_path: Path) -> None:
    (tmp_path / "local").write_bytes(bytes(7 * MEGABYTE))
    refused = Canned(403, b"<Error><Code>AccessDenied</Code></Error>")
    with fake_store(STARTED, refused) as fake, pytest.raises(UserError, match="STORAGE_DENIED"):
        store_at(fake_connection(fake.port), "bucket").put(tmp_path / "local", "a")
    assert fake.requests[-1].method == "DELETE"
    assert fake.requests[-1].target == "/bucket/in/a?uploadId=u1"


def test_a_store_that_says_200_and_fails_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "local").write_bytes(bytes(7 * MEGABYTE))
    part = Canned(headers={"ETag": '"p"'})
    failed = Canned(body=b"<Error><Code>InternalError</Code></Error>")
    with fake_store(STARTED, part, part, failed) as fake, pytest.raises(HeadwaterError):
        store_at(fake_connection(fake.port), "bucket").put(tmp_path / "local", "a")
    assert fake.requests[-1].method == "DELETE"


def test_parts_are_never_too_many() -> None:
    huge = 5 * 1024**4
    ranges = PartSizes().ranges(huge)
    assert len(ranges) <= 10_000
    assert sum(size for _, size in ranges) == huge
