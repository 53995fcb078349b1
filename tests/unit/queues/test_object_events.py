"""Reading what stores write about objects."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.queues.object_events import MalformedMessage, ObjectEvent, objects_in, path_below
from headwater.storage.addresses import Scheme, parse_location


def s3_record(name: str = "ObjectCreated:Put", key: str = "in/a.csv") -> dict[str, Any]:
    """A record as Amazon's documents show it, without what nobody reads."""
    thing = {"key": key, "size": 1024, "eTag": "d41d8cd98f00b204e9800998ecf8427e"}
    return {"eventName": name, "s3": {"bucket": {"name": "sales"}, "object": thing}}


def oss_event(name: str = "ObjectCreated:PutObject", key: str = "in/a.csv") -> dict[str, Any]:
    """An event as Alibaba's documents show it, without what nobody reads."""
    thing = {"key": key, "size": 122539, "deltaSize": 1, "eTag": "688A7BF4F233DC9C88A80BF985AB7329"}
    return {"eventName": name, "oss": {"bucket": {"name": "sales"}, "object": thing}}


def s3(*records: object) -> list[ObjectEvent]:
    return objects_in(json.dumps({"Records": records}), source=Scheme.S3)


def oss(*events: object) -> list[ObjectEvent]:
    return objects_in(json.dumps({"events": events}), source=Scheme.OSS)


def test_a_record_of_s3() -> None:
    expected = ObjectEvent("sales", "in/a.csv", 1024, "d41d8cd98f00b204e9800998ecf8427e", True)
    assert s3(s3_record()) == [expected]
    assert s3(s3_record(), s3_record()) == [expected, expected]
    assert s3() == []


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("in%2Fa+b.csv", "in/a b.csv"),
        ("1%2B1%25.csv", "1+1%.csv"),
        ("%E6%97%A5.csv", "日.csv"),
        ("日.csv", "日.csv"),
        ("a%zz", "a%zz"),
    ],
)
def test_s3_encodes_keys_like_a_form(written: str, key: str) -> None:
    assert s3(s3_record(key=written))[0].key == key


@pytest.mark.parametrize(
    ("name", "created"),
    [
        ("ObjectCreated:CompleteMultipartUpload", True),
        ("s3:ObjectCreated:Copy", True),
        ("ObjectRemoved:Delete", False),
        ("ObjectRestore:Completed", False),
        ("LifecycleTransition", False),
    ],
)
def test_which_events_of_s3_create(name: str, created: bool) -> None:
    assert s3(s3_record(name))[0].created is created


def test_s3_tries_the_way() -> None:
    body = '{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"sales","RequestId":"1"}'
    assert objects_in(body, source=Scheme.S3) == []


def test_through_a_topic() -> None:
    inner = json.dumps({"Records": [s3_record(key="a+b")]})
    body = json.dumps({"Type": "Notification", "TopicArn": "arn:..", "Message": inner})
    assert [event.key for event in objects_in(body, source=Scheme.S3)] == ["a b"]
    trial = json.dumps({"Type": "Notification", "Message": '{"Event":"s3:TestEvent"}'})
    assert objects_in(trial, source=Scheme.S3) == []


@pytest.mark.parametrize(("kind", "created"), [("Object Created", True), ("Object Deleted", False)])
def test_event_bridge_leaves_keys_as_they_are(kind: str, created: bool) -> None:
    detail = {"bucket": {"name": "sales"}, "object": {"key": "a+b%20.csv", "size": 5, "etag": "e"}}
    body = json.dumps({"version": "0", "detail-type": kind, "source": "aws.s3", "detail": detail})
    expected = ObjectEvent("sales", "a+b%20.csv", 5, "e", created)
    assert objects_in(body, source=Scheme.S3) == [expected]


def test_an_event_of_oss_keeps_its_key() -> None:
    etag = "688A7BF4F233DC9C88A80BF985AB7329"
    expected = ObjectEvent("sales", "a+b%20 日.csv", 122539, etag, True)
    assert oss(oss_event(key="a+b%20 日.csv")) == [expected]


def test_messages_of_mns_may_be_in_base64() -> None:
    text = json.dumps({"events": [oss_event(key="日.csv")]}, ensure_ascii=False).encode()
    for body in (base64.b64encode(text), base64.encodebytes(text), b"\n" + text):
        assert [e.key for e in objects_in(body.decode(), source=Scheme.OSS)] == ["日.csv"]


