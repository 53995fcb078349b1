"""What the unit tests share: a lake that is made once and copied, and which need servers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.tmpdir import tmppath_result_key
from argon2 import PasswordHasher

import headwater
from headwater.catalog.store import database
from headwater.runtime import credentials

# Modules whose tests start and kill processes, listen on a port, or wait for what does not come.
_WAITING = frozenset(
    {"test_store_processes.py", "test_two_processes.py", "test_failures.py", "test_sts.py"}
    | {"test_main.py", "test_shell.py", "test_kill.py", "test_serve.py", "test_stopping.py"}
    | {"test_alibaba_sts.py", "test_mns.py", "test_stores_that_refuse.py", "test_patience.py"}
    | {"test_loop.py", "test_pulse.py", "test_store_writers.py", "test_clusters.py", "test_tls.py"}
    | {"test_large_answers.py", "test_file_transfers.py", "test_remote_session.py"}
    | {"test_server.py", "test_client.py", "test_kafka_streams.py", "test_queues.py"}
    | {"test_s3_events.py", "test_events_of_clouds.py", "test_back_pressure.py", "test_pressure.py"}
    | {"test_connect_endpoint.py", "test_statements_over_http.py", "test_users_over_http.py"}
)
# Modules all of whose cases are made up.
_MADE_UP = frozenset({"test_simulation.py", "test_made_up_requests.py"})
# `server` is our own service on a real port.
_SERVERS = frozenset(
    {"postgres", "postgres_url", "seaweedfs", "amazon", "mns", "kafka_broker", "server"}
)
_KINDS = frozenset({"postgres", "s3", "sqs", "mns"})
# Files of tests that take milliseconds: to make and remove them on a disk takes as long.
_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 128 << 20


def pytest_configure(config: pytest.Config) -> None:
    """What neither waits nor is large has its files in memory, where the machine has a place."""
    small = _leaves_out(config, "servers") and _leaves_out(config, "large")
    if small and os.access(_MEMORY, os.W_OK):
        state = os.statvfs(_MEMORY)
        if state.f_bavail * state.f_frsize >= _MEMORY_BYTES:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What the run leaves out anyway is not read: some of it imports much."""
    left_out = _WAITING if _leaves_out(config, "servers") else frozenset()
    if _leaves_out(config, "laws"):
        left_out |= _MADE_UP
    return True if collection_path.name in left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs more than Python or looks at many cases, so that the rest takes seconds."""
    here = str(Path(__file__).parent) + os.sep
    own = [item for item in items if str(item.path).startswith(here)]
    laws = {item for item in own if _is_law(item)}
    for item in own:
        if _needs_servers(item):
            item.add_marker(pytest.mark.servers)
        if item in laws:
            item.add_marker(pytest.mark.laws)
    if laws and _leaves_out(config, "laws"):
        # Before hypothesis sees them: it would read all modules for values worth trying.
        config.hook.pytest_deselected(items=list(laws))
        items[:] = [item for item in items if item not in laws]


def _leaves_out(config: pytest.Config, marker: str) -> bool:
    """Whether the run is told by `-m` to leave out what has a marker."""
    return f"not {marker}" in (config.getoption("markexpr") or "")


def _is_law(item: pytest.Item) -> bool:
    """Whether the cases are made up, by hypothesis or by hand."""
    if item.path.name in _MADE_UP:
        return True
    function = getattr(item, "obj", None)
    owner = getattr(item, "cls", None)
    of_machine = owner is not None and hasattr(owner, "settings")
    return of_machine or bool(getattr(function, "is_hypothesis_test", False))


def _needs_servers(item: pytest.Item) -> bool:
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    return (
        item.path.name in _WAITING
        or not _SERVERS.isdisjoint(getattr(item, "fixturenames", ()))
        or any(value in _KINDS for value in parameters if isinstance(value, str))
    )


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder for one test, which stays where the test failed, to look at."""
    yield tmp_path
    if all(request.node.stash[tmppath_result_key].values()):
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Argon2 as a lake uses it takes a fifth of a second of a core for each password."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(credentials, "_hasher", lambda: cheap)
        yield


@pytest.fixture(scope="session", autouse=True)
def careless_files() -> Iterator[None]:
    """Who waits until the disk has each page of a catalog waits longer than most tests take."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="session")
def new_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake nobody has used: copied by each test, because making one takes half a second."""
    folder = tmp_path_factory.mktemp("lakes") / "new"
    headwater.connect(folder).close()
    return folder
