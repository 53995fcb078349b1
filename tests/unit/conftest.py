"""What the unit tests share: a lake that is made once and copied, and which need servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

import headwater
from headwater.runtime import credentials

# Modules whose tests start and kill processes, listen on a port, or wait for what does not come.
_WAITING = frozenset(
    {"test_store_processes.py", "test_two_processes.py", "test_failures.py", "test_sts.py"}
    | {"test_main.py", "test_shell.py", "test_kill.py", "test_serve.py", "test_stopping.py"}
    | {"test_alibaba_sts.py", "test_mns.py", "test_stores_that_refuse.py", "test_patience.py"}
    | {"test_loop.py", "test_pulse.py", "test_store_writers.py", "test_clusters.py", "test_tls.py"}
    | {"test_large_answers.py"}
)
# `server` is our own service on a real port.
_SERVERS = frozenset(
    {"postgres", "postgres_url", "seaweedfs", "amazon", "mns", "kafka_broker", "server"}
)
_KINDS = frozenset({"postgres", "s3", "sqs", "mns"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs more than Python or looks at many cases, so that the rest takes seconds."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        if _needs_servers(item):
            item.add_marker(pytest.mark.servers)
        if _is_law(item):
            item.add_marker(pytest.mark.laws)


def _is_law(item: pytest.Item) -> bool:
    """Whether hypothesis makes up the cases."""
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


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Argon2 as a lake uses it takes a fifth of a second of a core for each password."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(credentials, "_hasher", lambda: cheap)
        yield


@pytest.fixture(scope="session")
def new_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake nobody has used: copied by each test, because making one takes half a second."""
    folder = tmp_path_factory.mktemp("lakes") / "new"
    headwater.connect(folder).close()
    return folder
