"""Assuming a role, against a fake of Amazon's STS that checks nothing."""

from __future__ import annotations

import os
import urllib.parse
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store

from headwater.errors import UserError
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, Role, StoreConnection
from headwater.storage.open_store import keys_of, open_store
from headwater.storage.sts import RoleKeys

ROLE = Role("arn:aws:iam::123456789012:role/reader", "hw-external-id")
OWN = {"AWS_ACCESS_KEY_ID": "own-key", "AWS_SECRET_ACCESS_KEY": "own-s3cret"}
START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def answer(number: int = 1, expires_at: datetime = START + timedelta(hours=1)) -> Canned:
    text = f"""<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
    <AssumeRoleResult><Credentials><AccessKeyId>temp-{number}</AccessKeyId>
    <SecretAccessKey>temp-s3cret</SecretAccessKey><SessionToken>t0ken</SessionToken>
    <Expiration>{expires_at:%Y-%m-%dT%H:%M:%SZ}</Expiration></Credentials></AssumeRoleResult>
    </AssumeRoleResponse>"""
    return Canned(200, text.encode())


def environment(fake: FakeStore) -> dict[str, str]:
    return {**OWN, "AWS_ENDPOINT_URL_STS": f"http://127.0.0.1:{fake.port}"}


def test_the_call_names_the_role_and_its_external_id() -> None:
    with fake_store(answer()) as fake:
        keys = RoleKeys(ROLE, "eu-west-1", environment(fake), clock=lambda: START)()
        assert keys == AccessKeys("temp-1", "temp-s3cret", "t0ken", START + timedelta(hours=1))
        (request,) = fake.requests
        form = dict(urllib.parse.parse_qsl(request.body.decode()))
        assert (request.method, request.target) == ("POST", "/")
        assert form["Action"] == "AssumeRole"
        assert form["RoleArn"] == ROLE.arn
        assert form["ExternalId"] == "hw-external-id"
        assert "/eu-west-1/sts/aws4_request" in request.headers["authorization"]
        assert "own-s3cret" not in str(request)


def test_keys_are_kept_until_shortly_before_they_end() -> None:
    now = [START]
    with fake_store(answer(1), answer(2, START + timedelta(hours=2))) as fake:
        keys = RoleKeys(ROLE, "eu-west-1", environment(fake), clock=lambda: now[0])
        assert {keys().access_key for _ in range(5)} == {"temp-1"}
        now[0] = START + timedelta(minutes=54)
        assert keys().access_key == "temp-1"
        now[0] = START + timedelta(minutes=56)
        assert keys().access_key == "temp-2"
        assert len(fake.requests) == 2


def test_a_store_with_a_role_uses_its_keys() -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    listing = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
    with fake_store(answer(1, soon)) as sts, fake_store(Canned(200, listing)) as s3:
        connection = StoreConnection(Scheme.S3, f"http://127.0.0.1:{s3.port}", role=ROLE)
        store = open_store(
            parse_location("s3://bucket/in"), connection, environment=environment(sts)
        )
        assert sts.requests == [], "nothing is asked before it is needed"
        assert list(store.list()) == [[]]
        assert list(store.list()) == [[]]
        assert len(sts.requests) == 1
        assert "Credential=temp-1/" in s3.requests[0].headers["authorization"]
        assert s3.requests[0].headers["x-amz-security-token"] == "t0ken"


def test_all_who_use_a_connection_share_the_keys_of_its_role(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found by reading: each statement asked anew, and the clients of the bucket were made anew."""
    soon = datetime.now(UTC) + timedelta(hours=1)
    role, other = (Role(ROLE.arn, uuid.uuid4().hex) for _ in range(2))
    with fake_store(answer(1, soon), answer(2, soon)) as sts:
        for name, value in environment(sts).items():
            monkeypatch.setenv(name, value)
        inside, outside = (
            StoreConnection(Scheme.S3, endpoint, "eu-west-1", role=role)
            for endpoint in (None, "s3.example.com")
        )
        for connection in (inside, outside, inside):
            assert keys_of(connection)().access_key == "temp-1"
            assert keys_of(connection, environment=os.environ)().access_key == "temp-1"
        apart = StoreConnection(Scheme.S3, region="eu-west-1", role=other)
        assert keys_of(apart)().access_key == "temp-2"
        assert len(sts.requests) == 2


def test_without_own_keys_it_says_what_to_set() -> None:
    with pytest.raises(UserError, match="set these where Headwater runs: AWS_ACCESS_KEY_ID"):
        RoleKeys(ROLE, "eu-west-1", {})()


def test_a_refusal_shows_the_external_id_to_copy() -> None:
    body = b"""<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error>
    <Code>AccessDenied</Code><Message>not authorized: own-s3cret</Message></Error>
    </ErrorResponse>"""
    with fake_store(Canned(403, body)) as fake, pytest.raises(UserError) as caught:
        RoleKeys(ROLE, "eu-west-1", environment(fake))()
    assert caught.value.condition == "ROLE_REFUSED"
    assert "AccessDenied: not authorized: ****" in str(caught.value)
    assert "sts:ExternalId 'hw-external-id'" in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"<x/>", b"junk", b"<a><AccessKeyId>x</AccessKeyId></a>"])
def test_an_answer_without_keys_is_refused(body: bytes) -> None:
    with fake_store(Canned(200, body)) as fake, pytest.raises(UserError, match="ROLE_REFUSED"):
        RoleKeys(ROLE, "eu-west-1", environment(fake))()