def test_through_a_topic_of_mns() -> None:
    inner = json.dumps({"events": [oss_event()]})
    for passed_on in (inner, base64.b64encode(inner.encode()).decode()):
        body = json.dumps({"TopicOwner": "1", "TopicName": "oss", "Message": passed_on})
        assert [event.key for event in objects_in(body, source=Scheme.OSS)] == ["in/a.csv"]


@pytest.mark.parametrize(
    ("name", "created"),
    [
        ("ObjectCreated:CompleteMultipartUpload", True),
        ("ObjectCreated:AppendObject", True),
        ("ObjectReplication:ObjectCreated", True),
        ("ObjectReplication:ObjectRemoved", False),
        ("ObjectRemoved:DeleteObject", False),
        ("ObjectDownloaded:GetObject", False),
        ("ObjectCreated:InitiateMultipartUpload", False),
        ("ObjectCreated:UploadPart", False),
        ("ObjectCreated:UploadPartCopy", False),
    ],
)
def test_which_events_of_oss_create(name: str, created: bool) -> None:
    assert oss(oss_event(name))[0].created is created


@pytest.mark.parametrize("size", [None, "5", -1, 1.5, True, [], {}])
def test_a_size_that_is_none_is_not_known(size: object) -> None:
    record = s3_record()
    record["s3"]["object"]["size"] = size
    assert s3(record)[0].size is None


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        "null",
        "[]",
        "{}",
        '{"Records": {}}',
        '{"Records": [1]}',
        '{"Records": [{"eventName": "ObjectCreated:Put"}]}',
        '{"Records": [{"eventName": "x", "s3": {"bucket": {"name": "b"}, "object": {"key": 1}}}]}',
        '{"Records": [{"eventName": "x", "s3": {"bucket": {"name": "b"}, "object": {"key": ""}}}]}',
        '{"Records": [{"s3": {"bucket": {"name": "b"}, "object": {"key": "k"}}}]}',
        '{"Records": [{"eventName": "x", "s3": {"bucket": {"name":"b"},"object":{"key":"%ff"}}}]}',
        json.dumps({"Records": [s3_record(key="\ud800")]}),
        '{"Type": "Notification", "Message": "hello"}',
        '{"Type": "SubscriptionConfirmation", "Message": "{}"}',
        '{"detail-type": "Object Created"}',
        '{"a": ' + "[" * 500_000,
        "[" * 500_000,
        '{"Records": [' + "1" * 5000 + "]}",
        " " * (1 << 20) + "{}",
    ],
)
@pytest.mark.parametrize("source", [Scheme.S3, Scheme.OSS])
def test_anything_else_is_malformed(body: str, source: Scheme) -> None:
    with pytest.raises(MalformedMessage):
        objects_in(body, source=source)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["s3", "oss", "key", "Records"]), inner)
    ),
)
BROKEN = st.dictionaries(
    st.sampled_from(["Records", "events", "Type", "Message", "detail-type", "detail", "Event"]),
    JSON | st.just("Notification") | st.just([s3_record()]) | st.just([oss_event()]),
)


@given(st.text() | BROKEN.map(json.dumps), st.sampled_from([Scheme.S3, Scheme.OSS]))
def test_whatever_the_text_nothing_else_is_raised(body: str, source: Scheme) -> None:
    try:
        found = objects_in(body, source=source)
    except MalformedMessage:
        return
    assert all(event.key and event.bucket for event in found)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_keys_survive_the_way_through_json(key: str) -> None:
    assert [event.key for event in s3(s3_record(key=quote_plus(key)))] == [key]
    assert [event.key for event in oss(oss_event(key=key))] == [key]


@pytest.mark.parametrize(
    ("bucket", "key", "path"),
    [
        ("sales", "in/a b.csv", "a b.csv"),
        ("sales", "in/sub/a.csv", "sub/a.csv"),
        ("sales", "in/", None),
        ("sales", "in/sub/", None),
        ("sales", "in", None),
        ("sales", "inbox/a.csv", None),
        ("sales", "a.csv", None),
        ("other", "in/a.csv", None),
        ("sales", "in/../secret", None),
        ("sales", "in//a.csv", None),
        ("sales", "in/a\0b", None),
    ],
)
def test_the_path_below_a_volume(bucket: str, key: str, path: str | None) -> None:
    event = ObjectEvent(bucket, key, None, None, True)
    assert path_below(event, parse_location("s3://sales/in/")) == path
