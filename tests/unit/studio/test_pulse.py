"""The pulse of Studio."""

from __future__ import annotations

import asyncio
import contextlib

from headwater.service.events import Events
from headwater.studio.pulse import Pulse


def test_a_page_that_cannot_be_told_does_not_end_the_pulse() -> None:
    told: list[int] = []

    async def gone() -> None:
        raise RuntimeError("the page was left")

    async def listen() -> None:
        told.append(len(told))

    async def beat() -> None:
        events = Events()
        pulse = Pulse(events)
        pulse.follow("left", gone)
        pulse.follow("open", listen)
        running = asyncio.create_task(pulse.run())
        await asyncio.sleep(0)
        for wanted in (1, 2):
            events.publish("refresh", {"table": "t"})
            async with asyncio.timeout(10):
                while len(told) < wanted:
                    await asyncio.sleep(0.05)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

    asyncio.run(beat())
    assert told == [0, 1]
