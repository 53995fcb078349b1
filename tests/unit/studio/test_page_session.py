"""The session of a page, with many who ask for it at once."""

from __future__ import annotations

import asyncio

from headwater.studio.page_session import PageSession


def _page() -> tuple[PageSession, list[str]]:
    opened: list[str] = []

    async def open_session() -> str:
        await asyncio.sleep(0)
        opened.append(f"s{len(opened) + 1}")
        return opened[-1]

    return PageSession(open_session), opened


def test_a_run_and_a_completion_that_come_first_at_once_share_one_session() -> None:
    page, opened = _page()

    async def both() -> list[str]:
        return list(await asyncio.gather(page.id(), page.id()))

    assert asyncio.run(both()) == ["s1", "s1"]
    assert opened == ["s1"]


def test_a_session_that_is_gone_is_opened_anew_once() -> None:
    page, opened = _page()

    async def find_it_gone_twice() -> list[bool]:
        gone = await page.id()
        first = page.gone(gone)
        await page.id()
        return [first, page.gone(gone)]

    assert asyncio.run(find_it_gone_twice()) == [True, False]
    assert opened == ["s1", "s2"]


def test_leaving_gives_back_what_was_opened() -> None:
    page, _ = _page()
    assert page.leave() is None
    asyncio.run(page.id())
    assert page.leave() == "s1"
    assert page.leave() is None
