"""Studio over a lake with 1,000 dynamic tables: render, first useful paint and rest of its screens.

A render is the answer of the service to a browser that asks for a screen. A useful paint is when
Chromium shows what the screen is for, counted from the click on the address bar, with the scripts
in its cache. At rest, 20 pages are open and nothing happens in the lake; what the service needs
then is measured over a minute. The dynamic tables are rows of the catalog: nobody would wait
for 1,000 CREATEs. Spark is not started.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import headwater
from bench.measure import Contender, Samples, interleave
from bench.outcome import Findings, Outcome, below
from bench.schedule_tick import TABLES, fill_schedules
from bench.scratch import Scratch

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page
    from tests.studio.conftest import Studio

MOST_RENDER_SECONDS = 0.100
MOST_PAINT_SECONDS = 1.0
MOST_SHARE_AT_REST = 0.05
PAGES = 20
_ROUNDS = 9
_REST_SECONDS = 60.0
_SETTLE_SECONDS = 10.0

SCREENS = {
    "dynamic tables": ("/studio/dynamic-tables", "a.hw-link:text-is('d_0000')"),
    "a dynamic table": ("/studio/dynamic-tables/public/d_0500", "dt:has-text('Max lag')"),
    "compute": ("/studio/compute", "section:has-text('DEFAULT')"),
    "monitoring": ("/studio/monitoring", "a.hw-link:text-is('public.d_0000')"),
    "admin": ("/studio/admin", "td:has-text('admin')"),
}
"""Each with its address, and what has to be seen."""


def run(scratch: Scratch) -> Findings:
    """Measure renders, paints and rest of one service."""
    from playwright.sync_api import sync_playwright
    from tests.studio.conftest import logged_in, running_studio

    lake = scratch.folder / "studio"
    shutil.copytree(scratch.cold_lake, lake)
    with closing(headwater.connect(lake)) as connection:
        scratch.say(f"adding {TABLES:,} dynamic tables to the catalog")
        fill_schedules(connection)
    with running_studio(lake) as studio, sync_playwright() as playwright:
        scratch.say("asking for screens")
        outcomes = [
            below(f"render, {samples.name}", samples, limit=MOST_RENDER_SECONDS)
            for samples in _renders(studio)
        ]
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        context = logged_in(browser, studio, studio.local_token)
        scratch.say("looking at screens in Chromium")
        outcomes += [
            below(f"first useful paint, {samples.name}", samples, limit=MOST_PAINT_SECONDS)
            for samples in _paints(context)
        ]
        scratch.say(f"leaving {PAGES} pages open")
        outcomes.append(_rest(context, studio.pid))
        context.close()
        browser.close()
    return Findings(tuple(outcomes), (f"{TABLES:,} dynamic tables; Spark not started",))


def _chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    assert found is not None, "Chromium is needed: scripts/setup.sh --browser installs it"
    return found


def _renders(studio: Studio) -> list[Samples]:
    import httpx

    cookies = {"headwater_token": studio.local_token, "headwater_zone": "UTC"}
    headers = {"accept": "text/html"}
    with httpx.Client(base_url=studio.url, cookies=cookies, headers=headers) as client:

        def ask(path: str) -> Callable[[], object]:
            def once() -> object:
                answer = client.get(path)
                assert answer.status_code == 200, answer.text
                return answer

            return once

        contenders = [Contender(name, ask(path)) for name, (path, _) in SCREENS.items()]
        return interleave(contenders, rounds=_ROUNDS, warm_ups=2)


def _paints(context: BrowserContext) -> list[Samples]:
    page = context.new_page()

    def look(path: str, useful: str) -> Callable[[], object]:
        def once() -> None:
            page.goto(path, wait_until="commit")
            page.locator(useful).first.wait_for()

        return once

    contenders = [Contender(name, look(*screen)) for name, screen in SCREENS.items()]
    found = interleave(contenders, rounds=_ROUNDS, warm_ups=1)
    page.close()
    return found


def _rest(context: BrowserContext, pid: int) -> Outcome:
    pages = [_opened(context, number) for number in range(PAGES)]
    pages[0].wait_for_timeout(_SETTLE_SECONDS * 1000)
    began, before = time.monotonic(), _cpu_seconds(pid)
    pages[0].wait_for_timeout(_REST_SECONDS * 1000)
    share = (_cpu_seconds(pid) - before) / (time.monotonic() - began)
    for page in pages:
        page.close()
    return Outcome(
        f"CPU of the service, {PAGES} pages at rest",
        f"{share:.1%} of a core",
        "",
        f"{share:.1%}",
        f"< {MOST_SHARE_AT_REST:.0%}",
        share < MOST_SHARE_AT_REST,
    )


def _opened(context: BrowserContext, number: int) -> Page:
    path, useful = list(SCREENS.values())[number % len(SCREENS)]
    page = context.new_page()
    page.goto(path, wait_until="commit")
    page.locator(useful).first.wait_for()
    return page


def _cpu_seconds(pid: int) -> float:
    """What a process has computed so far, with its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
