"""Every screen, wide and narrow, light and dark: an empty lake, the demonstration's, a broken one.

The pictures are kept in build/studio for people to look at; what a test can see by itself is that
no page scrolls sideways, that no script fails, and that no part of a page says that it cannot.
`pytest --bless` also puts the picture of the README in its place.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import (
    DESKTOP,
    PHONE,
    Studio,
    logged_in,
    of_short_life,
    running_studio,
)

from headwater.studio.frame import SCREENS

pytestmark = pytest.mark.browser

_ROOT = Path(__file__).parents[2]
_PICTURES = _ROOT / "build" / "studio"
_README_PICTURE = _ROOT / "docs" / "images" / "studio.png"
_FURTHER = {
    "demo": (
        "/dynamic-tables/public/sales_summary",
        "/catalog/public/sales",
        "/pipes/public/sales_pipe",
    ),
    "broken": ("/dynamic-tables/public/sales_clean", "/pipes/public/sales_pipe"),
    "empty": (),
}
_SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# A grid draws its rows a moment after its head.
_ROWS_ARE_THERE = """() => [...document.querySelectorAll('.q-table')].every(
  table => !table.offsetParent || table.querySelector('.q-virtual-scroll__content tr, .hw-cell'))"""
_COLOURS_MS = 400
"""How long what is selected takes to get its new colour."""
_HEADER_LINES = "document.querySelector('header').clientHeight"
_ONE_LINE = 60
_BREAK = """
ALTER PIPE sales_pipe SET PIPE_EXECUTION_PAUSED = true;
DROP TABLE sales;
"""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A lake in which nothing is."""
    with running_studio(tmp_path_factory.mktemp("empty") / "lake", "--no-loop") as running:
        yield running


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """The lake of the demonstration."""
    folder = tmp_path_factory.mktemp("demo") / "lake"
    command = [sys.executable, "-m", "headwater.cli.main", "demo", "--lake", str(folder)]
    subprocess.run(command, check=True, capture_output=True, env=of_short_life())
    with running_studio(folder, "--no-loop") as running:
        yield running


def test_the_screens_of_an_empty_lake(empty: Studio, browser: Browser) -> None:
    _look_at_all(empty, browser, "empty")


def test_the_screens_of_the_demonstration_and_then_of_a_broken_lake(
    demo: Studio, browser: Browser, bless: bool
) -> None:
    _look_at_all(demo, browser, "demo")
    if bless:
        _README_PICTURE.parent.mkdir(exist_ok=True)
        shutil.copy(_PICTURES / "demo-dynamic-tables-wide-light.png", _README_PICTURE)
    with demo.connect() as lake:
        lake.sql(_BREAK)
    _look_at_all(demo, browser, "broken")


def _look_at_all(studio: Studio, browser: Browser, name: str) -> None:
    _PICTURES.mkdir(parents=True, exist_ok=True)
    context = logged_in(browser, studio, studio.local_token)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    for path in [*(screen.path for screen in SCREENS), *_FURTHER[name]]:
        for width, size in (("wide", DESKTOP), ("phone", PHONE)):
            _load(page, path, size)
            problems += _looked_at(page, f"{name}-{_shown(path)}-{width}")
    context.close()
    assert problems == []


def _shown(path: str) -> str:
    return path.strip("/").replace("/", "-") or "development"


def _load(page: Page, path: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    answer = page.goto(f"/studio{path}")
    assert answer is not None
    assert answer.status == 200, path
    expect(page.locator("#content")).to_be_visible()
    expect(page.get_by_label("Loading")).to_have_count(0, timeout=30_000)
    page.wait_for_function(_ROWS_ARE_THERE)


def _looked_at(page: Page, name: str) -> list[str]:
    found = []
    if not name.startswith("broken") and page.get_by_role("alert").count():
        found.append(f"{name} says: {page.get_by_role('alert').first.inner_text()}")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_timeout(_COLOURS_MS)
        page.screenshot(path=_PICTURES / f"{name}-{scheme}.png", animations="disabled")
        if page.evaluate(_SIDEWAYS):
            found.append(f"{name} scrolls sideways")
        if page.evaluate(_HEADER_LINES) > _ONE_LINE:
            found.append(f"{name} has a header of two lines")
    return found
