"""The screen that says what is late, what failed and who was told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import PHONE, Studio, logged_in

import headwater

pytestmark = pytest.mark.browser

_MONITORING = "/studio/monitoring"
# The service keeps schedules; this one leaves the tables to the tests.
_LATER = "REFRESH START WITH TIMESTAMP '2099-01-01 00:00:00' INTERVAL 1 DAY"
_ADDRESS = "json://user:hidden@127.0.0.1:9/path"


@pytest.fixture(scope="module")
def things(lake: headwater.Connection) -> Iterator[headwater.Connection]:
    """One of each that is to be fresh, and a dynamic table that is suspended."""
    lake.sql("CREATE SCHEMA mon")
    lake.sql("CREATE TABLE mon.t (k INT)")
    lake.sql(
        "CREATE TABLE STREAM mon.changes ON TABLE mon.t"
        " WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    )
    lake.sql(f"CREATE DYNAMIC TABLE mon.well {_LATER} AS SELECT * FROM mon.t")
    lake.sql(f"CREATE DYNAMIC TABLE mon.ill {_LATER} AS SELECT 1 AS one")
    lake.sql("ALTER DYNAMIC TABLE mon.ill SUSPEND")
    yield lake
    lake.sql("DROP SCHEMA mon CASCADE")


def test_everything_is_in_one_list_the_worst_first(
    page: Page, things: headwater.Connection
) -> None:
    page.goto(_MONITORING)
    rows = page.get_by_role("row")
    expect(rows.filter(has_text="mon.changes")).to_contain_text("stream")
    expect(rows.filter(has_text="mon.well")).to_contain_text("FRESH")
    expect(rows.filter(has_text="mon.ill")).to_contain_text("it is suspended")
    names = rows.all_inner_texts()
    ill = next(place for place, text in enumerate(names) if "ill" in text)
    well = next(place for place, text in enumerate(names) if "mon.well" in text)
    assert ill < well


def test_charts_count_what_ran(page: Page, things: headwater.Connection) -> None:
    page.goto(_MONITORING)
    page.get_by_role("tab", name="Throughput").click()
    expect(page.get_by_role("img", name="Jobs over time").locator("canvas")).to_be_visible()
    expect(page.get_by_role("img", name="Refreshes over time").locator("canvas")).to_be_visible()
    page.get_by_role("button", name="7 d").click()
    expect(page.get_by_text("Jobs: ")).not_to_contain_text("Jobs: 0 well")


def test_an_alert_is_made_and_dropped_and_its_address_is_not_shown(
    page: Page, things: headwater.Connection
) -> None:
    page.goto(_MONITORING)
    page.get_by_role("tab", name="Alerts").click()
    page.get_by_role("button", name="New alert").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("mon_late")
    dialog.get_by_label("Watches", exact=True).click()
    page.get_by_role("option", name="LAG OF DYNAMIC TABLE").click()
    dialog.get_by_label("Object", exact=True).fill("mon.well")
    dialog.get_by_label("Address", exact=True).fill(_ADDRESS)
    assert "hidden" not in page.locator("body").inner_text()
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_have_count(0)
    (made,) = things.sql("SHOW ALERTS LIKE 'mon_late'").to_dicts()
    assert made["kind"] == "DYNAMIC_TABLE_LAG"
    expect(page.get_by_role("cell", name="mon_late")).to_be_visible()
    page.get_by_label("Alert", exact=True).click()
    page.get_by_role("option", name="mon_late").click()
    page.get_by_role("button", name="Drop").click()
    page.get_by_role("dialog").get_by_role("button", name="Drop alert").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert things.sql("SHOW ALERTS LIKE 'mon_late'").rows == []


def test_a_viewer_sees_nothing_that_was_not_granted_and_makes_no_alert(
    studio: Studio, things: headwater.Connection, browser: Browser
) -> None:
    things.sql("CREATE USER mon_viewer PASSWORD 'a long password' ROLE viewer")
    token = things.sql("CREATE TOKEN t FOR USER mon_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token, size=PHONE)
    page = context.new_page()
    page.goto(_MONITORING)
    expect(page.get_by_text("Nothing has to be fresh yet")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    page.get_by_role("tab", name="Alerts").click()
    page.get_by_role("button", name="New alert").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("mon_eve")
    dialog.get_by_label("Address", exact=True).fill(_ADDRESS)
    dialog.get_by_role("button", name="Run").click()
    expect(dialog.get_by_text("ACCESS_DENIED").first).to_be_visible()
    assert things.sql("SHOW ALERTS LIKE 'mon_eve'").rows == []
    context.close()
