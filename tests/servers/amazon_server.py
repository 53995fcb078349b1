"""moto's stand-in for Amazon, on loopback: S3 that tells SQS about new objects, and STS.

It checks no signatures and no rights.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from headwater.storage.addresses import Scheme
from headwater.storage.connections import AccessKeys, StoreConnection

REGION = "us-east-1"
ACCOUNT = "123456789012"
SECRET = "hw-moto-s3cret"
KEYS = AccessKeys("hw-moto-key", SECRET)


@dataclass(frozen=True, slots=True)
class AmazonServer:
    """A running server on 127.0.0.1."""

    port: int

    @property
    def endpoint(self) -> str:
        """ENDPOINT of a connection to it; S3, SQS and STS are all there."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def connection(self) -> StoreConnection:
        """A connection with keys."""
        return StoreConnection(Scheme.S3, endpoint=self.endpoint, region=REGION, keys=KEYS)

    def client(self, service: str) -> Any:
        """Amazon's own library, for what only an administrator does."""
        # Late, as the server below: most who import this file run tests that need neither.
        import boto3

        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=KEYS.access_key,
            aws_secret_access_key=KEYS.secret_key,
        )

    def create_queue(self, *, visibility_seconds: int = 30) -> str:
        """Makes an empty queue and returns its name."""
        name = "q" + uuid.uuid4().hex[:12]
        attributes = {"VisibilityTimeout": str(visibility_seconds)}
        self.client("sqs").create_queue(QueueName=name, Attributes=attributes)
        return name

    def send(self, queue: str, body: str) -> None:
        """Put a message into a queue."""
        url = f"{self.endpoint}/{ACCOUNT}/{queue}"
        self.client("sqs").send_message(QueueUrl=url, MessageBody=body)

    def create_bucket(self, *, queue: str | None = None) -> str:
        """Makes an empty bucket that tells `queue` about its objects, and returns its name."""
        name = "t" + uuid.uuid4().hex[:12]
        s3 = self.client("s3")
        s3.create_bucket(Bucket=name)
        if queue is not None:
            rule = {
                "QueueArn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}",
                "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"],
            }
            s3.put_bucket_notification_configuration(
                Bucket=name, NotificationConfiguration={"QueueConfigurations": [rule]}
            )
        return name


@contextmanager
def running_amazon() -> Iterator[AmazonServer]:
    """Starts a server in a thread of this process, and stops it at the end."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield AmazonServer(server.get_host_and_port()[1])
    finally:
        server.stop()
