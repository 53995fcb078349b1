"""The screens of dynamic tables: what they show, and that each button does what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import PHONE, Studio, logged_in, press

import headwater

pytestmark = pytest.mark.browser

_LIST = "/studio/dynamic-tables"
# The service keeps schedules; this one leaves the table to the tests.
_LATER = "REFRESH START WITH TIMESTAMP '2099-01-01 00:00:00' INTERVAL 1 DAY"
_TWO_CURVES = re.compile(r"^M\d+ \d+ C[\d ]+ M\d+ \d+ C[\d ]+$")
_HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def tables(lake: headwater.Connection) -> Iterator[headwater.Connection]:
    """A source, a table over it, and one over that, in a schema of their own."""
    lake.sql("CREATE SCHEMA dt")
    lake.sql("CREATE TABLE dt.orders (product STRING, amount INT)")
    lake.sql("INSERT INTO dt.orders VALUES ('lamp', 1), ('desk', 2)")
    lake.sql(
        f"CREATE DYNAMIC TABLE dt.totals {_LATER} REFRESH_MODE = INCREMENTAL AS"
        " SELECT product, sum(amount) AS total FROM dt.orders GROUP BY product"
    )
    lake.sql("CREATE DYNAMIC TABLE dt.top AS SELECT max(total) AS most FROM dt.totals")
    lake.sql("REFRESH DYNAMIC TABLE dt.totals")
    lake.sql("INSERT INTO dt.orders VALUES ('lamp', 5)")
    lake.sql("REFRESH DYNAMIC TABLE dt.totals")
    yield lake
    lake.sql("DROP SCHEMA dt CASCADE")


def _row(lake: headwater.Connection, name: str) -> dict[str, object]:
    (row,) = lake.sql(f"SHOW DYNAMIC TABLES IN dt WHERE name = '{name}'").to_dicts()
    return row


def _open(page: Page, name: str, tab: str | None = None) -> None:
    page.goto(f"{_LIST}/dt/{name}")
    if tab is not None:
        page.get_by_role("tab", name=tab).click()


def test_the_list_has_states_lag_and_why_the_last_refresh_was_what_it_was(
    page: Page, tables: headwater.Connection
) -> None:
    page.goto(_LIST)
    # Tests of other pages may have made one of that name in a schema of theirs.
    own = page.get_by_role("row").filter(has=page.get_by_role("cell", name="dt", exact=True))
    line = own.filter(has=page.get_by_role("link", name="totals", exact=True))
    expect(line).to_contain_text("ACTIVE")
    expect(line).to_contain_text("INCREMENTAL")
    expect(line.get_by_role("img", name="SUCCEED, SUCCEED")).to_be_visible()
    expect(line.locator(".hw-bar")).to_be_visible()
    line.get_by_text("INCREMENTAL").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("rows")
    # Who has no pointer comes to it, and reads the same.
    chip = line.get_by_role("note", name="INCREMENTAL: ")
    width = chip.evaluate("chip => chip.offsetWidth")
    chip.focus()
    assert chip.evaluate("chip => chip.offsetWidth") > width


def test_filters_leave_out_what_is_not_asked_for(page: Page, tables: headwater.Connection) -> None:
    tables.sql("CREATE SCHEMA IF NOT EXISTS dt_other")
    tables.sql("CREATE DYNAMIC TABLE dt_other.elsewhere AS SELECT 1 AS one")
    page.goto(_LIST)
    expect(page.get_by_role("link", name="elsewhere")).to_be_visible()
    page.get_by_label("Schema").click()
    page.get_by_role("option", name="dt", exact=True).click()
    expect(page.get_by_role("link", name="elsewhere")).to_have_count(0)
    expect(page.get_by_role("link", name="totals", exact=True)).to_be_visible()
    page.get_by_text("Only unhealthy").click()
    expect(page.get_by_role("link", name="totals", exact=True)).to_have_count(0)
    tables.sql("DROP SCHEMA dt_other CASCADE")


def test_suspend_and_resume(page: Page, tables: headwater.Connection) -> None:
    _open(page, "totals")
    press(page, "Suspend")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert _row(tables, "totals")["state"] == "SUSPENDED"
    press(page, "Resume")
    expect(page.get_by_role("button", name="Suspend")).to_be_visible()
    assert _row(tables, "totals")["state"] == "ACTIVE"


def test_refresh_and_refresh_in_full(page: Page, tables: headwater.Connection) -> None:
    tables.sql("INSERT INTO dt.orders VALUES ('desk', 7)")
    _open(page, "totals")
    press(page, "Refresh")
    assert _row(tables, "totals")["last_refresh_mode"] == "INCREMENTAL"
    press(page, "Re-run as full")
    assert _row(tables, "totals")["last_refresh_mode"] == "FULL"
    assert "ask" in str(_row(tables, "totals")["last_refresh_reason"])


def test_verify_says_whether_the_table_is_its_answer(
    page: Page, tables: headwater.Connection
) -> None:
    _open(page, "totals")
    page.get_by_role("button", name="Verify").click()
    page.get_by_role("dialog").get_by_role("button", name="Run").click()
    expect(page.get_by_text("The table is the answer of its query")).to_be_visible()


def test_drop_leads_back_to_the_list(page: Page, tables: headwater.Connection) -> None:
    tables.sql("CREATE DYNAMIC TABLE dt.goes AS SELECT 1 AS one")
    _open(page, "goes")
    page.get_by_role("button", name="Drop").click()
    page.get_by_role("dialog").get_by_role("button", name="Drop").click()
    page.wait_for_url(f"**{_LIST}")
    assert tables.sql("SHOW DYNAMIC TABLES IN dt LIKE 'goes'").rows == []


def test_the_overview_has_query_lag_and_owner(page: Page, tables: headwater.Connection) -> None:
    _open(page, "totals")
    facts = page.locator("dl").first
    for fact in ("Mean lag, 24 h", "Max lag, 24 h", "Next refresh", "Owner"):
        expect(facts).to_contain_text(fact)
    expect(page.locator("pre").filter(has_text="sum(amount) AS total")).to_be_visible()


def test_a_box_of_the_graph_opens_beside_it_and_directions_filter(
    page: Page, tables: headwater.Connection
) -> None:
    _open(page, "totals", "Graph")
    boxes = page.locator(".hw-node")
    expect(boxes).to_have_count(3)
    expect(page.locator(".hw-graph path")).to_have_attribute("d", _TWO_CURVES)
    box = boxes.filter(has_text="dt.totals")
    expect(box).to_contain_text(re.compile(r"ACTIVE, lag \d"))
    expect(box).to_contain_text(re.compile(r"(INCREMENTAL|FULL) \+\d+ -\d+"))
    boxes.filter(has_text="dt.top").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".hw-side")).to_contain_text("dt.top")
    assert page.url.endswith("/dt/totals")
    page.get_by_role("button", name="Upstream only").click()
    expect(boxes).to_have_count(2)
    expect(boxes.filter(has_text="dt.top")).to_have_count(0)


def test_the_history_says_what_was_read_and_links_to_the_job(
    page: Page, tables: headwater.Connection
) -> None:
    _open(page, "totals", "Refresh history")
    line = page.get_by_role("row").filter(has_text="rows only came").last
    expect(line).to_contain_text("INCREMENTAL")
    expect(line).to_contain_text("dt.orders")
    expect(line).to_contain_text("Delta versions 1 to 2")
    job = line.get_by_role("link")
    expect(job).to_have_attribute("href", f"/studio/compute/jobs/{job.inner_text()}")


def test_the_plan_is_shown_operator_by_operator(page: Page, tables: headwater.Connection) -> None:
    _open(page, "totals", "Incremental plan")
    operators = page.get_by_role("listitem")
    expect(operators.filter(has_text="Aggregate by")).to_contain_text("MERGED_GROUPS")
    expect(operators.filter(has_text="Scan dt.orders")).to_contain_text("CHANGES")


def test_the_next_refresh_is_explained(page: Page, tables: headwater.Connection) -> None:
    _open(page, "totals", "Next refresh")
    expect(page.get_by_text("SOURCES_UNCHANGED")).to_be_visible()


def test_permissions_are_granted_and_revoked_by_a_form(
    page: Page, tables: headwater.Connection
) -> None:
    tables.sql("CREATE USER dt_reader PASSWORD 'a long password' ROLE viewer")
    _open(page, "totals", "Permissions")
    for title, left in (("Grant", 1), ("Revoke", 0)):
        page.get_by_role("button", name=title, exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Grantee", exact=True).fill("dt_reader")
        expect(dialog.locator("pre")).to_contain_text("USER dt_reader")
        dialog.get_by_role("button", name="Run").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert len(tables.sql("SHOW GRANTS TO USER dt_reader").rows) == left


def test_hostile_text_shows_as_text(page: Page, tables: headwater.Connection) -> None:
    # Names of dynamic tables have letters and digits alone; comments and queries have anything.
    tables.sql(f"CREATE DYNAMIC TABLE dt.odd COMMENT '{_HOSTILE}' AS SELECT '{_HOSTILE}' AS x")
    _open(page, "odd")
    expect(page.locator("dd").filter(has_text=_HOSTILE)).to_be_visible()
    expect(page.locator("pre").filter(has_text=_HOSTILE)).to_be_visible()


def test_a_table_that_is_not_there_says_so(page: Page, tables: headwater.Connection) -> None:
    _open(page, "nothing")
    expect(page.get_by_text("There is no such dynamic table")).to_be_visible()


def test_a_viewer_sees_what_was_granted_and_is_refused_by_the_service(
    studio: Studio, tables: headwater.Connection, browser: Browser
) -> None:
    tables.sql("CREATE USER dt_viewer PASSWORD 'a long password' ROLE viewer")
    tables.sql("GRANT SELECT ON DYNAMIC TABLE dt.totals TO USER dt_viewer")
    token = tables.sql("CREATE TOKEN t FOR USER dt_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token, size=PHONE)
    page = context.new_page()
    page.goto(_LIST)
    expect(page.get_by_role("link", name="totals", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="top", exact=True)).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    before = _row(tables, "totals")["last_refresh_time"]
    _open(page, "totals")
    page.get_by_role("button", name="Refresh", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Refresh", exact=True).click()
    expect(page.get_by_role("dialog").get_by_text("ACCESS_DENIED").first).to_be_visible()
    assert _row(tables, "totals")["last_refresh_time"] == before
    context.close()
