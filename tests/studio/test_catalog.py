"""The catalog: what is there, what it held before, what reads it, and who may."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import PATIENCE_MS, PHONE, Studio, logged_in

import headwater

pytestmark = pytest.mark.browser

HOSTILE = "<script>document.title='x'</script> \"a\" 'b' {{ 1 + 1 }} \u05e9\u05dc\u05d5\u05dd"
LONG = "y" * 10_000


@pytest.fixture(scope="module")
def orders(lake: headwater.Connection) -> str:
    """A table with three versions, a view over it, and a stream, in a schema of its own."""
    lake.sql("CREATE SCHEMA cat")
    lake.sql(
        "CREATE TABLE cat.orders (id INT COMMENT 'the number', note STRING)"
        " COMMENT 'one row per order' PROPERTIES ('change_tracking' = 'true')"
    )
    lake.sql("INSERT INTO cat.orders VALUES (1, ?), (2, ?)", [HOSTILE, LONG])
    lake.sql("DELETE FROM cat.orders WHERE id = 1")
    lake.sql("CREATE VIEW cat.notes AS SELECT note FROM cat.orders")
    lake.sql(f"CREATE VIEW cat.last AS SELECT count(*) AS `{HOSTILE}` FROM cat.notes")
    return "cat.orders"


@contextmanager
def page_of(
    studio: Studio, browser: Browser, lake: headwater.Connection, user: str
) -> Iterator[Page]:
    lake.sql(f"CREATE USER {user} PASSWORD 'a long password' ROLE viewer")
    token = lake.sql(f"CREATE TOKEN t FOR USER {user}").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    yield context.new_page()
    context.close()


def test_schemas_and_tables_are_listed_and_linked(page: Page, orders: str) -> None:
    page.goto("/studio/catalog")
    schemas = page.get_by_label("Schemas", exact=True)
    expect(schemas.get_by_role("row").filter(has_text="cat")).to_contain_text("12")
    schemas.get_by_role("link", name="cat", exact=True).click()
    page.wait_for_url("**/studio/catalog/cat")
    row = page.get_by_role("row").filter(has_text="one row per order")
    expect(row).to_contain_text("TABLE")
    row.get_by_role("link", name="orders").click()
    page.wait_for_url("**/studio/catalog/cat/orders")
    expect(page.get_by_role("row").filter(has_text="the number")).to_contain_text("int")


def test_the_tabs_show_rows_details_and_the_statement(page: Page, orders: str) -> None:
    page.goto("/studio/catalog/cat/orders")
    page.get_by_role("tab", name="Preview").click()
    cell = page.get_by_role("cell").filter(has_text="yyy")
    expect(cell).to_be_visible(timeout=PATIENCE_MS)
    assert cell.inner_text() == LONG
    page.get_by_role("tab", name="Details").click()
    expect(page.get_by_text("one row per order")).to_be_visible()
    expect(page.locator("dd").filter(has_text="change_tracking")).to_contain_text("true")
    page.get_by_role("tab", name="DDL").click()
    expect(page.get_by_text("CREATE TABLE cat.orders")).to_be_visible()
    page.get_by_role("button", name="Show SQL").click()
    expect(page.get_by_text("SELECT * FROM `cat`.`orders` LIMIT 100")).to_be_visible()


def test_an_old_version_is_looked_at_and_restored(
    page: Page, lake: headwater.Connection, orders: str
) -> None:
    page.goto("/studio/catalog/cat/orders")
    page.get_by_role("tab", name="History").click()
    version = page.get_by_role("row").filter(has_text="INSERT_INTO")
    version.get_by_role("button", name="Preview").click()
    # What a row holds is text, whatever it is.
    old = page.get_by_label("Rows of a version")
    expect(old.get_by_text(HOSTILE, exact=True)).to_be_visible(timeout=PATIENCE_MS)
    assert page.title().startswith("cat.orders")
    assert lake.sql("SELECT id FROM cat.orders").rows == [(2,)]
    version.get_by_role("button", name="Restore").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("RESTORE TABLE `cat`.`orders` TO VERSION AS OF 2")
    dialog.get_by_role("button", name="Restore").click()
    restored = page.get_by_role("cell", name="RESTORE", exact=True)
    expect(restored).to_be_visible(timeout=PATIENCE_MS)
    assert lake.sql("SELECT id FROM cat.orders ORDER BY id").rows == [(1,), (2,)]
    page.get_by_label("Rows at a time").fill("1970-01-01 00:00:00")
    page.get_by_role("button", name="Preview at that time").click()
    expect(page.get_by_text("TIMESTAMP_BEFORE_TABLE").first).to_be_visible(timeout=PATIENCE_MS)


def test_lineage_leads_up_and_down(page: Page, orders: str) -> None:
    page.goto("/studio/catalog/cat/notes")
    page.get_by_role("tab", name="Lineage").click()
    flow = page.get_by_label("Lineage")
    expect(flow.get_by_role("link", name="cat.last")).to_be_visible()
    flow.get_by_role("link", name="cat.orders").click()
    page.wait_for_url("**/studio/catalog/cat/orders")


def test_a_dropped_table_comes_back(page: Page, lake: headwater.Connection, orders: str) -> None:
    lake.sql("CREATE TABLE cat.gone (id INT)")
    lake.sql("DROP TABLE cat.gone")
    page.goto("/studio/catalog/cat")
    dropped = page.get_by_label("Dropped tables")
    dropped.get_by_role("row").filter(has_text="gone").get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name="Undrop").click()
    expect(page.get_by_text("table cat.gone is back")).to_be_visible()
    assert ("gone",) in lake.sql("SELECT table_name FROM (SHOW TABLES IN cat)").rows


def test_hostile_names_are_text(page: Page, lake: headwater.Connection, orders: str) -> None:
    page.goto("/studio/catalog/cat/last")
    expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible()
    page.get_by_role("tab", name="Preview").click()
    heading = page.get_by_role("columnheader").filter(has_text=HOSTILE)
    expect(heading).to_be_visible(timeout=PATIENCE_MS)
    assert page.title().startswith("cat.last")
    page.goto("/studio/catalog/cat/" + quote(HOSTILE, safe=""))
    expect(page.get_by_text("TABLE_NOT_FOUND").first).to_be_visible()
    page.goto("/studio/catalog/" + quote("x`; DROP TABLE cat.orders; --", safe=""))
    expect(page.get_by_text("SCHEMA_NOT_FOUND").first).to_be_visible()
    assert lake.sql("SHOW TABLES IN cat LIKE 'orders'").rowcount == 1


def test_a_grant_is_shown_and_taken_back(
    page: Page, lake: headwater.Connection, orders: str
) -> None:
    lake.sql("CREATE USER cat_reader PASSWORD 'a long password' ROLE viewer")
    lake.sql("GRANT SELECT ON VIEW cat.notes TO USER cat_reader")
    page.goto("/studio/catalog/cat/notes")
    page.get_by_role("tab", name="Permissions").click()
    page.get_by_role("row").filter(has_text="cat_reader").get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("Nothing was granted on it")).to_be_visible()
    assert lake.sql("SHOW GRANTS TO USER cat_reader").rows == []


def test_a_viewer_sees_its_own_and_is_refused_the_rest(
    studio: Studio, browser: Browser, lake: headwater.Connection, orders: str
) -> None:
    with page_of(studio, browser, lake, "cat_viewer") as page:
        page.goto("/studio/catalog")
        expect(page.get_by_text("No schema that you may see")).to_be_visible()
        page.goto("/studio/catalog/cat/orders")
        expect(page.get_by_text("TABLE_NOT_FOUND").first).to_be_visible()
        lake.sql("GRANT SELECT ON TABLE cat.orders TO USER cat_viewer")
        before = lake.sql("DESC HISTORY cat.orders").rowcount
        page.goto("/studio/catalog/cat/orders")
        page.get_by_role("tab", name="History").click()
        version = page.get_by_role("row").filter(has_text="CREATE")
        version.get_by_role("button", name="Restore").click()
        page.get_by_role("dialog").get_by_role("button", name="Restore").click()
        expect(page.get_by_role("dialog").get_by_text("ACCESS_DENIED").first).to_be_visible()
        assert lake.sql("DESC HISTORY cat.orders").rowcount == before


def test_a_phone_is_wide_enough(studio: Studio, browser: Browser, orders: str) -> None:
    context = logged_in(browser, studio, studio.local_token, size=PHONE)
    page = context.new_page()
    for path in ("", "/cat", "/cat/orders"):
        page.goto("/studio/catalog" + path)
        expect(page.get_by_role("table").first).to_be_visible()
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
    context.close()
