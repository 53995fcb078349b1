"""No request made up from the description of the API brings it down."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    ignored_auth,
    positive_data_acceptance,
)
from scripts import openapi_file
from tests.processes import wait_for

from headwater.client.local_service import TOKEN_FILE
from headwater.service.limits import Limits
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing

pytest_plugins = ["schemathesis.pytest.plugin"]

DESCRIBED = schemathesis.openapi.from_dict(json.loads(openapi_file.FILE.read_text()))
# Events never end: of those the first line is enough.
EVENTS = DESCRIBED.include(path_regex=r"/events$")
MADE_UP = DESCRIBED.exclude(path_regex=r"/events$")
# A statement may be wrong whatever its shape; who comes often without a token gets 429; where two
# pages share a path, what it takes is not what one of them takes.
NOT_SO = [positive_data_acceptance, ignored_auth, allow_header_conformance]


@pytest.fixture(scope="module")
def served(new_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A service whose statements all fail before they could reach Spark."""
    lake = shutil.copytree(new_lake, tmp_path_factory.mktemp("fuzzed") / "lake")
    opened = Service.open(lake, loops=False)
    service = Service(opened.lake, limits=Limits(stop_seconds=1, sessions=10_000), loops=False)
    server = Server(service, Listening(port=0))
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    yield server.url, (lake / TOKEN_FILE).read_text()
    server.stop()
    assert not service.lake.engine.started


@MADE_UP.parametrize()
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
def test_no_request_is_a_bug_and_answers_are_as_described(
    case: schemathesis.Case, served: tuple[str, str]
) -> None:
    url, token = served
    headers = {"Authorization": f"Bearer {token}"}
    answer: Response = case.call(base_url=url, headers=headers)
    assert answer.status_code < 500, answer.text
    case.validate_response(answer, excluded_checks=NOT_SO)
    if answer.status_code >= 400 and "json" in str(answer.headers.get("content-type")):
        assert answer.json()["error"]["condition"]


@EVENTS.parametrize()
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_no_request_for_events_is_a_bug(case: schemathesis.Case, served: tuple[str, str]) -> None:
    url, token = served
    for bearer in (token, "wrong"):
        headers = {"Authorization": f"Bearer {bearer}"}
        asked = case.as_transport_kwargs(base_url=url, headers=headers)
        with requests.request(**asked, stream=True, timeout=10) as answer:
            assert answer.status_code < 500
            if bearer != token:
                assert answer.status_code in (401, 429)
            elif answer.status_code == 200:
                assert next(answer.iter_lines()) == b": hello"
            else:
                assert answer.json()["error"]["condition"]


@MADE_UP.parametrize()
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
def test_no_request_without_a_token_is_answered(
    case: schemathesis.Case, served: tuple[str, str]
) -> None:
    url, _ = served
    answer = case.call(base_url=url, headers={"Authorization": "Bearer wrong"})
    # Who tries too often is not looked at any more.
    refused = {401, 429}
    assert answer.status_code in (
        refused if case.path.startswith("/api") else refused | {200, 400, 405}
    )
