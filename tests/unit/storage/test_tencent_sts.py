"""Assuming a role at Tencent, against a fake of its STS that checks nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store

from headwater.errors import TransientError, UserError
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, Role, StoreConnection
from headwater.storage.open_store import keys_of, open_store
from headwater.storage.tencent_sts import TencentRoleKeys, tc3_signature

ROLE = Role("qcs::cam::uin/12345678:roleName/reader", "hw-external-id")
OWN = {"TENCENTCLOUD_SECRET_ID": "own-key", "TENCENTCLOUD_SECRET_KEY": "own-s3cret"}
START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def answer(number: int = 1, expires_at: datetime = START + timedelta(hours=1)) -> Canned:
    keys = {"TmpSecretId": f"temp-{number}", "TmpSecretKey": "temp-s3cret", "Token": "t0ken"}
    found = {"Credentials": keys, "ExpiredTime": int(expires_at.timestamp()), "RequestId": "1"}
    return Canned(200, json.dumps({"Response": found}).encode())


def refusal(code: str) -> Canned:
    error = {"Code": code, "Message": "not for own-s3cret"}
    return Canned(200, json.dumps({"Response": {"Error": error, "RequestId": "1"}}).encode())


def environment(fake: FakeStore) -> dict[str, str]:
    return {**OWN, "TENCENTCLOUD_STS_ENDPOINT": f"http://127.0.0.1:{fake.port}"}


def test_the_signature_in_tencents_documents() -> None:
    body = (
        b'{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}'
    )
    keys = AccessKeys("AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE", "Gu5t9xGARNpq86cd98joQYCN3EXAMPLE")
    at = datetime.fromtimestamp(1551113065, UTC)
    assert tc3_signature("cvm.tencentcloudapi.com", body, keys, at, "cvm") == (
        f"TC3-HMAC-SHA256 Credential={keys.access_key}/2019-02-25/cvm/tc3_request,"
        " SignedHeaders=content-type;host,"
        " Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168"
    )


def test_the_call_names_the_role_and_its_external_id() -> None:
    with fake_store(answer()) as fake:
        variables = {**environment(fake), "TENCENTCLOUD_TOKEN": "own-t0ken"}
        keys = TencentRoleKeys(ROLE, "ap-shanghai", variables, clock=lambda: START)()
        assert keys == AccessKeys("temp-1", "temp-s3cret", "t0ken", START + timedelta(hours=1))
        (request,) = fake.requests
        assert (request.method, request.target) == ("POST", "/")
        assert json.loads(request.body) == {
            "RoleArn": ROLE.arn,
            "RoleSessionName": "headwater",
            "ExternalId": "hw-external-id",
            "DurationSeconds": 3600,
        }
        sent = request.headers
        assert (sent["x-tc-action"], sent["x-tc-version"]) == ("AssumeRole", "2018-08-13")
        assert (sent["x-tc-region"], sent["x-tc-token"]) == ("ap-shanghai", "own-t0ken")
        at = datetime.fromtimestamp(int(sent["x-tc-timestamp"]), UTC)
        own = AccessKeys("own-key", "own-s3cret")
        expected = tc3_signature(f"127.0.0.1:{fake.port}", request.body, own, at, "sts")
        assert sent["authorization"] == expected
        assert "own-s3cret" not in str(request)


def test_a_store_with_a_role_uses_its_keys() -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    listing = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
    with fake_store(answer(1, soon)) as sts, fake_store(Canned(200, listing)) as cos:
        endpoint = f"http://localhost:{cos.port}"
        connection = StoreConnection(
            Scheme.COS, endpoint, region="ap-shanghai", app_id="1300000000", role=ROLE
        )
        address = parse_location("cos://bucket/in")
        store = open_store(address, connection, environment=environment(sts))
        assert sts.requests == [], "nothing is asked before it is needed"
        assert list(store.list()) == [[]]
        assert list(store.list()) == [[]]
        assert len(sts.requests) == 1
        assert "Credential=temp-1/" in cos.requests[0].headers["authorization"]
        assert cos.requests[0].headers["x-amz-security-token"] == "t0ken"


def test_without_own_keys_it_says_what_to_set() -> None:
    connection = StoreConnection(Scheme.COS, region="ap-shanghai", role=ROLE)
    with pytest.raises(UserError, match="set TENCENTCLOUD_SECRET_ID and") as caught:
        keys_of(connection, environment={})()
    assert caught.value.condition == "ROLE_NEEDS_KEYS"


def test_a_refusal_shows_the_external_id_to_copy() -> None:
    code = "UnauthorizedOperation"
    with fake_store(refusal(code)) as fake, pytest.raises(UserError) as caught:
        TencentRoleKeys(ROLE, "ap-shanghai", environment(fake))()
    assert caught.value.condition == "ROLE_REFUSED"
    assert f"{code}: not for ****" in str(caught.value)
    assert "sts:ExternalId 'hw-external-id'" in str(caught.value)


@pytest.mark.parametrize("code", ["InternalError.DbError", "RequestLimitExceeded"])
def test_a_moment_of_trouble_is_told_apart(code: str) -> None:
    with fake_store(refusal(code)) as fake, pytest.raises(TransientError, match="STORE_BUSY"):
        TencentRoleKeys(ROLE, "ap-shanghai", environment(fake))()


@pytest.mark.parametrize("body", [b"", b"[]", b"junk", b'{"Response": {"Credentials": {}}}'])
def test_an_answer_that_is_none_shows_nothing_of_it(body: bytes) -> None:
    with fake_store(Canned(200, body)) as fake, pytest.raises(UserError) as caught:
        TencentRoleKeys(ROLE, "ap-shanghai", environment(fake))()
    assert "cannot be understood" in str(caught.value)


def test_a_server_that_is_down() -> None:
    with fake_store() as fake:
        variables = environment(fake)
    with pytest.raises(TransientError):
        TencentRoleKeys(ROLE, "ap-shanghai", variables)()
