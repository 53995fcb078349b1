"""The screen Development: the editor, its results, and scripts that become tasks."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.studio.conftest import PHONE, Studio, logged_in

import headwater

pytestmark = pytest.mark.browser

_SLOW_MS = 90_000
"""The first statement that computes starts Spark."""


def open_editor(page: Page, query: str = "") -> None:
    page.goto(f"/studio/{query}")
    expect(page.locator('[data-ready="yes"]')).to_be_visible()


def write(page: Page, text: str) -> None:
    page.locator(".cm-content").fill(text)


def results(page: Page) -> Locator:
    return page.locator('[aria-label="Result"]:visible')


def ran(page: Page, word: str = "Succeeded") -> None:
    expect(page.get_by_role("status")).to_contain_text(word, timeout=_SLOW_MS)


def test_a_link_preloads_the_editor_and_runs_nothing(page: Page) -> None:
    open_editor(page, "?sql=DROP%20SCHEMA%20%27%3Cscript%3E%27")
    expect(page.locator(".cm-content")).to_have_text("DROP SCHEMA '<script>'")
    expect(page.get_by_text("Results are shown here")).to_be_visible()


def test_the_statement_at_the_cursor_the_marked_text_or_everything_runs(page: Page) -> None:
    open_editor(page)
    write(page, "SHOW SCHEMAS;\nSHOW TABLES IN public;\nSHOW VCLUSTERS")
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+Enter")
    ran(page)
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_text("SHOW TABLES IN public").last).to_be_visible()
    expect(page.get_by_role("tab", name="Result")).to_have_count(1)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("tab", name="Result")).to_have_count(2)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Shift+Enter")
    expect(page.get_by_role("tab", name="Result")).to_have_count(3)
    expect(results(page).get_by_text("DEFAULT", exact=True)).to_be_visible()


def test_an_error_is_shown_at_its_place_after_text_of_any_alphabet(page: Page) -> None:
    open_editor(page)
    write(page, "-- ü 𝄞 עברית\nSHOW SCHEMAS;\nSHOW TASKS FRM etl;")
    page.get_by_role("button", name="Run all").click()
    ran(page, "Failed")
    expect(page.locator(".hw-wrong")).to_have_text("FRM")
    expect(page.get_by_role("alert")).to_contain_text("SYNTAX_ERROR")
    expect(page.get_by_text(re.compile(r"^\d+ rows?$")).first).to_be_visible()
    write(page, "SHOW SCHEMAS")
    page.get_by_role("button", name="Run", exact=True).click()
    ran(page)
    expect(page.locator(".hw-wrong")).to_have_count(0)


def test_a_session_lasts_from_one_run_to_the_next(page: Page, lake: headwater.Connection) -> None:
    lake.sql("CREATE SCHEMA dev_session")
    open_editor(page)
    write(page, "USE dev_session")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("schema dev_session")
    write(page, "SHOW TABLES")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("tab", name="Result 1")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("schema dev_session")


def test_words_of_the_language_are_completed(page: Page) -> None:
    open_editor(page)
    page.locator(".cm-content").press_sequentially("SHOW SCH")
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option", name="SCHEMAS")).to_be_visible()
    # CodeMirror takes no Enter in the first moments of a list.
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_have_text("SHOW SCHEMAS")


def test_a_script_is_kept_scheduled_submitted_changed_and_dropped(
    page: Page, lake: headwater.Connection
) -> None:
    lake.sql("CREATE TASK kept.before SCHEDULE (DAILY AT '01:00') AS SHOW SCHEMAS")
    lake.sql("SUBMIT TASK kept.before")
    open_editor(page)
    write(page, "SHOW SCHEMAS; -- <b>first</b>\nSHOW TABLES")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Folder").fill("Kept")
    page.get_by_label("Name", exact=True).fill("My script")
    page.get_by_role("button", name="Keep").click()
    page.wait_for_url("**folder=kept&task=my+script")
    task = "kept.`my script`"
    made = str(lake.sql(f"SHOW CREATE TASK {task}").rows[0][0])
    assert "DAILY AT '00:00' TIME ZONE 'Europe/Berlin'" in made
    assert "$$SHOW SCHEMAS; -- <b>first</b>\nSHOW TABLES$$" in made

    page.get_by_role("button", name="Schedule").click()
    page.get_by_label("Cycle").click()
    page.get_by_role("option", name="Cron").click()
    page.get_by_label("Cron", exact=True).fill("0 */5 * * * ? *")
    page.get_by_label("Runs after").click()
    page.get_by_role("option", name="kept.before").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    page.get_by_label("Retries").fill("3")
    page.get_by_label("Timeout in seconds").fill("600")
    page.get_by_label("Parameters").fill("day = $[yyyy-MM-dd, -1d]")
    expect(page.get_by_text("RETRY 3 TIMES")).to_be_visible()
    page.get_by_role("button", name="Save schedule").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    changed = str(lake.sql(f"SHOW CREATE TASK {task}").rows[0][0])
    for clause in (
        "CRON '0 */5 * * * ? *'",
        "AFTER kept.before",
        "PARAMETERS ('day' = '$[yyyy-MM-dd, -1d]')",
        "RETRY 3 TIMES EVERY 1 MINUTE",
        "TIMEOUT 10 MINUTES",
    ):
        assert clause in changed

    page.get_by_role("button", name="Submit").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Difference")).to_contain_text("everything is new")
    dialog.get_by_role("button", name="Submit").click()
    expect(dialog).to_have_count(0)
    (row,) = lake.sql("SHOW TASKS IN kept WHERE name = 'my script'").to_dicts()
    assert (row["state"], row["version"], row["after"]) == ("ONLINE", 1, "kept.before")

    write(page, "SHOW VCLUSTERS")
    page.get_by_role("button", name="Submit").click()
    expect(dialog.get_by_label("Difference")).to_contain_text("- SHOW TABLES")
    expect(dialog.get_by_label("Difference")).to_contain_text("+ SHOW VCLUSTERS")
    dialog.get_by_role("button", name="Submit").click()
    expect(dialog).to_have_count(0)
    assert len(lake.sql(f"SHOW TASK VERSIONS OF {task}")) == 2

    lake.sql(f"ALTER TASK {task} OFFLINE")
    page.get_by_role("button", name="Drop").click()
    dialog.get_by_role("button", name="Drop").click()
    page.wait_for_url("**/studio/")
    assert len(lake.sql("SHOW TASKS IN kept WHERE name = 'my script'")) == 0


def test_a_script_of_python_is_kept_as_one(page: Page, lake: headwater.Connection) -> None:
    open_editor(page)
    write(page, "print('hello')")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Name", exact=True).fill("in_python")
    page.get_by_label("Language").click()
    page.get_by_role("option", name="Python").click()
    page.get_by_role("button", name="Keep").click()
    page.wait_for_url("**task=in_python")
    (row,) = lake.sql("SHOW TASKS WHERE name = 'in_python'").to_dicts()
    assert row["kind"] == "PYTHON"


def test_a_clause_that_is_taken_away_is_unset(page: Page, lake: headwater.Connection) -> None:
    lake.sql(
        "CREATE TASK unset.t SCHEDULE (EVERY 5 MINUTES) RETRY 2 TIMES COMMENT 'x' AS SHOW TABLES"
    )
    open_editor(page, "?folder=unset&task=t")
    page.get_by_role("button", name="Schedule").click()
    page.get_by_label("Retries").fill("0")
    page.get_by_label("Comment").fill("")
    expect(page.get_by_text("ALTER TASK unset.t UNSET COMMENT")).to_be_visible()
    page.get_by_role("button", name="Save schedule").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    made = str(lake.sql("SHOW CREATE TASK unset.t").rows[0][0])
    assert "RETRY" not in made
    assert "COMMENT" not in made


def test_a_script_that_cannot_run_is_not_kept_and_says_why(
    page: Page, lake: headwater.Connection
) -> None:
    lake.sql("CREATE TASK wrong.t SCHEDULE (EVERY 5 MINUTES) AS SHOW TABLES")
    open_editor(page, "?folder=wrong&task=t")
    write(page, "SHOW TABLES WHER x")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("SYNTAX_ERROR")
    assert "$$SHOW TABLES$$" in str(lake.sql("SHOW CREATE TASK wrong.t").rows[0][0])


def test_a_viewer_runs_what_it_may_and_is_told_what_not(
    studio: Studio, lake: headwater.Connection, browser: Browser
) -> None:
    lake.sql("CREATE USER dev_viewer PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN view FOR USER dev_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    open_editor(page)
    write(page, "SHOW SCHEMAS; CREATE SCHEMA dev_not_allowed")
    page.get_by_role("button", name="Run all").click()
    ran(page, "Failed")
    expect(page.locator(".hw-wrong")).to_contain_text("CREATE SCHEMA")
    write(page, "SHOW SCHEMAS")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Name", exact=True).fill("not_allowed")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    schemas = {row["schema_name"] for row in lake.sql("SHOW SCHEMAS").to_dicts()}
    assert "dev_not_allowed" not in schemas
    assert len(lake.sql("SHOW TASKS WHERE name = 'not_allowed'")) == 0
    context.close()


def test_nobody_else_gets_a_result_as_a_file(
    studio: Studio, lake: headwater.Connection, page: Page, browser: Browser
) -> None:
    lake.sql("CREATE USER dev_other PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN view FOR USER dev_other").to_dicts()[0]["token"]
    open_editor(page)
    write(page, "SHOW SCHEMAS")
    page.get_by_role("button", name="Run", exact=True).click()
    path = page.get_by_role("link", name="Export CSV").get_attribute("href")
    assert path is not None
    address = studio.url + path
    mine = httpx.get(address, cookies={"headwater_token": studio.local_token})
    assert mine.text.startswith("schema_name\n")
    other = httpx.get(address, cookies={"headwater_token": token})
    assert other.status_code == 404
    assert httpx.get(address).status_code in (303, 401)


def test_a_phone_shows_no_wider_page(studio: Studio, browser: Browser) -> None:
    context = logged_in(browser, studio, studio.local_token, size=PHONE, dark=True)
    page = context.new_page()
    for path in ("", "tasks"):
        page.goto(f"/studio/{path}")
        expect(page.locator("#content")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    context.close()


def test_columns_are_completed_and_values_shown_sorted_drawn_and_exported(
    page: Page, lake: headwater.Connection, tmp_path: Path
) -> None:
    lake.sql("CREATE SCHEMA dev_grid")
    lake.sql("CREATE TABLE dev_grid.people (full_name STRING, size_cm INT)")
    lake.sql(
        "INSERT INTO dev_grid.people VALUES ('<script>alert(1)</script>', 9), ('שלום', 100),"
        " ('it''s \"x\", {{ 7 * 7 }}', 20), (repeat('y', 12000), NULL)"
    )
    open_editor(page)
    page.locator(".cm-content").press_sequentially("SELECT * FROM dev_grid.people p WHERE p.si")
    expect(page.get_by_role("option", name="size_cm")).to_be_visible()
    page.keyboard.press("Escape")
    write(page, "SELECT * FROM dev_grid.people ORDER BY full_name; SELECT id FROM range(1500)")
    page.get_by_role("button", name="Run all").click()
    ran(page)
    expect(page.get_by_text("1500 rows, the first 1,000 of them shown")).to_be_visible()
    page.get_by_role("tab", name="Result 1").click()
    table = results(page)
    expect(table.get_by_text("<script>alert(1)</script>")).to_be_visible()
    expect(table.get_by_text("(12,000 characters)")).to_be_visible()
    expect(table.get_by_text("NULL", exact=True)).to_be_visible()
    table.get_by_text("size_cm").click()
    expect(table.locator("tbody tr td:nth-child(2)").filter(has_text="9")).to_have_count(1)
    shown = [text for text in table.locator("tbody tr td:nth-child(2)").all_inner_texts() if text]
    assert [text for text in shown if text != "NULL"] == ["9", "20", "100"]
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    download.value.save_as(tmp_path / "result.csv")
    with (tmp_path / "result.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    expected = lake.sql("SELECT * FROM dev_grid.people ORDER BY full_name").rows
    assert rows == [
        ["full_name", "size_cm"],
        *([name, "" if size is None else str(size)] for name, size in expected),
    ]
    page.get_by_role("button", name="Chart").click()
    expect(page.locator(".nicegui-echart canvas")).to_be_visible()


def test_a_long_run_is_cancelled(page: Page, lake: headwater.Connection) -> None:
    open_editor(page)
    write(page, "SELECT count(*) FROM range(1000000000000) WHERE sin(id) > 2")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    ran(page, "Cancelled")
    write(page, "SHOW SCHEMAS")
    page.get_by_role("button", name="Run", exact=True).click()
    ran(page)


def test_the_wizard_makes_a_dynamic_table_and_its_task(
    page: Page, lake: headwater.Connection
) -> None:
    lake.sql("CREATE SCHEMA dev_wizard")
    lake.sql("CREATE TABLE dev_wizard.orders (customer STRING, amount INT)")
    open_editor(page)
    write(page, "SELECT customer, sum(amount) AS total FROM dev_wizard.orders GROUP BY customer;")
    page.get_by_role("button", name="Dynamic table task").click()
    page.get_by_label("Schema", exact=True).fill("dev_wizard")
    page.get_by_label("Dynamic table", exact=True).fill("totals")
    page.get_by_label("Task", exact=True).fill("Refresh totals")
    page.get_by_label("Every", exact=True).fill("5")
    expect(page.get_by_text("CREATE DYNAMIC TABLE dev_wizard.totals AS")).to_be_visible()
    page.get_by_text("More about the table").click()
    page.get_by_label("Partitioned by").fill("customer")
    page.get_by_label("Comment on the table").fill("by 'customer'")
    expect(page.get_by_text("PARTITIONED BY (customer)")).to_be_visible()
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url("**task=refresh+totals", timeout=_SLOW_MS)
    (row,) = lake.sql("SHOW TASKS WHERE name = 'refresh totals'").to_dicts()
    assert (row["kind"], row["state"]) == ("DYNAMIC_TABLE", "OFFLINE")
    assert str(row["schedule"]).startswith("EVERY 5 MINUTES")
    assert len(lake.sql("SHOW DYNAMIC TABLES IN dev_wizard")) == 1
    made = lake.sql("SHOW CREATE TABLE dev_wizard.totals").rows[0][0]
    assert "PARTITIONED BY (`customer`)" in made
    assert "COMMENT 'by \\'customer\\''" in made
    expect(page.locator(".cm-content")).to_contain_text("sum(amount)")

    page.get_by_role("button", name="Submit").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Submit").click()
    expect(dialog).to_have_count(0)
    (row,) = lake.sql("SHOW TASKS WHERE name = 'refresh totals'").to_dicts()
    assert row["state"] == "ONLINE"
    page.goto("/studio/tasks")
    page.get_by_role("tab", name="Dynamic table tasks").click()
    listed = page.get_by_role("row").filter(has=page.get_by_role("link", name="refresh totals"))
    listed.get_by_role("checkbox").click()
    page.get_by_role("button", name="Take offline", exact=True).click()
    dialog.get_by_role("button", name="Take offline", exact=True).click()
    expect(dialog).to_have_count(0)
    (row,) = lake.sql("SHOW TASKS WHERE name = 'refresh totals'").to_dicts()
    assert row["state"] == "OFFLINE"
