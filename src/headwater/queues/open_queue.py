"""From a connection and what a pipe says about its queue to that queue."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from headwater.errors import NotSupported, UserError
from headwater.queues.queue import Queue
from headwater.storage.addresses import Scheme
from headwater.storage.connections import StoreConnection
from headwater.storage.endpoints import parse_endpoint
from headwater.storage.open_store import keys_of

_OPTIONS = {Scheme.S3: "AWS_SQS_QUEUE", Scheme.OSS: "ALICLOUD_MNS_QUEUE"}
_ACCOUNT_OF_ROLE = re.compile(r"acs:ram::(?P<account>[0-9]+):role/")
_AMAZON = (".amazonaws.com", ".amazonaws.com.cn")


def open_queue(
    connection: StoreConnection,
    *,
    sqs_queue: str | None,
    mns_queue: str | None,
    environment: Mapping[str, str] | None = None,
) -> Queue:
    """The queue of a connection's cloud; nothing is asked of a server yet."""
    option = _OPTIONS.get(connection.scheme)
    if option is None:
        raise NotSupported("QUEUE_NOT_SUPPORTED", type=connection.scheme.upper())
    own, other = sqs_queue, mns_queue
    if connection.scheme is Scheme.OSS:
        own, other = mns_queue, sqs_queue
    if own is None or other is not None:
        raise UserError("QUEUE_OPTION_WRONG", type=connection.scheme.upper(), option=option)
    variables = os.environ if environment is None else environment
    keys = keys_of(connection, environment=variables)
    if connection.scheme is Scheme.OSS:
        from headwater.queues.mns import MnsQueue
        from headwater.queues.mns_names import mns_name

        return MnsQueue(mns_name(own, mns_server(connection, variables)), keys)
    from headwater.queues.sqs import SqsQueue
    from headwater.storage.s3 import s3_region

    return SqsQueue(own, s3_region(connection), keys, endpoint=sqs_server(connection, variables))


def sqs_server(connection: StoreConnection, environment: Mapping[str, str]) -> str | None:
    """The server to ask instead of Amazon's; one that stands in for S3 stands in for SQS too."""
    given = environment.get("AWS_ENDPOINT_URL_SQS") or environment.get("AWS_ENDPOINT_URL")
    if given or not connection.endpoint:
        return given
    of_amazon = parse_endpoint(connection.endpoint).host.endswith(_AMAZON)
    return None if of_amazon else connection.endpoint


def mns_server(connection: StoreConnection, environment: Mapping[str, str]) -> str | None:
    """The server that has a queue of which only the name is known: that of the role's account.

    The queue is in the region of the bucket, and on its private network if the bucket is.
    """
    given = environment.get("ALICLOUD_MNS_ENDPOINT")
    arn = "" if connection.role is None else connection.role.arn
    found = _ACCOUNT_OF_ROLE.match(arn)
    if given or found is None:
        return given
    from headwater.storage.oss import oss_region, oss_server

    network = "-internal" if "-internal." in oss_server(connection).host else ""
    return f"https://{found['account']}.mns.{oss_region(connection)}{network}.aliyuncs.com"
