"""Pages that ask the same in the same moment share one answer, and nobody sees an old one."""

from __future__ import annotations

import asyncio

import pytest

from headwater.errors import UserError
from headwater.result import Result
from headwater.service.events import Events
from headwater.studio.answers import Answers


class Lake:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.events = Events()
        self.now = 0.0
        self.answers = Answers(self.events, clock=lambda: self.now)
        self.asked: list[str] = []
        self.fails = False

    async def ask(self, key: str) -> Result:
        async def once() -> Result:
            self.asked.append(key)
            await asyncio.sleep(0)
            if self.fails:
                raise UserError("UNAUTHENTICATED")
            return Result(message=f"{key} {len(self.asked)}")

        return await self.answers.of(key, once)


def test_what_is_asked_at_once_is_asked_once_and_only_by_the_same() -> None:
    async def scene() -> None:
        lake = Lake()
        found = await asyncio.gather(*(lake.ask(key) for key in ("ann", "ann", "bob", "ann")))
        assert sorted(lake.asked) == ["ann", "bob"]
        assert [one.message.split()[0] for one in found] == ["ann", "ann", "bob", "ann"]

    asyncio.run(scene())


@pytest.mark.parametrize("what", ["a change", "an action", "time"])
def test_an_answer_is_not_used_after(what: str) -> None:
    async def scene() -> None:
        lake = Lake()
        await lake.ask("ann")
        lake.events.publish("statement", {"state": "SUCCEED", "lane": "quick"})
        lake.now = 1.9
        await lake.ask("ann")
        assert len(lake.asked) == 1
        if what == "a change":
            lake.events.publish("refresh", {"table": "t"})
        elif what == "an action":
            lake.answers.forget()
        else:
            lake.now = 2.1
        await lake.ask("ann")
        assert len(lake.asked) == 2

    asyncio.run(scene())


def test_an_error_is_told_to_all_who_wait_and_the_next_one_asks_again() -> None:
    async def scene() -> None:
        lake = Lake()
        lake.fails = True
        found = await asyncio.gather(lake.ask("ann"), lake.ask("ann"), return_exceptions=True)
        assert [type(one) for one in found] == [UserError, UserError]
        assert len(lake.asked) == 1
        lake.fails = False
        await lake.ask("ann")
        assert len(lake.asked) == 2

    asyncio.run(scene())


def test_who_leaves_before_the_answer_takes_it_from_nobody() -> None:
    async def scene() -> None:
        lake = Lake()
        first = asyncio.ensure_future(lake.ask("ann"))
        await asyncio.sleep(0)
        second = asyncio.ensure_future(lake.ask("ann"))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).message == "ann 1"
        assert len(lake.asked) == 1

    asyncio.run(scene())
