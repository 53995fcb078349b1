"""Clients of a service in processes of their own, what they met, and how large a process is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bench import load_client
from bench.load_client import Order, Tally

_EVERY_SECONDS = 1.0


class Clients:
    """Processes that carry out orders, one each."""

    def __init__(self, orders: Sequence[Order]) -> None:
        self._processes = [_started(order) for order in orders]

    def tally(self) -> Tally:
        """Wait for the end, and add up what all of them met."""
        found = Tally()
        for process in self._processes:
            said, _ = process.communicate()
            assert process.returncode == 0, "clients have failed"
            one = Tally(**json.loads(said))
            for kind, seconds in one.seconds.items():
                found.seconds.setdefault(kind, []).extend(seconds)
            found.refused += one.refused
            found.overlapping += one.overlapping
            found.gone += one.gone
            found.errors = dict(Counter(found.errors) + Counter(one.errors))
        return found

    def stop(self) -> None:
        """End those that still run."""
        for process in self._processes:
            if process.poll() is None:
                process.kill()
                process.communicate()


@contextmanager
def clients(orders: Sequence[Order]) -> Iterator[Clients]:
    """Running clients, ended when the block is left."""
    running = Clients(orders)
    try:
        yield running
    finally:
        running.stop()


def _started(order: Order) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, load_client.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(asdict(order)))
    process.stdin.close()
    process.stdin = None
    return process


def percentile(seconds: Sequence[float], share: float) -> float:
    """The time that this share of the statements did not take longer than."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Memory:
    """How large a process was, second by second."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._stop = threading.Event()
        self.megabytes: list[float] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_EVERY_SECONDS):
            found = re.search(r"VmRSS:\s+(\d+) kB", self._status.read_text())
            if found is not None:
                self.megabytes.append(int(found[1]) / 1024)

    def growth(self) -> float:
        """How much larger it was in the last quarter than in the second, at most."""
        quarter = max(1, len(self.megabytes) // 4)
        return max(self.megabytes[-quarter:]) - max(self.megabytes[quarter : 2 * quarter])
