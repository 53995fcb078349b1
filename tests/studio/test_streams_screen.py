"""Streams: what waits in them is looked at without being consumed."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import PATIENCE_MS, PHONE, Studio, logged_in

import headwater

pytestmark = pytest.mark.browser

HOSTILE = "<script>document.title='x'</script>"
COMMENT = "<img src=x onerror=alert(1)> \u05e9\u05dc\u05d5\u05dd"
LONG = "y" * 10_000


@pytest.fixture(scope="module")
def changes(lake: headwater.Connection) -> str:
    """A stream with changes that wait, and one with a hostile comment and none."""
    lake.sql("CREATE SCHEMA str")
    lake.sql(
        "CREATE TABLE str.orders (id INT, note STRING) PROPERTIES ('change_tracking' = 'true')"
    )
    with_mode = "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    lake.sql(f"CREATE TABLE STREAM str.changes ON TABLE str.orders {with_mode}")
    lake.sql("INSERT INTO str.orders VALUES (1, ?), (2, ?)", [HOSTILE, LONG])
    comment = f"COMMENT '{COMMENT}'"
    lake.sql(f"CREATE TABLE STREAM str.empty ON TABLE str.orders {comment} {with_mode}")
    return "str.changes"


def test_what_waits_is_shown_and_not_consumed(
    page: Page, lake: headwater.Connection, changes: str
) -> None:
    before = lake.sql("DESC TABLE STREAM EXTENDED str.changes").rows
    page.goto("/studio/streams")
    row = page.get_by_role("row", name=re.compile("^changes "))
    expect(row).to_contain_text("PENDING")
    # How far it was consumed, and until when what waits can be.
    expect(row).to_contain_text("version\N{NO-BREAK SPACE}1")
    stale = datetime.fromisoformat(row.locator(".hw-moment").last.inner_text())
    assert timedelta(days=13) < stale - datetime.now() < timedelta(days=15)
    row.get_by_role("button", name="Pending changes").click()
    pending = page.get_by_label("Pending changes")
    expect(pending.get_by_text(HOSTILE, exact=True)).to_be_visible(timeout=PATIENCE_MS)
    assert pending.get_by_text("yyy").inner_text() == LONG
    assert page.title().startswith("Streams")
    assert lake.sql("DESC TABLE STREAM EXTENDED str.changes").rows == before
    assert lake.sql("SELECT count(*) AS n FROM str.changes").rows == [(2,)]


def test_a_comment_is_text_and_the_stream_is_dropped(
    page: Page, lake: headwater.Connection, changes: str
) -> None:
    page.goto("/studio/streams")
    row = page.get_by_role("row").filter(has=page.get_by_text(COMMENT, exact=True))
    expect(row).to_contain_text("NO_DATA")
    row.get_by_role("button", name="Drop").click()
    page.get_by_role("dialog").get_by_role("button", name="Drop").click()
    expect(row).to_have_count(0)
    assert [r["name"] for r in lake.sql("SHOW STREAMS IN str").to_dicts()] == ["changes"]


def test_a_viewer_cannot_drop(
    studio: Studio, browser: Browser, lake: headwater.Connection, changes: str
) -> None:
    lake.sql("CREATE USER str_viewer PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN t FOR USER str_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto("/studio/streams")
    expect(page.get_by_text("No stream yet")).to_be_visible()
    lake.sql("GRANT SELECT ON TABLE STREAM str.changes TO USER str_viewer")
    page.goto("/studio/streams")
    page.get_by_role("row", name=re.compile("^changes ")).get_by_role("button", name="Drop").click()
    page.get_by_role("dialog").get_by_role("button", name="Drop").click()
    expect(page.get_by_role("dialog").get_by_text("ACCESS_DENIED").first).to_be_visible()
    context.close()
    assert lake.sql("SHOW STREAMS IN str LIKE 'changes'").rowcount == 1


def test_a_phone_is_wide_enough(studio: Studio, browser: Browser, changes: str) -> None:
    context = logged_in(browser, studio, studio.local_token, size=PHONE)
    page = context.new_page()
    page.goto("/studio/streams")
    expect(page.get_by_role("table").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    context.close()
