"""Objects that are put into S3, as a queue tells about them; both are moto's."""

from __future__ import annotations

import hashlib

import pytest
from tests.servers.amazon_server import ACCOUNT, REGION, AmazonServer
from tests.unit.queues.clouds import open_sqs

from headwater.queues.object_events import ObjectEvent, objects_in, path_below
from headwater.queues.open_queue import open_queue
from headwater.queues.queue import Queue
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import Role, StoreConnection
from headwater.storage.open_store import open_store

PATHS = ["a.csv", "two words.csv", "1+1=2.csv", "100%.csv", "%2B.csv", "ü/日本 #?&.csv", "a'b\"c"]


def events(queue: Queue) -> list[ObjectEvent]:
    """What the queue tells now; the message by which S3 tests the way holds no event."""
    found: list[ObjectEvent] = []
    while messages := queue.receive(wait_seconds=1):
        for message in messages:
            found += objects_in(message.body, source=Scheme.S3)
        queue.delete(messages)
    return found


def test_every_name_comes_back_as_it_was_written(amazon: AmazonServer) -> None:
    name = amazon.create_queue()
    address = parse_location(f"s3://{amazon.create_bucket(queue=name)}/in box/")
    store = open_store(address, amazon.connection)
    for path in PATHS:
        store.write(path, path.encode())
    told = {path_below(event, address): event for event in events(open_sqs(amazon, name))}
    assert set(told) == set(PATHS)
    for path, event in told.items():
        assert path is not None
        file = store.head(path)
        assert file is not None
        assert (event.size, event.etag, event.created) == (file.size, file.etag, True)
        assert event.etag == hashlib.md5(path.encode()).hexdigest()


def test_an_object_that_is_removed_is_none_to_load(amazon: AmazonServer) -> None:
    name = amazon.create_queue()
    address = parse_location(f"s3://{amazon.create_bucket(queue=name)}/in/")
    store = open_store(address, amazon.connection)
    store.write("a.csv", b"1")
    store.delete_many(["a.csv"])
    told = [(event.key, event.created) for event in events(open_sqs(amazon, name))]
    assert sorted(told) == [("in/a.csv", False), ("in/a.csv", True)]


def test_an_upload_in_parts_is_told_about_more_than_once(amazon: AmazonServer) -> None:
    name = amazon.create_queue()
    bucket = amazon.create_bucket(queue=name)
    s3 = amazon.client("s3")
    upload = s3.create_multipart_upload(Bucket=bucket, Key="in/big.csv")["UploadId"]
    where = {"Bucket": bucket, "Key": "in/big.csv", "UploadId": upload}
    part = s3.upload_part(**where, PartNumber=1, Body=b"1,2\n")
    parts = [{"PartNumber": 1, "ETag": part["ETag"]}]
    s3.complete_multipart_upload(**where, MultipartUpload={"Parts": parts})
    told = events(open_sqs(amazon, name))
    assert len(told) > 1, "readers must not mind"
    assert {(event.key, event.created) for event in told} == {("in/big.csv", True)}


@pytest.mark.parametrize("form", ["{name}", "arn:aws:sqs:{region}:{account}:{name}"])
def test_the_forms_of_a_queue(amazon: AmazonServer, form: str) -> None:
    name = amazon.create_queue()
    amazon.send(name, "hello")
    queue = open_sqs(amazon, form.format(name=name, region=REGION, account=ACCOUNT))
    assert [message.body for message in queue.receive(wait_seconds=5)] == ["hello"]


def test_a_role_reads_the_store_and_its_queue(amazon: AmazonServer) -> None:
    environment = {
        "AWS_ACCESS_KEY_ID": "own-key",
        "AWS_SECRET_ACCESS_KEY": "own-s3cret",
        "AWS_ENDPOINT_URL_STS": amazon.endpoint,
        "AWS_ENDPOINT_URL_SQS": amazon.endpoint,
    }
    role = Role(f"arn:aws:iam::{ACCOUNT}:role/reader", "hw-external-id")
    connection = StoreConnection(Scheme.S3, amazon.endpoint, REGION, role=role)
    name = amazon.create_queue()
    address = parse_location(f"s3://{amazon.create_bucket(queue=name)}/in/")
    open_store(address, connection, environment=environment).write("a.csv", b"1")
    queue = open_queue(connection, sqs_queue=name, mns_queue=None, environment=environment)
    assert [path_below(event, address) for event in events(queue)] == ["a.csv"]
