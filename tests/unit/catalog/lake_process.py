"""A process of its own for tests: opens a lake's store and does what it reads, one word a line.

It answers each line with one line of JSON. Started as
`python -m tests.unit.catalog.lake_process URL NAME`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from headwater.catalog.lease_rules import Instance
from headwater.catalog.store import Store
from headwater.errors import HeadwaterError

TTL = timedelta(seconds=30)
ROOT = Path(__file__).parents[3]


class LakeProcess:
    """The test's end of such a process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    @property
    def pid(self) -> int:
        return self.process.pid

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, word: str) -> Any:
        self.tell(word)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=10)


@contextmanager
def lake_process(url: str, name: str) -> Iterator[LakeProcess]:
    """Starts a process that is ready to open the store, and ends it."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, url, name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield LakeProcess(process)
        finally:
            process.kill()


def process_lives(holder: Instance) -> bool:
    """Whether there is a process with the holder's pid on this machine."""
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    return True


def now() -> datetime:
    return datetime.now(UTC)


def _obey(word: str, stores: list[Store], state: dict[str, int]) -> object:
    url, name = sys.argv[1:]
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
        case "modules":
            return sorted({module.split(".")[0] for module in sys.modules})
        case _:
            raise ValueError(word)


def main() -> None:
    stores: list[Store] = []
    state: dict[str, int] = {}
    for line in sys.stdin:
        try:
            answer = _obey(line.strip(), stores, state)
        except HeadwaterError as error:
            answer = {"condition": error.condition, "message": error.message}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
