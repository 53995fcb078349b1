"""Stores that refuse, are slow, break off or are not there: a clear error within seconds."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.seaweedfs import KEYS, SECRET, SeaweedServer
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.storage import exchange
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.exchange import Patience
from headwater.storage.open_store import open_store
from headwater.storage.store import Store

LISTING = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
DELETED = b"<DeleteResult/>"
DELETES = 7
"""Which of the `uses` deletes many at once."""
SECONDS = 20.0


def store_at(endpoint: str) -> Store:
    connection = StoreConnection(Scheme.S3, endpoint=endpoint, keys=KEYS)
    return open_store(parse_location("s3://bucket/in"), connection)


def store_of(fake: FakeStore) -> Store:
    return store_at(f"http://127.0.0.1:{fake.port}")


def refusal(status: int, code: str, message: str = "why") -> Canned:
    text = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    return Canned(status, text.encode())


def uses(store: Store, folder: Path) -> list[Callable[[], object]]:
    (folder / "source").write_bytes(b"x")
    return [
        lambda: list(store.list()),
        lambda: store.head("a"),
        lambda: store.read("a"),
        lambda: store.find("a"),
        lambda: store.get("a", folder / "copy"),
        lambda: store.write("a", b"x"),
        lambda: store.put(folder / "source", "a"),
        lambda: store.delete_many(["a"]),
        lambda: store.delete_many(["a\n"]),
    ]


def all_raise(store: Store, folder: Path, condition: str) -> HeadwaterError:
    started = time.monotonic()
    for use in uses(store, folder):
        with pytest.raises(HeadwaterError, match=condition) as caught:
            use()
        shown = str(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__)
        assert SECRET not in shown
    assert time.monotonic() - started < SECONDS
    assert not (folder / "copy").exists()
    return caught.value


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that a test can bear."""
    quick = Patience(answer_seconds=0.5, first_pause_seconds=0.01)
    monkeypatch.setattr(exchange, "Patience", lambda: quick)


@pytest.mark.parametrize(
    "keys", [replace(KEYS, secret_key="wr0ng-secret"), AccessKeys("nobody", "wr0ng-secret")]
)
def test_wrong_keys(seaweedfs: SeaweedServer, keys: AccessKeys, tmp_path: Path) -> None:
    bucket = seaweedfs.create_bucket()
    store = open_store(
        parse_location(f"s3://{bucket}/in"), replace(seaweedfs.connection, keys=keys)
    )
    error = all_raise(store, tmp_path, "STORAGE_DENIED")
    assert isinstance(error, UserError)
    assert "wr0ng-secret" not in str(error)


def test_a_missing_bucket(seaweedfs: SeaweedServer, tmp_path: Path) -> None:
    store = open_store(parse_location("s3://no-such-bucket/in"), seaweedfs.connection)
    assert "s3://no-such-bucket/in/" in str(all_raise(store, tmp_path, "BUCKET_NOT_FOUND"))


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    error = all_raise(store_at(f"http://127.0.0.1:{port}"), tmp_path, "STORE_UNREACHABLE")
    assert isinstance(error, TransientError)
    assert f"127.0.0.1:{port} cannot be reached: nothing listens there" in str(error)


def test_a_host_that_does_not_exist(tmp_path: Path) -> None:
    error = all_raise(store_at("no-such-host.invalid"), tmp_path, "STORE_UNREACHABLE")
    assert "there is no such host" in str(error)


@pytest.mark.usefixtures("hurried")
def test_a_server_that_never_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(50)
        store = store_at(f"http://127.0.0.1:{silent.getsockname()[1]}")
        started = time.monotonic()
        with pytest.raises(TransientError, match="did not answer in time"):
            store.read("a")
        assert time.monotonic() - started < SECONDS


def test_waiting_is_limited_without_being_told() -> None:
    patience = Patience()
    longest = patience.total_seconds + patience.answer_seconds
    assert patience.connect_seconds <= 5
    assert longest <= 40


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "failure",
    [
        refusal(503, "SlowDown"),
        refusal(500, "InternalError"),
        Canned(429),
        Canned(hang_up=True),
        Canned(pause=1.0),
    ],
    ids=["slow down", "internal", "too many", "hang up", "too slow"],
)
def test_a_moment_of_trouble_is_sat_out(failure: Canned, tmp_path: Path) -> None:
    headers = {"Last-Modified": "Wed, 21 Oct 2026 07:28:00 GMT", "ETag": "e"}
    for number in range(len(uses(store_at("x"), tmp_path))):
        good = Canned(200, DELETED if number == DELETES else LISTING, headers)
        with fake_store(failure, failure, good) as fake:
            uses(store_of(fake), tmp_path)[number]()
            assert len(fake.requests) >= 3
            assert len({request.target for request in fake.requests[:3]}) == 1


