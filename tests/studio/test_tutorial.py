"""The tutorials of dynamic tables, done in a browser on a lake with nothing in it.

Their schedules are real minutes, so this takes some; both go on side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import Studio, logged_in, running_studio

import headwater

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

_FOLDER = "tutorial_working_with_dynamic_table"
_PATIENCE = 240.0
_SLOW_MS = 90_000


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Studio]:
    """A service on a lake of the test's own."""
    with running_studio(tmp_path / "lake") as running:
        yield running


def test_seed_004_and_the_two_tasks_of_seed_002(own: Studio, browser: Browser) -> None:
    context = logged_in(browser, own, own.local_token)
    page = context.new_page()
    with own.connect() as lake:
        _two_tasks_are_made(page, lake)
        _the_sample_scripts_are_deployed(page, lake)
        _is_filled(lake, "event_group_minute")
        lake.sql("INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13')")
        _changes_arrive(lake, "event_gettime")
        _changes_arrive(lake, "event_group_minute")
        _changes_arrive(lake, "user_behavior_clean")
        _changes_arrive(lake, "user_behavior_totals")
        order = lake.sql(
            "SHOW TASK INSTANCES WHERE state = 'SUCCEEDED' AND folder = 'dt'"
        ).to_dicts()
        _the_second_begins_after_the_first(order)
        _freshness_is_checked(page)
        _everything_is_taken_offline(page, lake)
    context.close()


def _two_tasks_are_made(page: Page, lake: headwater.Connection) -> None:
    """Seed 002: data, two scripts that make and refresh a dynamic table, one after the other."""
    page.goto("/studio/")
    _type(
        page,
        "CREATE TABLE event_tb (event STRING, process DOUBLE, event_time TIMESTAMP);\n"
        "INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2023-09-20 14:43:13'),"
        " ('event-1', 21.0, TIMESTAMP '2023-09-19 14:30:14');",
    )
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_role("status")).to_contain_text("Succeeded", timeout=_SLOW_MS)
    first = (
        "CREATE DYNAMIC TABLE IF NOT EXISTS event_gettime AS SELECT event, process,"
        " HOUR(event_time) AS event_hour, MINUTE(event_time) AS event_minute FROM event_tb;\n"
        "REFRESH DYNAMIC TABLE event_gettime;"
    )
    second = (
        "CREATE DYNAMIC TABLE IF NOT EXISTS event_group_minute AS SELECT event, event_hour,"
        " event_minute, SUM(process) AS process_sum FROM event_gettime"
        " GROUP BY event, event_hour, event_minute;\n"
        "REFRESH DYNAMIC TABLE event_group_minute;"
    )
    _keep(page, first, "dt", "1. Time Processing dt")
    _schedule_every_minute(page)
    _submit(page)
    _keep(page, second, "dt", "2. Aggregate dy")
    _schedule_every_minute(page, after="dt.`1. time processing dt`")
    _submit(page)
    states = lake.sql("SHOW TASKS IN dt").to_dicts()
    assert [row["state"] for row in states] == ["ONLINE", "ONLINE"]
    assert [row["after"] for row in states] == [None, "dt.`1. time processing dt`"]


def _the_sample_scripts_are_deployed(page: Page, lake: headwater.Connection) -> None:
    """Seed 004: the import as a periodic task, two dynamic tables with tasks of their own."""
    page.goto("/studio/")
    page.get_by_text("Sample scripts").click()
    page.get_by_role("link", name="Step01.Preparation").click()
    _ready(page)
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_role("status")).to_contain_text("Succeeded", timeout=_SLOW_MS)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Keep").click()
    page.wait_for_url("**task=step01.preparation**")
    _schedule_every_minute(page)
    _submit(page)
    for step in ("Step02.Transformation", "Step03.Aggregation"):
        name = f"{step}_With_Dynamic_Table"
        page.goto("/studio/")
        page.get_by_text("Sample scripts").click()
        page.get_by_role("link", name=name).click()
        _ready(page)
        page.get_by_role("button", name="Configure and submit").click()
        expect(page.get_by_text("CREATE DYNAMIC TABLE user_behavior")).to_be_visible()
        page.get_by_role("button", name="Create and submit").click()
        page.wait_for_url(f"**task={name.lower()}**", timeout=_SLOW_MS)
    rows = lake.sql(f"SHOW TASKS IN {_FOLDER}").to_dicts()
    assert [(row["kind"], row["state"]) for row in rows] == [
        ("SQL", "ONLINE"),
        ("DYNAMIC_TABLE", "ONLINE"),
        ("DYNAMIC_TABLE", "ONLINE"),
    ]


