"""Every screen, wide and narrow, light and dark: an empty lake, the demonstration's, a broken one.

The pictures are kept in build/studio for people to look at; what a test can see by itself is that
neither a page nor, on a phone, a list scrolls sideways, that no script fails, that no part of a
page says that it cannot, that whatever can be pressed has a name, and that Show SQL shows some.
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

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

_ROOT = Path(__file__).parents[2]
_PICTURES = _ROOT / "build" / "studio"
_README_PICTURE = _ROOT / "docs" / "images" / "studio.png"
_FURTHER = {
    "demo": (
        "/dynamic-tables/public/sales_summary",
        "/catalog/public/sales",
        "/pipes/public/sales_pipe",
        "/volumes/public/inbox",
        "/tasks/etl/load",
    ),
    "broken": ("/dynamic-tables/public/sales_clean", "/pipes/public/sales_pipe"),
    "empty": (),
}
_SIDEWAYS = """() => [document.documentElement,
  ...(innerWidth > 600 ? [] : document.querySelectorAll('.hw-list .q-table__middle'))]
  .some(box => box.scrollWidth > box.clientWidth)"""
# A grid draws its rows a moment after its head.
_ROWS_ARE_THERE = """() => [...document.querySelectorAll('.q-table')].every(
  table => !table.offsetParent || table.querySelector('.q-virtual-scroll__content tr, .hw-cell'))"""
# What a screen reader would call by nothing; icons are letters to it.
_NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, textarea,'
  + '[role=button], [role=tab], [role=checkbox], [role=combobox]')]
  .filter(one => one.offsetParent && !one.closest('[aria-hidden=true]'))
  .filter(one => {
    const label = one.getAttribute('aria-label') || one.title;
    const around = [...(one.labels || [])].map(found => found.textContent).join('');
    const copy = one.cloneNode(true);
    copy.querySelectorAll('i, svg').forEach(icon => icon.remove());
    return !(label + around + copy.textContent).trim();
  }).map(one => one.outerHTML.slice(0, 200))"""
_AT_ONCE = "*, *::before, *::after { transition: none !important; animation: none !important; }"
_DRAWN_MS = 60
_LONGEST_NAME = 20
_HEADER_LINES = "document.querySelector('header').clientHeight"
_ONE_LINE = 60
# What the demonstration has none of.
_MORE = """
CREATE TASK etl.load SCHEDULE (EVERY 1 HOUR) AS SELECT 1;
CREATE TASK etl.sums SCHEDULE (DAILY AT '02:30') AFTER etl.load AS SELECT 2;
SUBMIT TASK etl.load, etl.sums;
EXECUTE TASK etl.load;
"""
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
    with demo.connect() as lake:
        lake.sql(_MORE)
        # The first page that needs Spark would wait for it.
        lake.sql("SELECT count(*) FROM sales")
        refresh = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY sales_summary LIMIT 1").to_dicts()[0]
        instance = lake.sql("SHOW TASK INSTANCES OF etl.load LIMIT 1").to_dicts()[0]
    job, ran = f"/compute/jobs/{refresh['job_id']}", f"/tasks/etl/load/{instance['instance_id']}"
    _look_at_all(demo, browser, "demo", job, ran)
    if bless:
        _README_PICTURE.parent.mkdir(exist_ok=True)
        shutil.copy(_PICTURES / "demo-dynamic-tables-wide-light.png", _README_PICTURE)
    with demo.connect() as lake:
        lake.sql(_BREAK)
    _look_at_all(demo, browser, "broken")


def _look_at_all(studio: Studio, browser: Browser, name: str, *more: str) -> None:
    _PICTURES.mkdir(parents=True, exist_ok=True)
    context = logged_in(browser, studio, studio.local_token)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    for path in [*(screen.path for screen in SCREENS), *_FURTHER[name], *more]:
        for width, size in (("wide", DESKTOP), ("phone", PHONE)):
            _load(page, path, size)
            shown = f"{name}-{_shown(path)}-{width}"
            problems += _looked_at(page, shown)
            # Of a tab, one picture for each width: what differs by colours is in the style sheet.
            scheme = ("light",) if width == "wide" else ("dark",)
            tabs = page.get_by_role("tab").all_inner_texts()[1:] if name != "broken" else []
            for tab in tabs:
                page.get_by_role("tab", name=tab, exact=True).click()
                _wait_for_parts(page)
                problems += _looked_at(page, f"{shown}-{tab.lower().replace(' ', '-')}", scheme)
            if path == "/":
                problems += _looked_at_wizard(page, shown)
        problems += _said_in_sql(page, path)
    context.close()
    assert problems == []


def _shown(path: str) -> str:
    # The ids of jobs and instances are others each time.
    parts = ["id" if len(part) > _LONGEST_NAME else part for part in path.strip("/").split("/")]
    return "-".join(parts) or "development"


def _load(page: Page, path: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    answer = page.goto(f"/studio{path}")
    assert answer is not None
    assert answer.status == 200, path
    expect(page.locator("#content")).to_be_visible()
    page.add_style_tag(content=_AT_ONCE)
    _wait_for_parts(page)


def _wait_for_parts(page: Page) -> None:
    expect(page.get_by_label("Loading")).to_have_count(0, timeout=30_000)
    page.wait_for_function(_ROWS_ARE_THERE)


def _looked_at_wizard(page: Page, name: str) -> list[str]:
    """The panel at the side: as wide as its fields need, and never wider than the page."""
    page.get_by_role("button", name="Dynamic table task").click()
    panel = page.locator(".hw-panel")
    expect(panel).to_be_visible()
    box, size = panel.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    problems = _looked_at(page, f"{name}-wizard")
    if (box["x"] + box["width"], box["width"]) != (size["width"], min(576, size["width"])):
        problems.append(f"{name}: the wizard is at {box}")
    page.get_by_role("button", name="Cancel").click()
    expect(panel).to_have_count(0)
    return problems


def _said_in_sql(page: Page, path: str) -> list[str]:
    page.get_by_role("button", name="Show SQL").click()
    shown = page.get_by_role("dialog").locator(".hw-sql")
    expect(shown.first).to_be_visible()
    return [] if shown.first.inner_text().strip() else [f"{path} shows no SQL"]


def _looked_at(page: Page, name: str, schemes: tuple[str, ...] = ("light", "dark")) -> list[str]:
    found = []
    if not name.startswith("broken") and page.get_by_role("alert").count():
        found.append(f"{name} says: {page.get_by_role('alert').first.inner_text()}")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_timeout(_DRAWN_MS)
        page.screenshot(path=_PICTURES / f"{name}-{scheme}.png", animations="disabled")
        if page.evaluate(_SIDEWAYS):
            found.append(f"{name} scrolls sideways")
        if page.evaluate(_HEADER_LINES) > _ONE_LINE:
            found.append(f"{name} has a header of two lines")
    found += [f"{name} has no name for {one}" for one in page.evaluate(_NAMELESS)]
    return found
