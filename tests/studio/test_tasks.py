"""The screen Tasks: what it shows, and that each of its buttons does what SQL would."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import PHONE, Studio, logged_in, press

import headwater

pytestmark = pytest.mark.browser


def make(lake: headwater.Connection, folder: str, *names: str, after: str = "") -> None:
    """Tasks that are submitted and due once a day; their script needs no Spark."""
    for name in names:
        lake.sql(
            f"CREATE TASK {folder}.{name} SCHEDULE (DAILY AT '03:00' TIME ZONE 'UTC')"
            f"{f' AFTER {folder}.{after}' if after else ''} AS SHOW SCHEMAS"
        )
        lake.sql(f"SUBMIT TASK {folder}.{name}")


def state(lake: headwater.Connection, folder: str, name: str) -> str:
    (row,) = lake.sql(f"SHOW TASKS IN {folder} WHERE name = '{name}'").to_dicts()
    return str(row["state"])


def instances(lake: headwater.Connection, folder: str, name: str) -> list[dict[str, Any]]:
    return lake.sql(f"SHOW TASK INSTANCES OF {folder}.{name}").to_dicts()


def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.2)


def ended_instance(lake: headwater.Connection, folder: str, name: str) -> str:
    """The id of an instance that has run."""
    lake.sql(f"EXECUTE TASK {folder}.{name}")
    until(lambda: instances(lake, folder, name)[0]["state"] == "SUCCEEDED")
    return str(instances(lake, folder, name)[0]["instance_id"])


def test_periodic_tasks_are_paused_resumed_run_and_taken_offline_from_the_list(
    page: Page, lake: headwater.Connection
) -> None:
    make(lake, "listed", "one", "two")
    page.goto("/studio/tasks")
    for name in ("one", "two"):
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
        row.filter(has_text="listed").get_by_role("checkbox").click()
    press(page, "Pause")
    until(lambda: [state(lake, "listed", n) for n in ("one", "two")] == ["PAUSED", "PAUSED"])
    press(page, "Resume")
    until(lambda: state(lake, "listed", "one") == "ONLINE")
    press(page, "Run now")
    until(lambda: [i["state"] for i in instances(lake, "listed", "two")] == ["SUCCEEDED"])
    press(page, "Take offline")
    until(lambda: [state(lake, "listed", n) for n in ("one", "two")] == ["OFFLINE", "OFFLINE"])
    press(page, "Submit")
    until(lambda: state(lake, "listed", "two") == "ONLINE")


def test_what_others_come_after_goes_offline_with_them_only(
    page: Page, lake: headwater.Connection
) -> None:
    make(lake, "chain", "first")
    make(lake, "chain", "second", after="first")
    page.goto("/studio/tasks/chain/first")
    page.get_by_role("button", name="Take offline", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Take offline", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("TASK_HAS_DOWNSTREAM")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("after chain.first")).to_be_visible()
    press(page, "Take offline with downstream")
    until(lambda: state(lake, "chain", "second") == "OFFLINE")
    expect(page.locator(".hw-chip").get_by_text("OFFLINE")).to_be_visible()


def test_the_page_of_a_task_pauses_resumes_runs_submits_and_backfills(
    page: Page, lake: headwater.Connection
) -> None:
    make(lake, "single", "job")
    lake.sql("ALTER TASK single.job SET COMMENT 'changed'")
    page.goto("/studio/tasks/single/job")
    expect(page.get_by_text("the draft differs")).to_be_visible()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_label("Difference")).to_contain_text("+ COMMENT 'changed'")
    page.get_by_role("dialog").get_by_role("button", name="Submit", exact=True).click()
    until(lambda: len(lake.sql("SHOW TASK VERSIONS OF single.job")) == 2)
    press(page, "Pause")
    until(lambda: state(lake, "single", "job") == "PAUSED")
    press(page, "Resume")
    until(lambda: state(lake, "single", "job") == "ONLINE")
    press(page, "Run now")
    expect(page.locator(".hw-table .hw-chip").get_by_text("SUCCEEDED")).to_be_visible()
    page.get_by_role("button", name="Backfill").click()
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_label("To", exact=True).fill("2026-01-03")
    page.get_by_role("button", name="Show the statement").click()
    dialog = page.get_by_role("dialog").filter(has_text="BACKFILL TASK")
    dialog.get_by_role("button", name="Backfill", exact=True).click()
    until(
        lambda: sum(i["triggered_by"] == "BACKFILL" for i in instances(lake, "single", "job")) == 3
    )
    expect(page.get_by_role("img", name="Gantt of instances")).to_be_visible()
    press(page, "Take offline")
    until(lambda: state(lake, "single", "job") == "OFFLINE")


def test_an_instance_shows_its_log_and_is_set_and_rerun(
    page: Page, lake: headwater.Connection
) -> None:
    make(lake, "inst", "job")
    id = ended_instance(lake, "inst", "job")

    def now() -> dict[str, Any]:
        (row,) = instances(lake, "inst", "job")
        return row

    page.goto("/studio/tasks/inst/job")
    page.locator('[aria-label="Instances"]').get_by_role("link").nth(1).click()
    page.wait_for_url(f"**/studio/tasks/inst/job/{id}")
    expect(page.get_by_label("Log", exact=True)).to_contain_text("SHOW SCHEMAS")
    press(page, "Set failure")
    until(lambda: now()["state"] == "FAILED")
    expect(page.locator(".hw-chip").get_by_text("FAILED")).to_be_visible()
    press(page, "Set success")
    until(lambda: now()["state"] == "SUCCEEDED")
    press(page, "Rerun")
    until(lambda: (now()["state"], now()["attempt"]) == ("SUCCEEDED", 2))
    press(page, "Rerun with downstream")
    until(lambda: (now()["state"], now()["attempt"]) == ("SUCCEEDED", 3))


def test_an_instance_that_waits_is_paused_resumed_and_terminated(
    page: Page, lake: headwater.Connection
) -> None:
    make(lake, "waits", "first")
    make(lake, "waits", "job", after="first")
    lake.sql("ALTER TASK waits.first SET AS SHOW TABLES IN nowhere_at_all")
    lake.sql("SUBMIT TASK waits.first")
    lake.sql("BACKFILL TASK waits.first FROM '2026-01-01' TO '2026-01-01' WITH DOWNSTREAM")
    until(lambda: instances(lake, "waits", "first")[0]["state"] == "FAILED")
    id = instances(lake, "waits", "job")[0]["instance_id"]
    page.goto(f"/studio/tasks/waits/job/{id}")
    press(page, "Pause")
    until(lambda: instances(lake, "waits", "job")[0]["state"] == "PAUSED")
    press(page, "Resume")
    until(lambda: instances(lake, "waits", "job")[0]["state"] == "WAITING")
    press(page, "Terminate")
    until(lambda: instances(lake, "waits", "job")[0]["state"] == "TERMINATED")


def test_names_that_look_like_markup_are_shown_as_text(
    page: Page, lake: headwater.Connection
) -> None:
    name = "<b onclick=alert(1)>'\"`` {{ 7 * 7 }} %"
    lake.sql(f"CREATE TASK odd.`{name}` SCHEDULE (DAILY AT '03:00') AS SHOW SCHEMAS")
    shown = name.replace("``", "`")
    page.goto("/studio/tasks")
    page.get_by_role("link", name=shown).click()
    expect(page.get_by_role("heading", name=shown)).to_be_visible()
    expect(page.locator(".hw-chip").get_by_text("OFFLINE")).to_be_visible()


def test_a_task_that_is_not_there_says_so(page: Page) -> None:
    page.goto("/studio/tasks/nowhere/nothing")
    expect(page.get_by_role("alert").first).to_contain_text("TASK_NOT_FOUND")


def test_a_viewer_sees_tasks_and_is_told_what_it_may_not_do(
    studio: Studio, lake: headwater.Connection, browser: Browser
) -> None:
    make(lake, "seen", "job")
    lake.sql("CREATE USER task_viewer PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN view FOR USER task_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token, size=PHONE, dark=True)
    page = context.new_page()
    page.goto("/studio/tasks/seen/job")
    page.get_by_role("button", name="Take offline", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Take offline", exact=True).click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    assert state(lake, "seen", "job") == "ONLINE"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    context.close()
