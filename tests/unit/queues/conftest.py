"""Runs each test of a queue on SQS, as moto does it, and on a fake of MNS."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.servers.amazon_server import AmazonServer, running_amazon
from tests.servers.mns_server import MnsServer, running_mns
from tests.unit.queues.clouds import Cloud, open_mns, open_sqs

from headwater.queues.queue import Queue


@pytest.fixture(scope="session")
def amazon() -> Iterator[AmazonServer]:
    """S3, SQS and STS in one server, which stops with the tests."""
    with running_amazon() as server:
        yield server


@pytest.fixture
def mns() -> Iterator[MnsServer]:
    """An account of MNS for one test."""
    with running_mns(visibility_seconds=1.0) as server:
        yield server


@pytest.fixture(params=["sqs", "mns"])
def cloud(request: pytest.FixtureRequest) -> Cloud:
    if request.param == "sqs":
        amazon: AmazonServer = request.getfixturevalue("amazon")
        name = amazon.create_queue(visibility_seconds=1)
        return Cloud(name, lambda q: open_sqs(amazon, q), lambda body: amazon.send(name, body))
    mns: MnsServer = request.getfixturevalue("mns")
    name = mns.create_queue()
    return Cloud(name, lambda q: open_mns(mns, q), lambda body: mns.send(name, body))


@pytest.fixture
def queue(cloud: Cloud) -> Iterator[Queue]:
    opened = cloud.open(cloud.name)
    yield opened
    opened.close()
