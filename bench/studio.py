"""Studio over a lake with 1,000 dynamic tables and 200 of all else: drawn, scrolled, at rest.

A render is the answer of the service to a browser that asks for a screen. A useful paint is when
Chromium shows what the screen is for, counted from the click on the address bar, with the scripts
in its cache. The list of all tables is scrolled at a steady speed from its first to its last row,
and so are as many plain rows: a frame is long if the next one came more than 50 ms later, and what
the machine has to do with it, the plain rows suffer too. At rest, 20 pages are open and nothing
happens in the lake; what the service needs then is measured over a minute, less what it needs
without any page: its loop looks at the schedules of all tables once a second. The dynamic tables
are rows of the catalog: nobody would wait for 1,000 CREATEs. What else there is, `studio_lake.py`
makes. Spark is not started.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import headwater
from bench.measure import Contender, Samples, interleave
from bench.outcome import Findings, Outcome, below
from bench.schedule_tick import TABLES, fill_schedules
from bench.scratch import Scratch
from bench.studio_lake import MANY, fill_beside_tables

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Page
    from tests.studio.conftest import Studio

MOST_RENDER_SECONDS = 0.100
MOST_PAINT_SECONDS = 1.0
MOST_SHARE_AT_REST = 0.05
MOST_LONG_FRAMES = 0.01
MOST_BLANK_FRAMES = 0.01
MOST_FRAME_MS = 8.0
PAGES = 20
_ROUNDS = 9
_REST_SECONDS = 60.0
_SETTLE_SECONDS = 10.0
_GIVEN_UP_SECONDS = 40.0
_LONG_FRAME_MS = 50
_PIXELS_PER_SECOND = 4_000

SCREENS = {
    "development": ("/studio/", "[data-ready=yes]"),
    "catalog": ("/studio/catalog", "a.hw-link:text-is('public')"),
    "a schema": ("/studio/catalog/public", "a.hw-link:text-is('d_0000')"),
    "a table": ("/studio/catalog/public/t", "td:has-text('amount')"),
    "dynamic tables": ("/studio/dynamic-tables", "a.hw-link:text-is('d_0000')"),
    "a dynamic table": ("/studio/dynamic-tables/public/d_0500", "dt:has-text('Max lag')"),
    "pipes": ("/studio/pipes", "a.hw-link:text-is('p_000')"),
    "a pipe": ("/studio/pipes/public/p_000", "text=Files loaded"),
    "volumes": ("/studio/volumes", "a.hw-link:text-is('v_000')"),
    "a volume": ("/studio/volumes/public/v_000", "text=No files in this folder"),
    "streams": ("/studio/streams", "a.hw-link:text-is('s_000')"),
    "tasks": ("/studio/tasks", "a.hw-link:text-is('t_000')"),
    "a task": ("/studio/tasks/many/t_000", "dt:has-text('Next plan time')"),
    "compute": ("/studio/compute", "section:has-text('DEFAULT')"),
    "monitoring": ("/studio/monitoring", "a.hw-link:text-is('public.p_000')"),
    "admin": ("/studio/admin", "td:has-text('admin')"),
}
"""Each with its address, and what has to be seen; that of a job is known when there is one."""
Screens = Mapping[str, tuple[str, str]]


def run(scratch: Scratch) -> Findings:
    """Measure renders, paints and rest of one service."""
    from playwright.sync_api import sync_playwright
    from tests.studio.conftest import logged_in, running_studio

    lake = scratch.folder / "studio"
    shutil.copytree(scratch.cold_lake, lake)
    with closing(headwater.connect(lake)) as connection:
        scratch.say(f"adding {TABLES:,} dynamic tables to the catalog")
        fill_schedules(connection)
        scratch.say(f"adding {MANY} volumes, pipes, streams and tasks")
        fill_beside_tables(connection)
        job = connection.sql("SHOW JOBS LIMIT 1").to_dicts()[0]["job_id"]
    screens = SCREENS | {"a job": (f"/studio/compute/jobs/{job}", "dt:has-text('Took')")}
    with running_studio(lake) as studio, sync_playwright() as playwright:
        scratch.say("asking for screens")
        outcomes = [
            below(f"render, {samples.name}", samples, limit=MOST_RENDER_SECONDS)
            for samples in _renders(studio, screens)
        ]
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        context = logged_in(browser, studio, studio.local_token)
        scratch.say("looking at screens in Chromium")
        outcomes += [
            below(f"first useful paint, {samples.name}", samples, limit=MOST_PAINT_SECONDS)
            for samples in _paints(context, screens)
        ]
        scratch.say(f"scrolling over {TABLES:,} dynamic tables")
        outcomes += _scrolling(context)
        scratch.say(f"leaving no page open, then {PAGES}")
        outcomes.append(_rest(context, screens, studio.pid))
        context.close()
        browser.close()
    lake_has = f"{TABLES:,} dynamic tables; {MANY} pipes, volumes, streams and tasks each"
    return Findings(tuple(outcomes), (f"{lake_has}; Spark not started",))


def _chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    assert found is not None, "Chromium is needed: scripts/setup.sh --browser installs it"
    return found


def _renders(studio: Studio, screens: Screens) -> list[Samples]:
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

        contenders = [Contender(name, ask(path)) for name, (path, _) in screens.items()]
        return interleave(contenders, rounds=_ROUNDS, warm_ups=2)


def _paints(context: BrowserContext, screens: Screens) -> list[Samples]:
    page = context.new_page()

    def look(path: str, useful: str) -> Callable[[], object]:
        def once() -> None:
            page.goto(path, wait_until="commit")
            page.locator(useful).first.wait_for()

        return once

    contenders = [Contender(name, look(*screen)) for name, screen in screens.items()]
    found = interleave(contenders, rounds=_ROUNDS, warm_ups=1)
    page.close()
    return found


_SCROLL = """async ([selector, speed]) => {
  const box = document.querySelector(selector), edge = box.getBoundingClientRect();
  const x = edge.left + 80, ys = [edge.top + 60, Math.min(edge.bottom, innerHeight) - 40];
  const drawn = y => document.elementFromPoint(x, y)?.closest('tr')?.textContent.trim();
  const frames = [];
  let began = 0, last = 0, blank = 0;
  await new Promise(done => {
    const step = now => {
      if (began) frames.push(now - last); else began = now;
      last = now;
      if (!ys.every(drawn)) blank++;
      box.scrollTop = (now - began) / 1000 * speed;
      const left = box.scrollHeight - box.clientHeight - box.scrollTop;
      if (left > 1) requestAnimationFrame(step); else done();
    };
    requestAnimationFrame(step);
  });
  return [frames, blank, box.scrollTop];
}"""
_STILL = """() => {
  const cells = '<td>d_0000 public ACTIVE</td>'.repeat(10);
  document.body.innerHTML = '<div id="still" style="height: 600px; overflow: auto"><table>'
    + ('<tr style="height: 29px">' + cells + '</tr>').repeat(%d) + '</table></div>';
}"""


@dataclass(frozen=True, slots=True)
class _Scrolled:
    """How a box was scrolled from its first to its last row."""

    frames: list[float]
    blank: int
    cpu_ms: float
    """Of the page's main thread, for a frame: what else the machine does is not in it."""

    @property
    def long(self) -> float:
        """The share of frames after which the next came late."""
        return sum(frame > _LONG_FRAME_MS for frame in self.frames) / len(self.frames)


