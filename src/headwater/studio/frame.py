"""The frame around every screen: where one is, where one can go, who one is, and Show SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nicegui import ui

from headwater.studio.cookies import PREFIX, THEME, ZONE
from headwater.studio.desk import Desk
from headwater.studio.look import CSS
from headwater.studio.pin_list import PinList
from headwater.studio.show_sql import show_sql_button


@dataclass(frozen=True, slots=True)
class Screen:
    """An entry of the navigation."""

    path: str
    name: str
    icon: str


SCREENS = (
    Screen("/", "Development", "code"),
    Screen("/catalog", "Catalog", "account_tree"),
    Screen("/dynamic-tables", "Dynamic tables", "autorenew"),
    Screen("/pipes", "Pipes", "input"),
    Screen("/volumes", "Volumes", "folder_open"),
    Screen("/streams", "Streams", "waves"),
    Screen("/tasks", "Tasks", "schedule"),
    Screen("/compute", "Compute", "memory"),
    Screen("/monitoring", "Monitoring", "monitor_heart"),
    Screen("/admin", "Admin", "admin_panel_settings"),
)

# The zone is known to the browser only. It is kept in a cookie, and a page that was made without
# it is loaded once more.
_ZONE_SCRIPT = f"""<script>(() => {{
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || '';
  const kept = document.cookie.split('; ').includes('{ZONE}=' + zone);
  if (!zone || kept) return;
  document.cookie = '{ZONE}=' + zone + '; Path={PREFIX}; SameSite=Strict; Max-Age=31536000';
  if (document.cookie.split('; ').includes('{ZONE}=' + zone)) location.reload();
}})()</script>"""

_SET_THEME = """() => {{ document.cookie = '{name}={theme}; Path={prefix}; SameSite=Strict; '
  + 'Max-Age=31536000'; }}"""


@contextmanager
def frame(desk: Desk, title: str, *, here: str) -> Iterator[None]:
    """Everything of a page but its content; `here` is the screen it belongs to."""
    pins = PinList(desk, title)
    ui.add_head_html(_ZONE_SCRIPT)
    ui.add_css(CSS)
    # Those that Quasar paints itself: its own would stand out as grey from the dark page.
    ui.colors(primary="#0f766e", dark="#111a2b", dark_page="#0b1220")
    with ui.header().classes("hw-header items-center gap-2 py-1 no-wrap"):
        # The first thing that the keyboard comes to: the header stands before all else.
        ui.link("Skip to content", "#content").classes("hw-skip")
        menu = ui.button(icon="menu").props('flat round dense aria-label="Navigation"')
        ui.link("Headwater", "/").classes("hw-link text-lg font-semibold")
        ui.space()
        show_sql_button(desk)
        pins.button()
        _theme_button(desk)
        _user_menu(desk)
    drawer = ui.left_drawer(value=None).props("width=220 breakpoint=800").classes("hw-drawer")
    with drawer, ui.element("nav").props('aria-label="Screens"').classes("w-full"):
        for screen in SCREENS:
            _entry(screen, current=screen.path == here)
        pins.entries()
    menu.on_click(drawer.toggle)
    ui.page_title(f"{title} · Headwater Studio")
    with ui.element("div").props('id="content"').classes("w-full flex flex-col gap-4"):
        yield


def heading(title: str, subtitle: str = "") -> None:
    """The name of what the page shows."""
    with ui.column().classes("gap-0 min-w-0"):
        with ui.element("h1").classes("hw-title"):
            ui.label(title)
        if subtitle:
            ui.label(subtitle).classes("hw-muted")


def _entry(screen: Screen, *, current: bool) -> None:
    link = ui.element("a").props(f'href="{PREFIX}{screen.path}"').classes("hw-nav")
    if current:
        link.props("aria-current=page")
    with link:
        ui.icon(screen.icon).props("aria-hidden=true")
        ui.label(screen.name)


def _theme_button(desk: Desk) -> None:
    kept = {"dark": True, "light": False}.get(desk.look.theme or "")
    dark = ui.dark_mode(kept)

    def turn() -> None:
        theme = "light" if dark.value else "dark"
        dark.set_value(theme == "dark")
        text = _SET_THEME.format(name=THEME, theme=theme, prefix=PREFIX)
        ui.run_javascript(f"({text})()")

    ui.button(icon="contrast", on_click=turn).props('flat round dense aria-label="Light or dark"')


def _user_menu(desk: Desk) -> None:
    button = ui.button(icon="account_circle").props('flat round dense aria-label="Account"')
    with button, ui.menu():
        name = f"{desk.identity.user} ({desk.identity.role.value.lower()})"
        ui.menu_item(name, auto_close=False).props("disable")
        ui.menu_item("Log out", lambda: ui.navigate.to("/logout"))
