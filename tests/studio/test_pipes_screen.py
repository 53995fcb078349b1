"""Pipes: what they load, what they cannot, and the buttons that stop and start them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.processes import wait_for
from tests.studio.conftest import PATIENCE_MS, PHONE, Studio, logged_in, press

import headwater

pytestmark = pytest.mark.browser

HOSTILE = "<script>document.title='x'</script>"
BAD = "bad <b onclick=x>'x' \u05e9\u05dc\u05d5\u05dd.csv"
PAGE = "/studio/pipes/pip/loads"


@pytest.fixture(scope="module")
def inbox(studio: Studio, lake: headwater.Connection) -> Path:
    """A pipe over a folder of this machine."""
    folder = studio.lake.parent / "pipe_inbox"
    folder.mkdir()
    lake.sql("CREATE SCHEMA pip")
    lake.sql("CREATE STORAGE CONNECTION pip_files TYPE FILE")
    lake.sql(
        f"CREATE EXTERNAL VOLUME pip.inbox LOCATION '{folder.as_uri()}/' USING CONNECTION pip_files"
    )
    lake.sql("CREATE TABLE pip.orders (id INT)")
    (folder / "good.csv").write_text("1\n")
    (folder / BAD).write_text(HOSTILE + "\n")
    lake.sql(
        "CREATE PIPE pip.loads VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE' AS"
        " COPY INTO pip.orders FROM VOLUME pip.inbox (id INT) USING CSV PURGE = TRUE"
        " ON_ERROR = CONTINUE"
    )
    return folder


def described(lake: headwater.Connection) -> dict[str, Any]:
    return dict(lake.sql("DESC PIPE EXTENDED pip.loads").rows)


def test_the_list_shows_what_failed(page: Page, lake: headwater.Connection, inbox: Path) -> None:
    wait_for(lambda: described(lake)["files_failed"] == "1", "the bad file to be met")
    page.goto("/studio/pipes")
    row = page.get_by_role("row").filter(has_text="pip")
    expect(row).to_contain_text("RUNNING")
    row.get_by_role("link", name="loads").click()
    page.wait_for_url("**" + PAGE)
    expect(page.get_by_text("Files failed")).to_be_visible()
    assert lake.sql("SELECT id FROM pip.orders").rows == [(1,)]


def test_the_first_error_of_a_file_is_text(page: Page, inbox: Path) -> None:
    page.goto(PAGE)
    failed = page.get_by_role("row").filter(has_text="LOAD_FAILED")
    expect(failed).to_contain_text(HOSTILE, timeout=PATIENCE_MS)
    expect(page.get_by_role("row").filter(has_text="good.csv")).to_contain_text("LOADED")
    page.get_by_role("tab", name="Statement").click()
    expect(page.get_by_text("AS COPY INTO pip.orders")).to_be_visible()
    page.get_by_role("tab", name="Batches").click()
    expect(page.get_by_role("row").filter(has_text="SUCCEED").first).to_be_visible()
    assert page.title().startswith("pip.loads")


def test_it_is_paused_and_resumed(page: Page, lake: headwater.Connection, inbox: Path) -> None:
    page.goto(PAGE)
    press(page, "Pause")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert described(lake)["pipe_status"] == "PAUSED"
    press(page, "Resume")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert described(lake)["pipe_status"] == "RUNNING"


def test_it_looks_at_once(page: Page, lake: headwater.Connection, inbox: Path) -> None:
    page.goto(PAGE)
    (inbox / "more.csv").write_text("2\n")
    press(page, "Look now")
    wait_for(
        lambda: lake.sql("SELECT id FROM pip.orders WHERE id = 2").rows == [(2,)],
        "the new file to be loaded",
    )


def test_failed_files_are_tried_again(page: Page, lake: headwater.Connection, inbox: Path) -> None:
    before = described(lake)
    page.goto(PAGE)
    press(page, "Retry failed files")
    wait_for(
        lambda: int(described(lake)["files_failed"]) > int(before["files_failed"]),
        "the bad file to be tried again",
    )
    assert described(lake)["pipe_status"] == "RUNNING"


def test_a_bad_file_is_skipped_and_tried_again(
    page: Page, lake: headwater.Connection, inbox: Path
) -> None:
    def status() -> str:
        history = "SELECT * FROM LOAD_HISTORY('pip.orders') ORDER BY last_copy_time DESC"
        rows = [row for row in lake.sql(history).to_dicts() if row["file_path"].endswith(BAD)]
        return str(rows[0]["status"]) if rows else "NONE"

    page.goto(PAGE)
    row = page.get_by_role("row").filter(has_text=BAD)
    row.get_by_role("button", name="Skip").click(timeout=PATIENCE_MS)
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("pre")).to_contain_text("ALTER PIPE `pip`.`loads` SKIP FILE")
    dialog.get_by_role("button", name="Skip").click()
    expect(dialog).to_have_count(0)
    expect(row.get_by_text("SKIPPED", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    assert status() == "SKIPPED"
    expect(row.get_by_role("button", name="Skip")).to_have_count(0)
    row.get_by_role("button", name="Retry").click()
    dialog.get_by_role("button", name="Retry").click()
    expect(dialog).to_have_count(0)
    wait_for(lambda: status() == "LOAD_FAILED", "the file to be tried again")
    expect(row.get_by_text("LOAD_FAILED", exact=True)).to_be_visible(timeout=PATIENCE_MS)


def test_a_bad_file_is_removed(page: Page, lake: headwater.Connection, inbox: Path) -> None:
    page.goto(PAGE)
    failed = page.get_by_role("row").filter(has_text="LOAD_FAILED")
    failed.get_by_role("button", name="Remove file").click(timeout=PATIENCE_MS)
    page.get_by_role("dialog").get_by_role("button", name="Remove file").click()
    wait_for(lambda: not (inbox / BAD).exists(), "the file to be gone")
    assert lake.sql("LIST VOLUME pip.inbox").rows == []


def test_a_pipe_that_cannot_run_says_why_and_is_let_run_again(
    page: Page, lake: headwater.Connection, inbox: Path
) -> None:
    lake.sql("DROP TABLE pip.orders; ALTER PIPE pip.loads REFRESH")
    wait_for(lambda: described(lake)["pipe_status"] == "INVALID", "the pipe to be stopped")
    page.goto(PAGE)
    why = page.get_by_role("alert").filter(has_text="It cannot run")
    expect(why).to_contain_text("pip.orders")
    lake.sql("UNDROP TABLE pip.orders")
    press(page, "Retry")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert described(lake)["pipe_status"] == "RUNNING"


def test_a_viewer_watches_and_cannot_pause(
    studio: Studio, browser: Browser, lake: headwater.Connection, inbox: Path
) -> None:
    lake.sql("CREATE USER pip_viewer PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN t FOR USER pip_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto(PAGE)
    expect(page.get_by_text("PIPE_NOT_FOUND").first).to_be_visible()
    lake.sql("GRANT MONITOR ON PIPE pip.loads TO USER pip_viewer")
    page.goto(PAGE)
    press(page, "Pause", refused=True)
    expect(page.get_by_role("dialog").get_by_text("ACCESS_DENIED").first).to_be_visible()
    context.close()
    assert described(lake)["pipe_status"] == "RUNNING"


def test_a_phone_is_wide_enough(studio: Studio, browser: Browser, inbox: Path) -> None:
    context = logged_in(browser, studio, studio.local_token, size=PHONE)
    page = context.new_page()
    for path in ("/studio/pipes", PAGE):
        page.goto(path)
        expect(page.get_by_role("table").first).to_be_visible()
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
    context.close()


def test_it_is_dropped(page: Page, lake: headwater.Connection, inbox: Path) -> None:
    page.goto(PAGE)
    press(page, "Drop")
    page.wait_for_url("**/studio/pipes")
    assert lake.sql("SHOW PIPES IN pip").rows == []
