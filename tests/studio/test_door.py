"""Who gets into Studio, and what others get: nothing."""

from __future__ import annotations

import subprocess
import sys

import httpx
import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect
from tests.studio.conftest import Studio, logged_in

import headwater

pytestmark = pytest.mark.browser


def test_without_a_token_every_page_leads_to_the_login(studio: Studio) -> None:
    for path in ("/studio/", "/studio/dynamic-tables", "/studio/nothing"):
        answer = httpx.get(studio.url + path, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/studio/login")


def test_without_a_token_not_even_a_script_is_given(studio: Studio) -> None:
    for path in ("/studio/_nicegui/3.18.0/static/nicegui.js", "/studio/_nicegui_ws/socket.io/"):
        assert httpx.get(studio.url + path).status_code == 401


def test_a_token_in_the_header_of_another_page_is_not_a_cookie(studio: Studio) -> None:
    headers = {"authorization": f"Bearer {studio.local_token}", "accept": "text/html"}
    assert httpx.get(f"{studio.url}/studio/dynamic-tables", headers=headers).status_code == 303


def test_the_cookie_is_no_proof_outside_studio(studio: Studio) -> None:
    cookies = {"headwater_token": studio.local_token}
    answer = httpx.get(f"{studio.url}/api/v1/jobs/x", cookies=cookies)
    assert answer.status_code == 401


def test_a_password_lets_in_and_leaves_a_token_of_limited_life(
    studio: Studio, lake: headwater.Connection, browser: Browser
) -> None:
    lake.sql("CREATE USER door_user PASSWORD 'a long password' ROLE viewer")
    context = browser.new_context(base_url=studio.url)
    page = context.new_page()
    page.goto("/studio/dynamic-tables")
    page.get_by_label("User").fill("door_user")
    page.get_by_label("Password or token").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    try:
        page.wait_for_url("**/studio/")
    except TimeoutError:
        pytest.fail(f"the door says {page.get_by_role('alert').all_inner_texts()}")
    (cookie,) = [c for c in context.cookies() if c.get("name") == "headwater_token"]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/studio")
    tokens = lake.sql("SHOW TOKENS FOR USER door_user").to_dicts()
    assert [token["expires_time"] is not None for token in tokens] == [True]
    context.close()


def test_a_wrong_password_says_so_and_lets_nobody_in(studio: Studio, browser: Browser) -> None:
    page = browser.new_page(base_url=studio.url)
    page.goto("/studio/login")
    page.get_by_label("User").fill("<script>nobody</script>")
    page.get_by_label("Password or token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.context.cookies() == []
    page.close()


def test_a_link_lets_in_once(studio: Studio, browser: Browser) -> None:
    headers = {"authorization": f"Bearer {studio.local_token}"}
    path = httpx.post(f"{studio.url}/api/v1/studio/link", headers=headers).json()["path"]
    first, second = browser.new_context(base_url=studio.url), browser.new_context()
    opened = first.new_page()
    opened.goto(path)
    opened.wait_for_url("**/studio/")
    late = second.new_page()
    late.goto(studio.url + path)
    expect(late.get_by_role("alert")).to_contain_text("used already")
    first.close()
    second.close()


def test_nobody_without_a_token_gets_a_link(studio: Studio) -> None:
    assert httpx.post(f"{studio.url}/api/v1/studio/link").status_code == 401


def test_logging_out_forgets_the_token(page: Page) -> None:
    page.goto("/studio/dynamic-tables")
    page.get_by_role("button", name="Account").click()
    page.get_by_text("Log out").click()
    page.wait_for_url("**/studio/login")
    page.goto("/studio/dynamic-tables")
    assert page.url.endswith("/studio/login")


def test_a_revoked_token_stops_working_on_a_page_that_is_open(
    studio: Studio, lake: headwater.Connection, browser: Browser
) -> None:
    lake.sql("CREATE USER gone_user PASSWORD 'a long password' ROLE operator")
    token = lake.sql("CREATE TOKEN soon FOR USER gone_user").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto("/studio/dynamic-tables")
    expect(page.get_by_role("heading", name="Dynamic tables")).to_be_visible()
    lake.sql("DROP TOKEN soon FOR USER gone_user")
    expect(page.get_by_role("alert")).to_contain_text("UNAUTHENTICATED")
    context.close()


def test_a_page_of_another_site_opens_no_socket(studio: Studio) -> None:
    headers = {
        "cookie": f"headwater_token={studio.local_token}",
        "connection": "upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "x3JJHMbDL1EzLkh9GBhXDw==",
        "origin": "http://elsewhere.example",
    }
    path = "/studio/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert httpx.get(studio.url + path, headers=headers).status_code == 403
    own = headers | {"origin": studio.url}
    with httpx.stream("GET", studio.url + path, headers=own) as answer:
        assert answer.status_code == 101


def test_no_other_site_can_frame_a_page(studio: Studio) -> None:
    answer = httpx.get(f"{studio.url}/studio/login")
    assert answer.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("host", ["lake.example:8320", "[::1]:80", "x; script-src *", "a b", ""])
def test_a_page_reaches_its_own_host_alone(studio: Studio, host: str) -> None:
    answer = httpx.get(f"{studio.url}/studio/login", headers={"host": host})
    policy = dict(
        one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";")
    )
    named = f" ws://{host} wss://{host}" if host.endswith(("8320", "80")) else ""
    assert policy["connect-src"] == f"'self'{named}"
    assert policy["object-src"] == "'none'"
    assert "script-src" not in policy


def test_a_script_cannot_send_what_it_sees_elsewhere(page: Page) -> None:
    page.goto("/studio/")
    told = page.evaluate(
        """() => new Promise(done => {
          document.addEventListener('securitypolicyviolation', e => done(e.violatedDirective));
          setTimeout(() => done('nothing'), 3000);
          try { new WebSocket('ws://elsewhere.invalid/'); } catch { }
        })"""
    )
    assert told == "connect-src"


def test_the_command_gives_a_link_for_the_machine_of_the_lake(
    studio: Studio, browser: Browser
) -> None:
    command = [sys.executable, "-m", "headwater.cli.main", "studio", "--no-open"]
    link = subprocess.check_output([*command, "--lake", str(studio.lake)], text=True).strip()
    page = browser.new_page()
    page.goto(link)
    page.wait_for_url("**/studio/")
    page.close()


def test_the_address_of_the_service_alone_leads_to_studio(page: Page) -> None:
    page.goto("/")
    page.wait_for_url("**/studio/")
