"""Every screen, wide and narrow, light and dark: an empty lake, the demonstration's, a broken one.

The pictures are kept in build/studio for people to look at; what a test can see by itself is that
neither a page nor a list scrolls sideways, that no word is cut off and nothing lies
over another, that no script fails, that no part of a page says that it cannot, that whatever can be
pressed has a name, and that Show SQL shows some. Of the broken lake it sees that its screens say
what is broken, and that none of them breaks with it. `pytest --bless` also puts the picture of the
README in its place.
"""

from __future__ import annotations

import re
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

import headwater
from headwater.studio.frame import SCREENS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

_ROOT = Path(__file__).parents[2]
_PICTURES = _ROOT / "build" / "studio"
_README_PICTURE = _ROOT / "docs" / "images" / "studio.png"
_FURTHER = {
    "demo": (
        "/dynamic-tables/public/sales_summary",
        "/catalog/public",
        "/catalog/public/sales",
        "/pipes/public/sales_pipe",
        "/volumes/public/inbox",
        "/my-files",
        "/tasks/etl/load",
        "/?folder=etl&task=load",
    ),
    "broken": (
        "/dynamic-tables/public/sales_clean",
        "/catalog/public/sales_view",
        "/pipes/public/sales_pipe",
        "/tasks/etl/count",
    ),
    "empty": ("/catalog/public", "/my-files"),
}
# Panels at the side of a screen, by the button that opens one and the one that closes it.
_PANELS = {
    "/": ("wizard", "Dynamic table task", "Cancel"),
    "/?folder=etl&task=load": ("schedule", "Schedule", "Close"),
}
_SAYS_WHAT_IS_BROKEN = {
    "/dynamic-tables": "FAILED",
    "/dynamic-tables/public/sales_clean": "last refresh: FAILED",
    "/pipes": "INVALID",
    "/pipes/public/sales_pipe": "It cannot run",
    "/streams": "its table was dropped",
    "/tasks/etl/count": "FAILED",
    "/compute": "FAILED",
    "/monitoring": "FAILED",
}
_SIDEWAYS = """() => [document.documentElement,
  ...document.querySelectorAll('.hw-list .q-table__middle, .hw-plan')]
  .some(box => box.scrollWidth > box.clientWidth)"""
# A grid draws its rows a moment after its head.
_ROWS_ARE_THERE = """() => [...document.querySelectorAll('.q-table')].every(
  table => !table.offsetParent
    || table.querySelector('.hw-rows, .q-virtual-scroll__content tr, .hw-cell'))"""