@pytest.mark.usefixtures("hurried")
def test_trouble_that_stays_is_reported(tmp_path: Path) -> None:
    with fake_store(refusal(503, "SlowDown", "Please reduce your request rate.")) as fake:
        started = time.monotonic()
        with pytest.raises(TransientError, match=r"STORE_BUSY.*reduce your request rate"):
            store_of(fake).read("a")
        assert time.monotonic() - started < SECONDS
        assert len(fake.requests) == 4


@pytest.mark.usefixtures("hurried")
def test_a_slow_upload_is_tried_again() -> None:
    with fake_store(refusal(400, "RequestTimeout"), Canned(200)) as fake:
        store_of(fake).write("a", b"x")
        assert [request.body for request in fake.requests] == [b"x", b"x"]


def test_a_refusal_is_not_tried_again(tmp_path: Path) -> None:
    with fake_store(refusal(403, "AccessDenied", "no")) as fake:
        with pytest.raises(UserError, match=r"STORAGE_DENIED.*AccessDenied: no"):
            store_of(fake).read("a")
        assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        (refusal(404, "NoSuchBucket"), "BUCKET_NOT_FOUND"),
        (refusal(400, "ExpiredToken"), "STORAGE_DENIED"),
        (refusal(403, "RequestTimeTooSkewed"), "STORAGE_DENIED"),
        (refusal(400, "InvalidArgument"), "STORE_REFUSED.*InvalidArgument: why"),
        (Canned(418, b"<html>what"), "STORE_REFUSED.*HTTP status 418"),
        (Canned(301, b"", {"x-amz-bucket-region": "eu-west-3"}), "OTHER_REGION.*eu-west-3"),
    ],
)
def test_refusals_have_names(answer: Canned, condition: str) -> None:
    with fake_store(answer) as fake, pytest.raises(UserError, match=condition):
        list(store_of(fake).list())


def test_a_store_that_repeats_a_secret_is_masked() -> None:
    with fake_store(refusal(403, "SignatureDoesNotMatch", f"for {SECRET} really")) as fake:
        store = store_of(fake)
        for use in (lambda: store.read("a"), lambda: store.head("a"), lambda: list(store.list())):
            with pytest.raises(UserError, match=r"\*\*\*\*") as caught:
                use()
            assert SECRET not in str(caught.value)


def test_a_file_that_is_protected_does_not_stop_the_others() -> None:
    with fake_store(refusal(403, "AccessDenied"), Canned(200, b"<DeleteResult/>")) as fake:
        assert store_of(fake).delete_many(["a\n", "b"]) == {"a\n": "AccessDenied"}


def test_secrets_do_not_show_in_what_is_printed() -> None:
    connection = StoreConnection(Scheme.S3, keys=replace(KEYS, session_token="t0ken"))
    assert SECRET not in repr(connection)
    assert "t0ken" not in repr(connection)


@pytest.mark.usefixtures("hurried")
def test_a_download_that_breaks_off_starts_over(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    with fake_store(Canned(200, content, cut=1000), Canned(200, content)) as fake:
        store_of(fake).get("a", tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == content
        assert len(fake.requests) == 2


@pytest.mark.usefixtures("hurried")
def test_a_download_that_never_ends_well_leaves_nothing(tmp_path: Path) -> None:
    broken = Canned(200, b"x" * 5000, cut=1000)
    with fake_store(broken) as fake, pytest.raises(TransientError, match="STORE_UNREACHABLE"):
        store_of(fake).get("a", tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


def test_what_could_not_be_deleted_is_named() -> None:
    error = b"<Error><Key>in/a&amp;b</Key><Code>AccessDenied</Code></Error>"
    body = b"<DeleteResult>" + error + b"</DeleteResult>"
    with fake_store(Canned(200, body)) as fake:
        assert store_of(fake).delete_many(["a&b", "c"]) == {"a&b": "AccessDenied"}
        assert fake.requests[0].target == "/bucket?delete="
        assert b"<Key>in/a&amp;b</Key>" in fake.requests[0].body


def test_a_thousand_files_are_deleted_at_once() -> None:
    with fake_store(Canned(200, b"<DeleteResult/>")) as fake:
        assert store_of(fake).delete_many(f"f{number}" for number in range(2500)) == {}
        counts = [request.body.count(b"<Key>") for request in fake.requests]
        assert counts == [1000, 1000, 500]


def test_a_connection_the_server_closed_meanwhile_is_replaced(seaweedfs: SeaweedServer) -> None:
    store = open_store(parse_location(f"s3://{seaweedfs.create_bucket()}/in"), seaweedfs.connection)
    store.write("a", b"x")
    for connection in store._exchange._idle:  # type: ignore[attr-defined]
        connection.sock.shutdown(socket.SHUT_RDWR)
    started = time.monotonic()
    assert store.read("a") == b"x"
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b"<html><body>Log in</body></html>",
        b"<ListBucketResult><Contents/></ListBucketResult>",
    ],
)
def test_the_page_of_somebody_else_is_no_empty_folder(body: bytes) -> None:
    with fake_store(Canned(200, body)) as fake:
        with pytest.raises(UserError, match="not what a store says"):
            list(store_of(fake).list())
        assert store_of(fake).delete_many([]) == {}
