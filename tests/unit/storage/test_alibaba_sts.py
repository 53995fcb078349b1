"""Assuming a role at Alibaba, against a fake of its STS that checks nothing."""

from __future__ import annotations

import urllib.parse
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store

from headwater.errors import TransientError, UserError
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.alibaba_sts import AlibabaRoleKeys, rpc_signature
from headwater.storage.connections import AccessKeys, Role, StoreConnection
from headwater.storage.open_store import keys_of, open_store

ROLE = Role("acs:ram::1234567890:role/reader", "hw-external-id")
OWN = {
    "ALIBABA_CLOUD_ACCESS_KEY_ID": "own-key",
    "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "own-s3cret",
}
START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def answer(number: int = 1, expires_at: datetime = START + timedelta(hours=1)) -> Canned:
    text = f"""<?xml version='1.0' encoding='UTF-8'?><AssumeRoleResponse><RequestId>1</RequestId>
    <AssumedRoleUser><Arn>acs:ram::1:role/reader/headwater</Arn></AssumedRoleUser><Credentials>
    <SecurityToken>t0ken</SecurityToken><AccessKeyId>STS.temp-{number}</AccessKeyId>
    <AccessKeySecret>temp-s3cret</AccessKeySecret>
    <Expiration>{expires_at:%Y-%m-%dT%H:%M:%SZ}</Expiration></Credentials></AssumeRoleResponse>"""
    return Canned(200, text.encode())


def environment(fake: FakeStore) -> dict[str, str]:
    return {**OWN, "ALIBABA_CLOUD_STS_ENDPOINT": f"http://127.0.0.1:{fake.port}"}


def form(body: bytes) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))


def test_the_signature_in_alibabas_documents() -> None:
    parameters = {
        "Timestamp": "2016-02-23T12:46:24Z",
        "Format": "XML",
        "AccessKeyId": "testid",
        "Action": "DescribeRegions",
        "SignatureMethod": "HMAC-SHA1",
        "SignatureNonce": "3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf",
        "Version": "2014-05-26",
        "SignatureVersion": "1.0",
    }
    assert rpc_signature("GET", parameters, "testsecret") == "OLeaidS1JvxuMvnyHOwuJ+uX5qY="


def test_the_call_names_the_role_and_its_external_id() -> None:
    with fake_store(answer()) as fake:
        variables = {**environment(fake), "ALIBABA_CLOUD_SECURITY_TOKEN": "own-t0ken"}
        keys = AlibabaRoleKeys(ROLE, "cn-hangzhou", variables, clock=lambda: START)()
        expected = AccessKeys("STS.temp-1", "temp-s3cret", "t0ken", START + timedelta(hours=1))
        assert keys == expected
        (request,) = fake.requests
        assert (request.method, request.target) == ("POST", "/")
        sent = form(request.body)
        assert sent["Action"] == "AssumeRole"
        assert sent["RoleArn"] == ROLE.arn
        assert sent["ExternalId"] == "hw-external-id"
        assert sent["AccessKeyId"] == "own-key"
        assert sent["SecurityToken"] == "own-t0ken"
        signature = sent.pop("Signature")
        assert signature == rpc_signature("POST", sent, "own-s3cret")
        assert "own-s3cret" not in str(request)


def test_a_second_attempt_is_no_replay() -> None:
    with fake_store(Canned(503), answer()) as fake:
        AlibabaRoleKeys(ROLE, "cn-hangzhou", environment(fake), clock=lambda: START)()
        first, second = (form(request.body) for request in fake.requests)
        assert first["SignatureNonce"] != second["SignatureNonce"]


def test_keys_are_kept_until_shortly_before_they_end() -> None:
    moment = [START]
    with fake_store(answer(1), answer(2, START + timedelta(hours=2))) as fake:
        keys = AlibabaRoleKeys(ROLE, "cn-hangzhou", environment(fake), clock=lambda: moment[0])
        moment[0] = START + timedelta(minutes=54)
        assert {keys().access_key for _ in range(5)} == {"STS.temp-1"}
        moment[0] = START + timedelta(minutes=56)
        assert keys().access_key == "STS.temp-2"


def test_a_store_with_a_role_uses_its_keys() -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    listing = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
    with fake_store(answer(1, soon)) as sts, fake_store(Canned(200, listing)) as oss:
        endpoint = f"http://oss-cn-hangzhou.localhost:{oss.port}"
        connection = StoreConnection(Scheme.OSS, endpoint, role=ROLE)
        address = parse_location("oss://bucket/in")
        store = open_store(address, connection, environment=environment(sts))
        assert sts.requests == [], "nothing is asked before it is needed"
        assert list(store.list()) == [[]]
        assert list(store.list()) == [[]]
        assert len(sts.requests) == 1
        assert "Credential=STS.temp-1/" in oss.requests[0].headers["authorization"]
        assert oss.requests[0].headers["x-oss-security-token"] == "t0ken"


def test_without_own_keys_it_says_what_to_set() -> None:
    connection = StoreConnection(Scheme.OSS, region="cn-hangzhou", role=ROLE)
    with pytest.raises(UserError, match="set ALIBABA_CLOUD_ACCESS_KEY_ID and") as caught:
        keys_of(connection, environment={})()
    assert caught.value.condition == "ROLE_NEEDS_KEYS"


def test_a_refusal_shows_the_external_id_to_copy() -> None:
    body = b"""<?xml version='1.0' encoding='UTF-8'?><Error><RequestId>1</RequestId>
    <HostId>sts.aliyuncs.com</HostId><Code>NoPermission</Code>
    <Message>You are not authorized: own-s3cret</Message></Error>"""
    with fake_store(Canned(403, body)) as fake, pytest.raises(UserError) as caught:
        AlibabaRoleKeys(ROLE, "cn-hangzhou", environment(fake))()
    assert caught.value.condition == "ROLE_REFUSED"
    assert "NoPermission: You are not authorized: ****" in str(caught.value)
    assert "sts:ExternalId 'hw-external-id'" in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"<x/>", b"junk", b"<a><AccessKeyId>x</AccessKeyId></a>"])
def test_an_answer_that_is_none_shows_nothing_of_it(body: bytes) -> None:
    with fake_store(Canned(200, body)) as fake, pytest.raises(UserError) as caught:
        AlibabaRoleKeys(ROLE, "cn-hangzhou", environment(fake))()
    assert "cannot be understood" in str(caught.value)


def test_a_server_that_is_down() -> None:
    with fake_store() as fake:
        variables = environment(fake)
    with pytest.raises(TransientError):
        AlibabaRoleKeys(ROLE, "cn-hangzhou", variables)()