# A word that ends outside a box which hides what is outside of it, and offers no way to it.
_CUT_OFF = """() => {
  const found = [], words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (words.nextNode()) {
    const text = words.currentNode, own = text.parentElement;
    if (!text.data.trim() || !own.checkVisibility({ checkVisibilityCSS: true })) continue;
    if (own.closest('.q-tabs, .cm-editor, .q-icon, .hw-skip, script, style, [aria-hidden=true]'))
      continue;
    range.selectNodeContents(text);
    const words_at = range.getBoundingClientRect();
    for (let box = own; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box), at = box.getBoundingClientRect();
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') break;
      if (style.overflowX === 'visible' || style.textOverflow === 'ellipsis') continue;
      if (words_at.right > at.right + 1 || words_at.left < at.left - 1)
        found.push(text.data.trim().slice(0, 80));
    }
  }
  return found;
}"""
# Two things to press or read, of which neither is in the other, at one place.
_OVERLAPS = """() => {
  const shown = one => {
    const at = one.getBoundingClientRect();
    let [left, top, right, bottom] = [at.left, at.top, at.right, at.bottom];
    for (let box = one.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'visible') continue;
      const edge = box.getBoundingClientRect();
      left = Math.max(left, edge.left), right = Math.min(right, edge.right);
      top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
    }
    return { one, left, top, right, bottom };
  };
  const dialog = document.querySelector('.q-dialog .q-card') || document.querySelector('#content')
    || document.body;
  const all = [...dialog.querySelectorAll('button, a[href], h1, th, label, .hw-chip, [role=tab],'
    + '[role=checkbox], dt, dd')].filter(one => one.checkVisibility()).map(shown)
    .filter(at => at.right - at.left > 1 && at.bottom - at.top > 1);
  const found = [];
  all.forEach((a, place) => all.slice(place + 1).forEach(b => {
    if (a.one.contains(b.one) || b.one.contains(a.one)) return;
    if (a.one.closest('thead') !== b.one.closest('thead')) return;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 1) found.push([a.one, b.one].map(one => one.textContent.trim()
      || one.getAttribute('aria-label') || one.className).join(' | ').slice(0, 120));
  }));
  return found;
}"""
# In a list, a moment or a length of time in two lines, or the id of a job in more than three.
_TORN = """() => {
  const found = [], words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const short = /^(in )?\\d+ (ms|s|min|h|d)\\b|^\\d{4}-\\d\\d-\\d\\d /;
  while (words.nextNode()) {
    const text = words.currentNode;
    if (!text.parentElement.closest('.hw-list td')) continue;
    const most = text.parentElement.closest('a[href*="/compute/jobs/"]') ? 3
      : short.test(text.data.trim()) ? 1 : Infinity;
    range.selectNodeContents(text);
    if (range.getClientRects().length > most) found.push(text.data.trim().slice(0, 80));
  }
  return found;
}"""
# Words that are hard to read on what is behind them: below the contrast that WCAG asks of text.
_FAINT = """() => {
  const rgba = color => {
    const found = color.match(/^rgba?\\(([^)]+)\\)$/);
    return found && [...found[1].split(/[ ,/]+/).map(Number), 1].slice(0, 4);
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
  const light = color => {
    const [r, g, b] = color.map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = one => {
    const color = one ? rgba(getComputedStyle(one).backgroundColor) : [255, 255, 255, 1];
    return !color || color[3] === 0 ? behind(one.parentElement)
      : color[3] === 1 ? color : over(color, behind(one.parentElement));
  };
  const found = [], words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const text = words.currentNode, own = text.parentElement;
    if (!text.data.trim() || !own.checkVisibility({ checkVisibilityCSS: true })) continue;
    if (own.closest('.cm-gutters, .disabled, .hw-skip, script, style, [aria-hidden=true]'))
      continue;
    const style = getComputedStyle(own), color = rgba(style.color), back = behind(own);
    if (!color) continue;
    const shown = light(over(color, back)), page = light(back);
    const contrast = (Math.max(shown, page) + 0.05) / (Math.min(shown, page) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || own.closest('.q-icon');
    if (contrast < (large ? 3 : 4.5))
      found.push(`${text.data.trim().slice(0, 40)} (${contrast.toFixed(1)})`);
  }
  return [...new Set(found)];
}"""
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
# On a wide page beside the content, which Quasar moves a moment after the page became wide.
_NAVIGATION_FITS = """() => {
  const drawer = document.querySelector('.q-drawer').getBoundingClientRect();
  const content = document.querySelector('#content').getBoundingClientRect();
  return innerWidth > 800 ? drawer.left === 0 && content.left >= drawer.right : drawer.right <= 0;
}"""
_PANEL_IS_AT = """([left, width]) => {
  const box = document.querySelector('.hw-panel').getBoundingClientRect();
  return box.left === left && box.width === width;
}"""
_AT_ONCE = "*, *::before, *::after { transition: none !important; animation: none !important; }"
_DRAWN_MS = 60
_LONGEST_NAME = 20
_HEADER_LINES = "document.querySelector('header')?.clientHeight ?? 0"
_ONE_LINE = 60
# What the demonstration has none of.
_MORE = """
CREATE TASK etl.load SCHEDULE (EVERY 1 HOUR) AS SELECT 1 AS one, 'x' AS word -- why
  , true AS yes;
CREATE TASK etl.sums SCHEDULE (DAILY AT '02:30') AFTER etl.load AS SELECT 2;
SUBMIT TASK etl.load, etl.sums;
EXECUTE TASK etl.load;
"""
_BREAK = """
CREATE VIEW sales_view AS SELECT category, sum(amount) AS total FROM sales GROUP BY category;
CREATE TASK etl.count SCHEDULE (DAILY AT '03:00') AS SELECT count(*) FROM sales;
SUBMIT TASK etl.count;
DROP TABLE sales;
EXECUTE TASK etl.count;
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
    demo: Studio, browser: Browser, tmp_path: Path, bless: bool
) -> None:
    with demo.connect() as lake:
        lake.sql(_MORE)
        (tmp_path / "prices.csv").write_text("1,2\n")
        lake.sql(f"PUT '{tmp_path}/prices.csv' TO USER VOLUME")
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
        with pytest.raises(headwater.Error, match="sales"):
            lake.sql("REFRESH DYNAMIC TABLE sales_clean")
        lake.run_until_idle()
        failed = lake.sql("SHOW JOBS WHERE status = 'FAILED' LIMIT 1").to_dicts()[0]
        instance = lake.sql("SHOW TASK INSTANCES OF etl.count LIMIT 1").to_dicts()[0]
    job, ran = f"/compute/jobs/{failed['job_id']}", f"/tasks/etl/count/{instance['instance_id']}"
    _look_at_all(demo, browser, "broken", job, ran)


def test_the_page_to_log_in(empty: Studio, browser: Browser) -> None:
    context = browser.new_context(base_url=empty.url)
    page = context.new_page()
    _PICTURES.mkdir(parents=True, exist_ok=True)
    page.goto("/studio/login")
    problems = _looked_at_in_all_sizes(page, "login")
    page.get_by_label("User").fill("nobody")
    page.get_by_label("Password or token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    problems += _looked_at_in_all_sizes(page, "login-refused")
    context.close()
    assert problems == []


def _looked_at_in_all_sizes(page: Page, name: str) -> list[str]:
    problems: list[str] = []
    for width, size in (("wide", DESKTOP), ("phone", PHONE)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        problems += _looked_at(page, f"{name}-{width}")
    return problems


def _look_at_all(studio: Studio, browser: Browser, name: str, *more: str) -> None:
    _PICTURES.mkdir(parents=True, exist_ok=True)
    context = logged_in(browser, studio, studio.local_token)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    for path in [*(screen.path for screen in SCREENS), *_FURTHER[name], *more]:
        _load(page, path)
        if name == "broken" and path in _SAYS_WHAT_IS_BROKEN:
            content, said = page.locator("#content"), _SAYS_WHAT_IS_BROKEN[path]
            # In words, or by the name of what is drawn.
            expect(content.get_by_text(said).or_(content.get_by_label(said)).first).to_be_visible()
        for width, size in (("wide", DESKTOP), ("phone", PHONE)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            if width == "phone" and path == "/":
                # One is loaded as a phone does it; the others only become narrow.
                _load(page, path)
            page.wait_for_function(_NAVIGATION_FITS)
            problems += _looked_at_all_of(page, name, path, width)
        problems += _said_in_sql(page, path)
    context.close()
    assert problems == []


def _shown(path: str) -> str:
    # The ids of jobs and instances are others each time.
    words = re.findall(r"[\w-]+", path)
    parts = ["id" if len(part) > _LONGEST_NAME else part for part in words]
    return "-".join(parts) or "development"


def _looked_at_all_of(page: Page, name: str, path: str, width: str) -> list[str]:
    shown = f"{name}-{_shown(path)}-{width}"
    tabs = page.get_by_role("tab").all_inner_texts()
    if tabs:
        _turn_to(page, tabs[0])
    problems = _looked_at(page, shown)
    # Of a tab, one picture for each width: what differs by colours is in the style sheet.
    scheme = ("light",) if width == "wide" else ("dark",)
    for tab in tabs[1:]:
        _turn_to(page, tab)
        problems += _looked_at(page, f"{shown}-{tab.lower().replace(' ', '-')}", scheme)
    if path in _PANELS:
        problems += _looked_at_panel(page, shown, *_PANELS[path])
    return problems


def _load(page: Page, path: str) -> None:
    answer = page.goto(f"/studio{path}")
    assert answer is not None
    assert answer.status == 200, path
    expect(page.locator("#content")).to_be_visible()
    page.add_style_tag(content=_AT_ONCE)
    _wait_for_parts(page)


def _turn_to(page: Page, name: str) -> None:
    tab = page.get_by_role("tab", name=name, exact=True)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    # What it shows is drawn by the service.
    expect(page.get_by_role("tabpanel").locator("> *").first).to_be_attached()
    _wait_for_parts(page)


def _wait_for_parts(page: Page) -> None:
    expect(page.get_by_label("Loading")).to_have_count(0, timeout=30_000)
    page.wait_for_function(_ROWS_ARE_THERE)


def _looked_at_panel(page: Page, name: str, kind: str, opens: str, closes: str) -> list[str]:
    """The panel at the side: as wide as its fields need, and never wider than the page."""
    page.get_by_role("button", name=opens).click()
    panel = page.locator(".hw-panel")
    expect(panel).to_be_visible()
    size = page.viewport_size
    assert size is not None
    wide = min(576, size["width"])
    page.wait_for_function(_PANEL_IS_AT, arg=[size["width"] - wide, wide])
    problems = _looked_at(page, f"{name}-{kind}")
    page.get_by_role("button", name=closes).click()
    expect(panel).to_have_count(0)
    return problems


def _said_in_sql(page: Page, path: str) -> list[str]:
    page.get_by_role("button", name="Show SQL").click()
    shown = page.get_by_role("dialog").locator(".hw-sql")
    expect(shown.first).to_be_visible()
    return [] if shown.first.inner_text().strip() else [f"{path} shows no SQL"]


def _looked_at(page: Page, name: str, schemes: tuple[str, ...] = ("light", "dark")) -> list[str]:
    found = []
    for said in page.get_by_role("alert").all_inner_texts():
        if "BUG" in said or not name.startswith(("broken", "login-refused")):
            found.append(f"{name} says: {said}")
    if page.get_by_text("Connection lost").is_visible():
        found.append(f"{name} has lost its connection")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_timeout(_DRAWN_MS)
        page.screenshot(path=_PICTURES / f"{name}-{scheme}.png", animations="disabled")
        found += [f"{name} is faint in {scheme}: {words}" for words in page.evaluate(_FAINT)]
        if page.evaluate(_SIDEWAYS):
            found.append(f"{name} scrolls sideways")
        if page.evaluate(_HEADER_LINES) > _ONE_LINE:
            found.append(f"{name} has a header of two lines")
    found += [f"{name} cuts off: {words}" for words in page.evaluate(_CUT_OFF)]
    found += [f"{name} tears apart: {words}" for words in page.evaluate(_TORN)]
    found += [f"{name} has one over another: {both}" for both in page.evaluate(_OVERLAPS)]
    found += [f"{name} has no name for {one}" for one in page.evaluate(_NAMELESS)]
    return found
