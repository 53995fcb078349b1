"""The screen of admins: every form does what its statement says, and no secret is shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.studio.conftest import PHONE, Studio, logged_in

import headwater

pytestmark = pytest.mark.browser

_ADMIN = "/studio/admin"
_PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def user(lake: headwater.Connection) -> Iterator[str]:
    """Somebody whom the tests change."""
    name = "adm_ann"
    lake.sql(f"CREATE USER {name} PASSWORD 'a long password' ROLE viewer COMMENT '<b>bold</b>'")
    yield name
    lake.sql(f"DROP USER IF EXISTS {name}")


def _form(page: Page, button: str, **fields: str) -> Locator:
    page.get_by_role("button", name=button, exact=True).click()
    dialog = page.get_by_role("dialog")
    for label, value in fields.items():
        dialog.get_by_label(label.replace("_", " "), exact=True).fill(value)
    return dialog


def _choose(page: Page, dialog: Locator, label: str, value: str) -> None:
    dialog.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=value, exact=True).click()


def _run(page: Page, dialog: Locator) -> None:
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_have_count(0)


def _user(lake: headwater.Connection, name: str) -> list[dict[str, object]]:
    return lake.sql(f"SHOW USERS WHERE name = '{name}'").to_dicts()


def test_a_user_is_made_and_the_password_is_never_shown(
    page: Page, lake: headwater.Connection
) -> None:
    page.goto(_ADMIN)
    dialog = _form(page, "New user", User="adm_new", Password=_PASSWORD, Comment="it's new")
    _choose(page, dialog, "Role", "operator")
    expect(dialog.locator("pre")).to_contain_text("CREATE USER adm_new PASSWORD '****'")
    assert _PASSWORD not in page.locator("body").inner_text()
    _run(page, dialog)
    expect(page.get_by_role("cell", name="adm_new")).to_be_visible()
    (made,) = _user(lake, "adm_new")
    assert (made["role"], made["comment"]) == ("operator", "it's new")
    page.get_by_role("button", name="Show SQL").click()
    assert _PASSWORD not in page.locator("body").inner_text()
    lake.sql("DROP USER adm_new")


def test_a_role_is_set(page: Page, lake: headwater.Connection, user: str) -> None:
    page.goto(_ADMIN)
    dialog = _form(page, "Set role", User=user)
    _choose(page, dialog, "Role", "developer")
    _run(page, dialog)
    assert _user(lake, user)[0]["role"] == "developer"
    lake.sql(f"ALTER USER {user} SET ROLE viewer")


def test_a_password_is_set(
    page: Page, studio: Studio, browser: Browser, lake: headwater.Connection, user: str
) -> None:
    page.goto(_ADMIN)
    _run(page, _form(page, "Set password", User=user, Password=_PASSWORD))
    other = browser.new_page(base_url=studio.url)
    other.goto("/studio/login")
    other.get_by_label("User").fill(user)
    other.get_by_label("Password or token").fill(_PASSWORD)
    other.get_by_role("button", name="Log in").click()
    other.wait_for_url("**/studio/")
    other.close()


def test_a_user_is_disabled(page: Page, lake: headwater.Connection, user: str) -> None:
    page.goto(_ADMIN)
    _run(page, _form(page, "Enable or disable", User=user))
    assert _user(lake, user)[0]["disabled"] is True
    dialog = _form(page, "Enable or disable", User=user)
    _choose(page, dialog, "Is to be", "enabled")
    _run(page, dialog)
    assert _user(lake, user)[0]["disabled"] is False


def test_a_user_is_dropped(page: Page, lake: headwater.Connection) -> None:
    lake.sql("CREATE USER adm_gone PASSWORD 'a long password' ROLE viewer")
    page.goto(_ADMIN)
    _run(page, _form(page, "Drop user", User="adm_gone"))
    assert _user(lake, "adm_gone") == []


def test_a_token_is_shown_once_and_dropped(
    page: Page, studio: Studio, lake: headwater.Connection, user: str
) -> None:
    page.goto(_ADMIN)
    page.get_by_role("tab", name="Tokens").click()
    _run_form = _form(page, "New token", Name_of_the_token="adm_ci", User=user)
    _run_form.get_by_role("button", name="Run").click()
    shown = page.get_by_role("dialog").filter(has_text="shown this once")
    token = shown.locator("pre").inner_text().strip()
    with studio.connect(token) as connection:
        assert connection.sql("SHOW TOKENS").to_dicts()[0]["name"] == "adm_ci"
    shown.get_by_role("button", name="I have kept it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("cell", name="adm_ci")).to_be_visible()
    page.reload()
    page.get_by_role("tab", name="Tokens").click()
    expect(page.get_by_role("cell", name="adm_ci")).to_be_visible()
    assert token not in page.content()
    page.get_by_label("Token", exact=True).click()
    page.get_by_role("option", name=f"{user} / adm_ci").click()
    page.get_by_role("button", name="Drop token").click()
    page.get_by_role("dialog").get_by_role("button", name="Drop token").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert lake.sql(f"SHOW TOKENS FOR USER {user} LIKE 'adm_ci'").rows == []


def test_grants_by_form(page: Page, lake: headwater.Connection, user: str) -> None:
    lake.sql("CREATE SCHEMA IF NOT EXISTS adm")
    page.goto(_ADMIN)
    page.get_by_role("tab", name="Grants").click()
    for title, left in (("Grant", [("SELECT", "adm")]), ("Revoke", [])):
        dialog = _form(page, title, Object="adm", Grantee=user)
        _choose(page, dialog, "Kind of object", "SCHEMA")
        expect(dialog.locator("pre")).to_contain_text("SELECT ON SCHEMA adm")
        _run(page, dialog)
        found = lake.sql(f"SHOW GRANTS TO USER {user}").to_dicts()
        assert [(row["privilege"], row["object_name"]) for row in found] == left


def test_what_is_wrong_is_said_in_the_form(page: Page, user: str) -> None:
    page.goto(_ADMIN)
    dialog = _form(page, "New user", User=user, Password=_PASSWORD)
    dialog.get_by_role("button", name="Run").click()
    expect(dialog.get_by_text("USER_ALREADY_EXISTS").first).to_be_visible()
    expect(dialog.get_by_role("button", name="Run")).to_be_enabled()


def test_hostile_text_shows_as_text(page: Page, user: str) -> None:
    page.goto(_ADMIN)
    expect(page.get_by_role("cell", name="<b>bold</b>")).to_be_visible()


def test_connections_and_settings_are_listed_or_designed_to_be_empty(
    page: Page, lake: headwater.Connection
) -> None:
    page.goto(_ADMIN)
    page.get_by_role("tab", name="Connections").click()
    expect(page.get_by_text("No connection yet")).to_be_visible()
    lake.sql(
        "CREATE STORAGE CONNECTION adm_cloud TYPE S3"
        " ACCESS_KEY = 'AKIANOTSHOWN' SECRET_KEY = 'never-on-a-page' REGION = 'eu-central-1'"
    )
    # It appears by itself, without what is secret.
    expect(page.get_by_role("cell", name="adm_cloud")).to_be_visible()
    assert "never-on-a-page" not in page.content()
    lake.sql("DROP CONNECTION adm_cloud")
    expect(page.get_by_text("No connection yet")).to_be_visible()
    page.get_by_role("tab", name="Settings").click()
    expect(page.get_by_role("cell", name="Europe/Berlin")).to_be_visible()


def test_a_viewer_sees_itself_and_is_refused_by_the_service(
    studio: Studio, lake: headwater.Connection, browser: Browser, user: str
) -> None:
    token = lake.sql(f"CREATE TOKEN look FOR USER {user}").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token, size=PHONE, dark=True)
    page = context.new_page()
    page.goto(_ADMIN)
    expect(page.get_by_role("cell", name=user)).to_be_visible()
    expect(page.get_by_role("cell", name="admin", exact=True)).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    dialog = _form(page, "New user", User="adm_eve", Password=_PASSWORD)
    dialog.get_by_role("button", name="Run").click()
    expect(dialog.get_by_text("ACCESS_DENIED").first).to_be_visible()
    assert _user(lake, "adm_eve") == []
    context.close()
