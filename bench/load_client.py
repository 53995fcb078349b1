"""Many clients of a service in one process, as cheap as they can be: they share its cores.

`python bench/load_client.py` reads an `Order` as JSON and prints a `Tally` as JSON. A client sends
a statement, waits for its end, and sends the next. One that is told to come back (429) does so
after `Retry-After`, and one whose service is gone asks the file for a new address. When the time is
over, what still waits or runs is cancelled.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_WAIT_SECONDS = 5
_UNFINISHED = ("QUEUED", "RUNNING")
_BUSY = 429
_REFRESHED_ALREADY = "REFRESH_RUNNING"
_GONE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Order:
    """What the clients do; `statements` are texts with how often one is chosen, by kind.

    `{n}` in a text becomes a number that no other statement of the same order has.
    """

    address_file: str
    token: str
    clients: int
    seconds: float
    statements: dict[str, list[tuple[int, str]]]
    seed: int = 0
    survives: bool = False
    """Whether the service may go away and come back."""
    stop_file: str | None = None
    """The time is over as soon as this is there."""


@dataclass(slots=True)
class Tally:
    """What the clients met."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """How long the statements of each kind took that succeeded."""
    refused: int = 0
    """How often a client was told to come back."""
    overlapping: int = 0
    """How often a table was being refreshed already."""
    gone: int = 0
    errors: dict[str, int] = field(default_factory=dict)


class _Client:
    def __init__(self, order: Order, number: int, tally: Tally, ends: float) -> None:
        self._order = order
        self._number = number
        self._tally = tally
        self._ends = ends
        self._dice = random.Random(f"{order.seed} {number}")
        self._sent = 0
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def run(self) -> None:
        kinds = [
            (kind, text, weight)
            for kind, texts in self._order.statements.items()
            for weight, text in texts
        ]
        weights = [weight for _, _, weight in kinds]
        while not self._over():
            kind, text, _ = self._dice.choices(kinds, weights)[0]
            self._sent += 1
            n = (self._order.seed * 1000 + self._number) * 100_000 + self._sent
            try:
                await self._one(kind, text.replace("{n}", str(n)))
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self._leave()
                if not self._order.survives:
                    raise
                self._tally.gone += 1
                await asyncio.sleep(_GONE_SECONDS)
        self._leave()

    def _over(self) -> bool:
        stop = self._order.stop_file
        return time.monotonic() >= self._ends or (stop is not None and Path(stop).exists())

    async def _one(self, kind: str, text: str) -> None:
        started = time.monotonic()
        body = {"sql": text, "wait_seconds": _WAIT_SECONDS, "inline": True}
        status, answer, after = await self._ask("POST", "/api/v1/statements", body)
        while status == 200 and answer["state"] in _UNFINISHED:
            page = f"/api/v1/statements/{answer['id']}"
            if self._over():
                await self._ask("POST", f"{page}/cancel")
                return
            status, answer, after = await self._ask("GET", f"{page}?wait={_WAIT_SECONDS}")
        if status == _BUSY and after is not None:
            self._tally.refused += 1
            await asyncio.sleep(after)
            return
        error = answer["error"]
        if status == 200 and error is None:
            self._tally.seconds.setdefault(kind, []).append(time.monotonic() - started)
            return
        if error["condition"] == _REFRESHED_ALREADY:
            self._tally.overlapping += 1
            return
        if status == 503 and self._order.survives:
            self._tally.gone += 1
            await asyncio.sleep(_GONE_SECONDS)
            return
        said = f"{status} {error['condition']}: {error['message'][:200]}"
        self._tally.errors[said] = self._tally.errors.get(said, 0) + 1

    async def _ask(
        self, method: str, page: str, body: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any], float | None]:
        reader, writer = await self._connection()
        sent = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {page} HTTP/1.1\r\nHost: service\r\nAuthorization: Bearer"
            f" {self._order.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n"
        )
        writer.write(head.encode("ascii") + sent)
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        answer = json.loads(await reader.readexactly(int(headers["content-length"])))
        after = headers.get("retry-after")
        return int(first.split()[1]), answer, None if after is None else float(after)

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._reader is None or self._writer is None:
            host, _, port = Path(self._order.address_file).read_text().rpartition(":")
            host = host.removeprefix("http://")
            self._reader, self._writer = await asyncio.open_connection(host, int(port))
        return self._reader, self._writer

    def _leave(self) -> None:
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()
        self._reader = self._writer = None


async def run_clients(order: Order) -> Tally:
    """All clients of an order, until its time is over."""
    tally = Tally()
    ends = time.monotonic() + order.seconds
    clients = (_Client(order, number, tally, ends) for number in range(order.clients))
    ended = await asyncio.gather(*(c.run() for c in clients), return_exceptions=True)
    lost = Counter(repr(error) for error in ended if isinstance(error, BaseException))
    tally.errors |= lost
    return tally


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(run_clients(Order(**json.load(sys.stdin)))))))
