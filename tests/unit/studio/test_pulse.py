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


def test_those_of_one_period_are_told_in_the_same_moment() -> None:
    """However long after each other their pages were opened."""
    now, told = [100.0], list[tuple[str, float]]()

    def noting(name: str):
        async def listen() -> None:
            told.append((name, now[0]))

        return listen

    async def beat() -> None:
        pulse = Pulse(Events(), clock=lambda: now[0])
        running = asyncio.create_task(pulse.run())
        await asyncio.sleep(0)
        pulse.every(10, "early", noting("early"))
        for moment in (103.0, 109.0, 111.0, 112.0, 121.0):
            now[0] = moment
            if moment == 109.0:
                pulse.every(10, "late", noting("late"))
                pulse.every(60, "seldom", noting("seldom"))
            if moment == 121.0:
                pulse.let_go("early")
            await asyncio.sleep(0.6)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

    asyncio.run(beat())
    assert sorted(told) == [("early", 111.0), ("late", 111.0), ("late", 121.0), ("seldom", 121.0)]
