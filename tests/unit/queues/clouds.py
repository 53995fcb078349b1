"""The queues of both clouds, as tests open them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.servers.amazon_server import AmazonServer
from tests.servers.mns_server import ACCESS_KEY, SECRET, MnsServer

from headwater.queues.open_queue import open_queue
from headwater.queues.queue import Queue
from headwater.storage.addresses import Scheme
from headwater.storage.connections import AccessKeys, StoreConnection

MNS_KEYS = AccessKeys(ACCESS_KEY, SECRET)


@dataclass(frozen=True, slots=True)
class Cloud:
    """One kind of queue, with a queue of its own for the test; messages are hidden a second."""

    name: str
    open: Callable[[str], Queue]
    send: Callable[[str], None]


def open_mns(server: MnsServer, name: str, keys: AccessKeys = MNS_KEYS) -> Queue:
    """A queue of the fake."""
    connection = StoreConnection(Scheme.OSS, region="cn-hangzhou", keys=keys)
    environment = {"ALICLOUD_MNS_ENDPOINT": server.endpoint}
    return open_queue(connection, sqs_queue=None, mns_queue=name, environment=environment)


def open_sqs(server: AmazonServer, name: str) -> Queue:
    """A queue of moto."""
    return open_queue(server.connection, sqs_queue=name, mns_queue=None, environment={})