def _freshness_is_checked(page: Page) -> None:
    page.goto("/studio/?sample=Step04.Check_Data_Freshness")
    _ready(page)
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_role("status")).to_contain_text("Succeeded", timeout=_SLOW_MS)
    page.get_by_role("tab", name="Result 1").click()
    cells = page.locator('[aria-label="Result"]:visible .q-virtual-scroll__content td')
    expect(cells).to_have_count(4)
    behind, events = int(cells.nth(2).inner_text()), int(cells.nth(3).inner_text())
    assert behind < 240
    # Whole runs of the import, which adds twelve events at a time.
    assert events >= 12
    assert events % 12 == 0
    page.goto("/studio/dynamic-tables")
    expect(page.get_by_role("link", name="user_behavior_totals")).to_be_visible()


def _everything_is_taken_offline(page: Page, lake: headwater.Connection) -> None:
    page.goto("/studio/tasks")
    _take_all_offline(page, "Periodic tasks")
    page.get_by_role("tab", name="Dynamic table tasks").click()
    _take_all_offline(page, "Dynamic table tasks")
    _until(lambda: {row["state"] for row in lake.sql("SHOW TASKS").to_dicts()} == {"OFFLINE"}, 20)


def _take_all_offline(page: Page, label: str) -> None:
    panel = page.get_by_role("tabpanel").filter(has=page.locator(f'[aria-label="{label}"]'))
    boxes = panel.locator("tbody").get_by_role("checkbox")
    expect(boxes.first).to_be_visible()
    panel.locator("thead").get_by_role("checkbox").click()
    panel.get_by_role("button", name="Take offline with downstream").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Take offline with downstream").click()
    expect(dialog).to_have_count(0)


def _keep(page: Page, text: str, folder: str, name: str) -> None:
    page.goto("/studio/")
    _type(page, text)
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Folder").fill(folder)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Keep").click()
    page.wait_for_url("**task=**")
    _ready(page)


def _schedule_every_minute(page: Page, after: str | None = None) -> None:
    page.get_by_role("button", name="Schedule").click()
    page.get_by_label("Cycle").click()
    page.get_by_role("option", name="Every n minutes").click()
    if after is not None:
        page.get_by_label("Runs after").click()
        page.get_by_role("option", name=after).click()
        page.keyboard.press("Escape")
    expect(page.get_by_text("EVERY 1 MINUTE").first).to_be_visible()
    page.get_by_role("button", name="Save schedule").click()
    expect(page.get_by_text("The draft has its schedule")).to_be_visible()


def _submit(page: Page) -> None:
    page.get_by_role("button", name="Submit").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Difference")).to_contain_text("EVERY 1 MINUTE")
    dialog.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("submitted as version 1")).to_be_visible()
    expect(dialog).to_have_count(0)


def _ready(page: Page) -> None:
    expect(page.locator('[data-ready="yes"]')).to_be_visible()


def _type(page: Page, text: str) -> None:
    _ready(page)
    page.locator(".cm-content").fill(text)


def _is_filled(lake: headwater.Connection, table: str) -> None:
    """Its first refresh has ended, which takes everything there is."""
    statement = f"SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = '{table}'"
    _until(lambda: any(r["state"] == "SUCCEED" for r in lake.sql(statement).to_dicts()), _PATIENCE)


def _changes_arrive(lake: headwater.Connection, table: str) -> None:
    """A refresh by what has changed, with rows in it."""
    statement = f"SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = '{table}'"

    def arrived() -> bool:
        rows = lake.sql(statement).to_dicts()
        assert {row["state"] for row in rows} <= {"SUCCEED", "RUNNING", "QUEUED", "SETUP"}, rows
        found = [row for row in rows if row["refresh_mode"] == "INCREMENTAL"]
        return any(int((row["stats"] or {}).get("rows_inserted", 0)) > 0 for row in found)

    _until(arrived, _PATIENCE)


def _the_second_begins_after_the_first(rows: list[dict[str, object]]) -> None:
    first = {row["plan_time"]: row for row in rows if str(row["task_name"]).startswith("1.")}
    second = {row["plan_time"]: row for row in rows if str(row["task_name"]).startswith("2.")}
    both = first.keys() & second.keys()
    assert both
    for plan in both:
        assert second[plan]["start_time"] >= first[plan]["end_time"]  # type: ignore[operator]


def _until(holds: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(1)
