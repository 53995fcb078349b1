"""Fixtures of tests that look at Studio: a real service in a process of its own, a real browser.

One service serves all tests of a test process, because its Spark takes seconds to start: tests make
schemas of their own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from tests.few_rows import SHORT

import headwater
from headwater.client.local_service import TOKEN_FILE

_LISTENING = re.compile(r"listening on (\S+)")
_TOKEN = re.compile(r"token of the administrator, shown this once: (\S+)")
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = (1440, 900), (390, 844)
PATIENCE_MS = 30_000
# A worker gets a file whenever it is nearly through. The tutorial waits for real minutes, so it
# starts before all others; a short file follows it, because its worker gets that along with it.
_FIRST = ("test_tutorial.py", "test_screens.py", "test_monitoring.py")
expect.set_options(timeout=PATIENCE_MS)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a module run as they stand in it: a pipe is watched, then paused, then dropped.

    To make what they work on anew for each takes seconds of Spark.
    """
    own = [item for item in items if item.path.parent == Path(__file__).parent]
    ordered = iter(sorted(own, key=_turn))
    items[:] = [next(ordered) if item in own else item for item in items]


def _turn(item: pytest.Item) -> tuple[int, str, int]:
    name = item.path.name
    place = _FIRST.index(name) if name in _FIRST else len(_FIRST)
    return place, str(item.path), item.location[1] or 0


@dataclass(frozen=True, slots=True)
class Studio:
    """A running service with Studio."""

    url: str
    lake: Path
    admin_token: str
    pid: int = 0

    @property
    def local_token(self) -> str:
        """The token of the lake's own machine."""
        return (self.lake / TOKEN_FILE).read_text().strip()

    def connect(self, token: str | None = None) -> headwater.Connection:
        """A client beside the browser, through which tests check what a page has done."""
        return headwater.connect(self.url, token=token or self.local_token)


def of_short_life() -> dict[str, str]:
    """What processes of these tests find: browsers leave their Sparks a minute of work each."""
    return {**os.environ, "HEADWATER_SPARK_CONF": json.dumps(SHORT)}


@contextmanager
def running_studio(lake: Path, *options: str) -> Iterator[Studio]:
    """`headwater serve` on a lake, stopped when the block is left."""
    command = [sys.executable, "-m", "headwater.cli.main", "serve", "--lake", str(lake)]
    process = subprocess.Popen(
        [*command, "--port", "0", *options], stderr=subprocess.PIPE, text=True, env=of_short_life()
    )
    try:
        assert process.stderr is not None
        said = ""
        while "Studio" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        listening, token = _LISTENING.search(said), _TOKEN.search(said)
        assert listening is not None, said
        # What it says later is read, too: a full pipe would stop it.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield Studio(listening[1], lake, "" if token is None else token[1], process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """The service that the tests share."""
    with running_studio(tmp_path_factory.mktemp("studio") / "lake") as running:
        yield running


@pytest.fixture(scope="session")
def lake(studio: Studio) -> Iterator[headwater.Connection]:
    """A client of that service, with all rights."""
    with studio.connect() as connection:
        yield connection


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    assert program is not None, "Chromium is needed: scripts/setup.sh --browser installs it"
    with sync_playwright() as playwright:
        # Its sandbox needs rights that a test machine may not give; it opens our own pages only.
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield launched
        launched.close()


@dataclass(slots=True)
class OpenPage:
    """A page that tests take over from each other: a new one reads all scripts anew."""

    page: Page
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, browser: Browser, studio: Studio) -> OpenPage:
        """In a browser of its own."""
        made = cls(logged_in(browser, studio, studio.local_token).new_page())
        made.page.on("pageerror", lambda error: made.problems.append(str(error)))
        return made

    def tidy(self, token: str) -> list[str]:
        """As it was at first; gives back the script errors since then."""
        context = self.page.context
        for other in context.pages:
            if other != self.page:
                other.close()
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        context.clear_cookies()
        bear(context, token)
        problems, self.problems[:] = list(self.problems), []
        return problems


@pytest.fixture(scope="session")
def open_pages() -> Iterator[dict[str, OpenPage]]:
    """By the address of the service."""
    opened: dict[str, OpenPage] = {}
    yield opened
    for one in opened.values():
        one.page.context.close()


@pytest.fixture
def page(studio: Studio, browser: Browser, open_pages: dict[str, OpenPage]) -> Iterator[Page]:
    """A page of the lake's own user, logged in, in the zone of Berlin; a script error fails it."""
    opened = open_pages.get(studio.url)
    if opened is None or opened.page.is_closed():
        opened = open_pages[studio.url] = OpenPage.of(browser, studio)
    yield opened.page
    problems = opened.tidy(studio.local_token)
    assert problems == []


def press(page: Page, name: str, *, confirm: str | None = None, refused: bool = False) -> None:
    """Press a button, and the one in the dialog that shows its statement; wait until it has run.

    The dialog of a statement that is refused stays, and says why.
    """
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name=name, exact=True).first.click()
    dialog.get_by_role("button", name=confirm or name, exact=True).click()
    if not refused:
        expect(dialog).to_have_count(0)


def logged_in(
    browser: Browser,
    studio: Studio,
    token: str,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
) -> BrowserContext:
    """A browser that bears a token, as it does after the page to log in."""
    width, height = size
    context = browser.new_context(
        base_url=studio.url,
        viewport={"width": width, "height": height},
        timezone_id="Europe/Berlin",
        color_scheme="dark" if dark else "light",
    )
    context.set_default_timeout(PATIENCE_MS)
    bear(context, token)
    return context


def bear(context: BrowserContext, token: str) -> None:
    """Put the token and the zone where a browser keeps them."""
    kept = {"headwater_token": token, "headwater_zone": "Europe/Berlin"}
    place = {"domain": "127.0.0.1", "path": "/studio"}
    for name, value in kept.items():
        context.add_cookies([{"name": name, "value": value, **place}])