def _scrolling(context: BrowserContext) -> list[Outcome]:
    """The list, and beside it as long a page of plain rows, which shows what the machine does."""
    page = _opened(context, SCREENS["dynamic tables"])
    page.wait_for_timeout(_SETTLE_SECONDS * 100)
    rows = _scrolled(page, "*:has(> table[aria-label='Dynamic tables'])")
    page.locator(f"a.hw-link:text-is('d_{TABLES - 1:04}')").first.wait_for()
    page.close()
    page = context.new_page()
    page.evaluate(_STILL % TABLES)
    still = _scrolled(page, "#still")
    page.close()
    return [
        Outcome(
            f"frames longer than {_LONG_FRAME_MS} ms, scrolling over {TABLES:,} rows",
            f"{rows.long:.1%} of {len(rows.frames)}",
            f"{still.long:.1%} of {len(still.frames)} over plain rows",
            f"{rows.long - still.long:.1%}, the longest {max(rows.frames):.0f} ms",
            f"<= {MOST_LONG_FRAMES:.0%}",
            rows.long - still.long <= MOST_LONG_FRAMES,
        ),
        Outcome(
            "frames in which rows were not drawn yet",
            f"{rows.blank} of {len(rows.frames)}",
            "",
            f"{rows.blank / len(rows.frames):.1%}",
            f"<= {MOST_BLANK_FRAMES:.0%}",
            rows.blank / len(rows.frames) <= MOST_BLANK_FRAMES,
        ),
        Outcome(
            "CPU of the page for a frame, scrolling",
            f"{rows.cpu_ms:.1f} ms",
            f"{still.cpu_ms:.1f} ms over plain rows",
            f"{rows.cpu_ms - still.cpu_ms:.1f} ms",
            f"< {MOST_FRAME_MS:.0f} ms",
            rows.cpu_ms - still.cpu_ms < MOST_FRAME_MS,
        ),
    ]


def _scrolled(page: Page, selector: str) -> _Scrolled:
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _page_seconds(tools)
    frames, blank, reached = page.evaluate(_SCROLL, [selector, _PIXELS_PER_SECOND])
    spent = _page_seconds(tools) - before
    assert reached > TABLES * 20, f"the list ended after {reached} pixels"
    return _Scrolled(frames, blank, spent / len(frames) * 1000)


def _page_seconds(tools: CDPSession) -> float:
    metrics = tools.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def _rest(context: BrowserContext, screens: Screens, pid: int) -> Outcome:
    # The pages that were looked at are given up after a while.
    time.sleep(_GIVEN_UP_SECONDS)
    alone = _cpu_share(pid, _REST_SECONDS / 2)
    pages = [_opened(context, screen) for screen in islice(cycle(screens.values()), PAGES)]
    time.sleep(_SETTLE_SECONDS)
    with_pages = _cpu_share(pid, _REST_SECONDS)
    for page in pages:
        page.close()
    share = with_pages - alone
    return Outcome(
        f"CPU of the service for {PAGES} pages at rest",
        f"{with_pages:.1%} of a core",
        f"{alone:.1%} without",
        f"{share:.1%}",
        f"< {MOST_SHARE_AT_REST:.0%}",
        share < MOST_SHARE_AT_REST,
    )


def _cpu_share(pid: int, seconds: float) -> float:
    began, before = time.monotonic(), _cpu_seconds(pid)
    time.sleep(seconds)
    return (_cpu_seconds(pid) - before) / (time.monotonic() - began)


def _opened(context: BrowserContext, screen: tuple[str, str]) -> Page:
    path, useful = screen
    page = context.new_page()
    page.goto(path, wait_until="commit")
    page.locator(useful).first.wait_for()
    return page


def _cpu_seconds(pid: int) -> float:
    """What a process has computed so far, with its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
