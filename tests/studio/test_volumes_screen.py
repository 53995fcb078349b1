"""Volumes: files are looked at, sent, fetched and removed, with the rights of the user."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from tests.seaweedfs import SECRET, SeaweedServer
from tests.spark.places import s3_sql
from tests.studio.conftest import PATIENCE_MS, PHONE, Studio, logged_in

import headwater

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> 'q' \u05e9\u05dc\u05d5\u05dd.csv"
LONG = "y" * 10_000
HOSTILE_CELL = "<script>document.title='x'</script>"
TEN_MEGABYTES = b"0123456789abcdef" * (10 * 65536)


@pytest.fixture(scope="module")
def inbox(studio: Studio, lake: headwater.Connection) -> Path:
    """A volume over a folder of this machine, with files at two depths."""
    folder = studio.lake.parent / "inbox"
    (folder / "in").mkdir(parents=True)
    (folder / "in" / HOSTILE).write_text(f"id,note\n1,{HOSTILE_CELL}\n2,{LONG}\n")
    (folder / "top.txt").write_text("hello")
    lake.sql("CREATE SCHEMA vol")
    lake.sql("CREATE STORAGE CONNECTION vol_files TYPE FILE")
    lake.sql(
        f"CREATE EXTERNAL VOLUME vol.inbox LOCATION '{folder.as_uri()}/' USING CONNECTION vol_files"
        " DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
    )
    return folder


def files(lake: headwater.Connection) -> list[str]:
    return [row["relative_path"] for row in lake.sql("LIST VOLUME vol.inbox").to_dicts()]


def send(page: Page, name: str, content: bytes) -> None:
    page.get_by_text("Upload files").click()
    payload: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.locator("input[type=file]").set_input_files(payload)


def test_folders_lead_to_files(page: Page, inbox: Path) -> None:
    page.goto("/studio/volumes")
    page.get_by_role("row").filter(has_text="vol").get_by_role("link", name="inbox").click()
    page.wait_for_url("**/studio/volumes/vol/inbox")
    expect(page.get_by_role("row").filter(has_text="top.txt")).to_contain_text("5 B")
    page.get_by_role("link", name="in/").click()
    expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible()
    page.get_by_label("Folders").get_by_role("link", name="inbox").click()
    expect(page.get_by_text("top.txt")).to_be_visible()


def test_a_file_is_shown_as_a_table(page: Page, inbox: Path) -> None:
    page.goto("/studio/volumes/vol/inbox?folder=in/")
    page.get_by_role("button", name="Preview").click()
    rows = page.get_by_label("Rows of a file")
    expect(rows.get_by_text(HOSTILE_CELL, exact=True)).to_be_visible(timeout=PATIENCE_MS)
    assert rows.get_by_text("yyy").inner_text() == LONG
    expect(rows.get_by_role("columnheader").filter(has_text="note")).to_be_visible()
    page.get_by_text("The first line holds names").click()
    expect(rows.get_by_text("f0")).to_be_visible(timeout=PATIENCE_MS)
    assert page.title().startswith("vol.inbox")


def test_a_file_larger_than_other_requests_is_sent(
    page: Page, lake: headwater.Connection, inbox: Path
) -> None:
    page.goto("/studio/volumes/vol/inbox?folder=sent/")
    expect(page.get_by_text("No files in this folder")).to_be_visible()
    send(page, "large.csv", TEN_MEGABYTES)
    expect(page.get_by_text("large.csv was uploaded")).to_be_visible()
    assert (inbox / "sent" / "large.csv").read_bytes() == TEN_MEGABYTES
    expect(page.get_by_role("row").filter(has_text="large.csv")).to_contain_text("10 MB")


def test_a_file_of_the_same_name_is_kept_unless_it_may_be_replaced(
    page: Page, lake: headwater.Connection, inbox: Path
) -> None:
    (inbox / "kept.csv").write_text("old")
    page.goto("/studio/volumes/vol/inbox")
    send(page, "kept.csv", b"new")
    expect(page.get_by_text("kept.csv is there already and was kept")).to_be_visible()
    assert (inbox / "kept.csv").read_text() == "old"
    page.get_by_text("Replace files of the same name").click()
    again: FilePayload = {"name": "kept.csv", "mimeType": "text/csv", "buffer": b"new"}
    page.locator("input[type=file]").set_input_files(again)
    expect(page.get_by_text("kept.csv was uploaded")).to_be_visible()
    assert (inbox / "kept.csv").read_text() == "new"


def test_a_file_is_fetched_as_it_is(page: Page, inbox: Path) -> None:
    page.goto("/studio/volumes/vol/inbox?folder=in/")
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download").click()
    assert begun.value.path().read_bytes() == (inbox / "in" / HOSTILE).read_bytes()
    answer = page.request.get("/studio/files?schema=vol&volume=inbox&path=top.txt")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    missing = page.request.get("/studio/files?schema=vol&volume=inbox&path=../../etc/passwd")
    assert (missing.status, "PATH_NOT_ALLOWED" in missing.text()) == (400, True)


def test_a_file_is_removed_and_the_directory_refreshed(
    page: Page, lake: headwater.Connection, inbox: Path
) -> None:
    (inbox / "bad.csv").write_text("x")
    page.goto("/studio/volumes/vol/inbox")
    page.get_by_role("button", name="Refresh directory").click()
    page.get_by_role("dialog").get_by_role("button", name="Refresh directory").click()
    expect(page.get_by_text("volume vol.inbox refreshed")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="bad.csv")
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    assert "bad.csv" not in files(lake)
    assert "top.txt" in files(lake)


def test_a_reader_can_fetch_and_neither_send_nor_remove(
    studio: Studio, browser: Browser, lake: headwater.Connection, inbox: Path
) -> None:
    lake.sql("CREATE USER vol_viewer PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN t FOR USER vol_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto("/studio/volumes/vol/inbox")
    expect(page.get_by_text("VOLUME_NOT_FOUND").first).to_be_visible()
    address = "/studio/files?schema=vol&volume=inbox&path=top.txt"
    refused = page.request.get(address)
    assert (refused.status, "VOLUME_NOT_FOUND" in refused.text()) == (400, True)
    lake.sql("GRANT READ VOLUME ON VOLUME vol.inbox TO USER vol_viewer")
    assert page.request.get(address).text() == "hello"
    page.goto("/studio/volumes/vol/inbox")
    send(page, "intruder.csv", b"x")
    expect(page.get_by_text("ACCESS_DENIED").first).to_be_visible()
    row = page.get_by_role("row").filter(has_text="top.txt")
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("dialog").get_by_text("ACCESS_DENIED").first).to_be_visible()
    context.close()
    assert "top.txt" in files(lake)
    assert "intruder.csv" not in files(lake)


def test_the_volume_of_a_table_is_listed_and_takes_files(
    page: Page, lake: headwater.Connection, inbox: Path
) -> None:
    lake.sql("CREATE TABLE vol.holder (id INT)")
    page.goto("/studio/volumes")
    page.get_by_role("tab", name="Volumes of tables").click()
    row = page.get_by_role("row").filter(has_text="vol").filter(has_text="holder")
    row.get_by_role("link", name="holder").click()
    page.wait_for_url("**/studio/volumes/vol/holder?kind=table")
    send(page, "part.csv", b"a\n1\n")
    expect(page.get_by_role("row").filter(has_text="part.csv")).to_contain_text("4 B")
    (found,) = lake.sql("LIST TABLE VOLUME vol.holder").to_dicts()
    assert found["relative_path"] == "part.csv"
    page.get_by_role("button", name="Preview").click()
    rows = page.get_by_label("Rows of a file")
    expect(rows.get_by_role("columnheader").first).to_be_visible(timeout=PATIENCE_MS)


def test_an_address_for_others_is_signed_and_works_without_a_token(
    page: Page, lake: headwater.Connection, seaweedfs: SeaweedServer
) -> None:
    bucket = seaweedfs.create_bucket()
    lake.sql(f"CREATE STORAGE CONNECTION vol_s3 {s3_sql(seaweedfs.connection)}")
    lake.sql(f"CREATE EXTERNAL VOLUME vol.s3 LOCATION 's3://{bucket}/' USING CONNECTION vol_s3")
    page.goto("/studio/volumes/vol/s3")
    send(page, "for others.txt", b"hello")
    page.get_by_role("button", name="Link", exact=True).click()
    address = page.get_by_role("dialog").locator("pre")
    expect(address).to_contain_text(seaweedfs.endpoint, timeout=90_000)
    assert httpx.get(address.inner_text().strip(), trust_env=False).content == b"hello"
    assert SECRET not in page.content()


def test_a_phone_is_wide_enough(studio: Studio, browser: Browser, inbox: Path) -> None:
    context = logged_in(browser, studio, studio.local_token, size=PHONE)
    page = context.new_page()
    for path in ("", "/vol/inbox?folder=in/"):
        page.goto("/studio/volumes" + path)
        expect(page.get_by_role("table").first).to_be_visible()
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
    context.close()
