"""A process of its own for tests: opens a lake's store and does what it is told, word by word.

It is forked from a server that has imported everything: a new Python would take half a second.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any

from headwater.catalog.lease_rules import Instance
from headwater.catalog.store import Store
from headwater.errors import HeadwaterError

TTL = timedelta(seconds=30)

_PATIENCE_SECONDS = 60
_forks = multiprocessing.get_context("forkserver")
# pytest, because a child imports the main module of the process that asked for it.
_forks.set_forkserver_preload([__name__, "alembic.command", "psycopg", "pytest"])


class LakeProcess:
    """The test's end of such a process."""

    def __init__(self, process: ForkServerProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def tell(self, word: str) -> None:
        self.pipe.send(word)

    def answer(self) -> Any:
        assert self.pipe.poll(_PATIENCE_SECONDS), "the process does not answer"
        return self.pipe.recv()

    def ask(self, word: str) -> Any:
        self.tell(word)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.join(timeout=10)


@contextmanager
def lake_process(url: str, name: str) -> Iterator[LakeProcess]:
    """Starts a process that is ready to open the store, and ends it."""
    ours, theirs = _forks.Pipe()
    process = _forks.Process(target=_serve, args=(theirs, url, name), daemon=True)
    process.start()
    theirs.close()
    lake = LakeProcess(process, ours)
    try:
        yield lake
    finally:
        lake.kill()
        ours.close()


def process_lives(holder: Instance) -> bool:
    """Whether there is a process with the holder's pid on this machine."""
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    return True


def now() -> datetime:
    return datetime.now(UTC)


def _serve(pipe: Connection, url: str, name: str) -> None:
    stores: list[Store] = []
    state: dict[str, int] = {}
    while True:
        try:
            word = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(_obey(word, url, name, stores=stores, state=state))
        except HeadwaterError as error:
            pipe.send({"condition": error.condition, "message": error.message})


def _obey(word: str, url: str, name: str, *, stores: list[Store], state: dict[str, int]) -> object:
    match word:
        case "ready":
            return "ready"
        case "open":
            stores.append(Store.open(url, clock=now))
            me = Instance(name, f"host-{name}", os.getpid(), "0", f"user-{name}", now(), now())
            stores[0].instances.register(me)
            return stores[0].lake_id
        case "acquire":
            state["fencing"] = stores[0].lease.acquire(name, ttl=TTL, holder_alive=process_lives)
            return state["fencing"]
        case "renew":
            return stores[0].lease.renew(name, state["fencing"], ttl=TTL)
        case "check":
            stores[0].lease.check(name, state["fencing"])
            return None
        case _:
            raise ValueError(word)
