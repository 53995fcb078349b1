"""What all tests share: hypothesis prints how to repeat a failure; Ctrl-C means something.

Processes that a test starts, in whatever folder, run the same code as the test.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from tests.few_rows import LASTING, SHORT
from tests.kafka_fixture import kafka_broker  # noqa: F401 - a fixture
from tests.longest_first import is_long, longest_first, shares_what_is_dear
from tests.seaweedfs import SeaweedServer, running_seaweedfs
from tests.worker_reports import run_and_tell

# Until all tests are loaded: a fifth of the time would go into looking for garbage in them.
gc.disable()

_numbers = count()

settings.register_profile("headwater", print_blob=True, deadline=None)
settings.load_profile("headwater")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest --bless` writes what came out into the files, for review with git diff."""
    parser.addoption(
        "--bless", action="store_true", help="rewrite what tests/sql and tests/plans expect"
    )


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    """Whether mismatches become the new expectation."""
    return bool(request.config.getoption("--bless"))


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for one test; pytest itself looks through those of all others for a free name."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}-{next(_numbers)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def short_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that this test starts run a few statements each."""
    monkeypatch.setenv("HEADWATER_SPARK_CONF", json.dumps(SHORT))


@pytest.fixture(scope="session")
def seaweedfs() -> Iterator[SeaweedServer]:
    """A real S3 server on loopback, which stops with the tests."""
    with running_seaweedfs() as server:
        yield server


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a run by several workers the longest tests start first, whatever the order was."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        together = [item for item in items if shares_what_is_dear(item)]
        others = [item for item in items if not shares_what_is_dear(item)]
        long = [item for item in others if is_long(item)]
        short = [item for item in others if not is_long(item)]
        items[:] = longest_first(long, short, workers=workers, together=together)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In a worker a test is told of in one message."""
    if not hasattr(item.config, "workerinput"):
        return None
    run_and_tell(item, nextitem)
    return True


def pytest_collection_finish() -> None:
    """What was loaded so far stays to the end; to look through it for garbage takes much time."""
    gc.freeze()
    gc.enable()
    # Of what a test makes most goes with its last name; the rest may wait for the next few tests.
    gc.set_threshold(20_000, 10, 10)


# A shell starts background jobs with SIGINT ignored, and everything they start inherits that; the
# tests that interrupt a statement would then wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# In this process, and in every one that a test starts.
os.environ["HEADWATER_SPARK_CONF"] = json.dumps(LASTING)

_headwater = find_spec("headwater")
assert _headwater is not None
assert _headwater.origin is not None
_paths = [str(Path(_headwater.origin).parents[1]), os.environ.get("PYTHONPATH", "")]
os.environ["PYTHONPATH"] = os.pathsep.join(path for path in _paths if path)
