"""What Studio does without Spark, on a service of its own that never starts it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect
from tests.studio.conftest import Studio, logged_in, running_studio
from tests.unit.pipes.fake_spark import table_of

import headwater
from headwater.catalog.load_history import SourceFile
from headwater.runtime.open_lake import OpenLake

pytestmark = pytest.mark.browser

_PIPE = """CREATE PIPE loading VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE'
AS COPY INTO loads FROM VOLUME inbox USING CSV PURGE = TRUE ON_ERROR = CONTINUE;
ALTER PIPE loading SET PIPE_EXECUTION_PAUSED = TRUE"""

# Presses are on their way until `sendHeld` lets them arrive.
_HOLD_EVENTS = """() => {
  const emit = window.socket.emit.bind(window.socket), held = [];
  window.socket.emit = (...given) => given[0] === "event" ? held.push(given) : emit(...given);
  window.sendHeld = () => held.splice(0).forEach(given => emit(...given));
}"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """At the end it has no Java among its children."""
    path = tmp_path_factory.mktemp("still") / "lake"
    with closing(headwater.connect(path)) as made:
        made.sql("CREATE VOLUME inbox")
        # To create it by a statement would start Spark.
        table = table_of(made.session.lake, "loads")
        made.sql(_PIPE)
        _record_loads(made.session.lake, table.id)
    with running_studio(path, "--no-loop") as running:
        yield running
        assert "java" not in _children(running.pid)


@pytest.fixture(scope="module")
def lake(studio: Studio) -> Iterator[headwater.Connection]:
    with studio.connect() as connection:
        yield connection


def _record_loads(lake: OpenLake, table_id: str) -> None:
    """One file that was loaded and one that was not."""
    history = lake.store.load_history
    history.record_failed(table_id, "j1", {SourceFile("file:///in/bad.csv", 7): "not a number"})
    history.record_intent(table_id, "j2", [SourceFile("file:///in/good.csv", 7)])
    history.confirm("j2", 1)


def _children(pid: int) -> list[str]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(
                line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line
            )
        except OSError:
            continue
        if lines.get("PPid") == str(pid):
            found.append(lines["Name"])
    return found


def test_roles_and_audit_are_shown(page: Page, lake: headwater.Connection) -> None:
    lake.sql("CREATE SCHEMA seen_in_the_audit")
    page.goto("/studio/admin")
    page.get_by_role("tab", name="Roles").click()
    for role in ("viewer", "operator", "developer", "admin"):
        expect(page.get_by_role("cell", name=role, exact=True)).to_be_visible()
    page.get_by_role("tab", name="Audit").click()
    expect(page.get_by_role("cell", name="CREATE SCHEMA seen_in_the_audit")).to_be_visible()
    lake.sql("CREATE SCHEMA while_it_is_open")
    expect(page.get_by_role("cell", name="CREATE SCHEMA while_it_is_open")).to_be_visible()


def test_the_files_of_a_pipe_are_listed_those_that_failed_first(page: Page) -> None:
    page.goto("/studio/pipes/public/loading")
    names = page.get_by_label("Load history").locator("tbody tr td:first-child")
    expect(names).to_have_text(["file:///in/bad.csv", "file:///in/good.csv"])
    page.get_by_role("button", name="Show SQL").click()
    expect(page.get_by_text("SHOW LOAD HISTORY OF headwater.public.loads")).to_be_visible()


def test_what_is_known_of_a_schema_is_asked_for_when_it_is_opened(page: Page) -> None:
    page.goto("/studio/catalog/public")
    expect(page.get_by_role("link", name="loads", exact=True)).to_be_visible()
    expect(page.get_by_text("Nothing was granted on it")).to_have_count(0)
    page.get_by_text("About this schema").click()
    expect(page.get_by_text("Nothing was granted on it")).to_be_visible()


def test_a_viewer_sees_no_other_lines_of_the_audit(
    studio: Studio, browser: Browser, lake: headwater.Connection
) -> None:
    lake.sql("CREATE SCHEMA not_for_vic; CREATE USER vic PASSWORD 'a long password' ROLE viewer")
    token = lake.sql("CREATE TOKEN t FOR USER vic").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto("/studio/admin")
    page.get_by_role("tab", name="Audit").click()
    expect(page.get_by_role("cell", name="vic").first).to_be_visible()
    assert "not_for_vic" not in page.locator("body").inner_text()
    context.close()


def cluster(page: Page, name: str) -> Locator:
    return page.locator("section").filter(has=page.get_by_text(name, exact=True))


def test_a_press_is_not_lost_to_a_part_that_is_drawn_anew(
    page: Page, lake: headwater.Connection
) -> None:
    """Held down while the cards of the clusters are to be drawn once more, then let go."""
    lake.sql("CREATE VCLUSTER pressed")
    page.goto("/studio/compute")
    cluster(page, "PRESSED").get_by_role("button", name="Size").hover()
    page.mouse.down()
    lake.sql("CREATE VCLUSTER drawn_anew")
    page.wait_for_timeout(1000)
    expect(cluster(page, "DRAWN_ANEW")).to_have_count(0)
    page.mouse.up()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Size of PRESSED")).to_be_visible()
    expect(cluster(page, "DRAWN_ANEW")).to_be_visible()
    # What was drawn before is forgotten by then, and the dialog that it opened stays.
    page.wait_for_timeout(2500)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)


def test_a_press_that_arrives_late_is_taken(page: Page, lake: headwater.Connection) -> None:
    """The browser sent it before it heard that the part was drawn anew."""
    lake.sql("CREATE VCLUSTER late")
    page.goto("/studio/compute")
    button = cluster(page, "LATE").get_by_role("button", name="Size")
    expect(button).to_be_visible()
    page.evaluate(_HOLD_EVENTS)
    button.click()
    lake.sql("CREATE VCLUSTER drawn_again")
    expect(cluster(page, "DRAWN_AGAIN")).to_be_visible()
    page.evaluate("window.sendHeld()")
    expect(page.get_by_role("dialog").get_by_text("Size of LATE")).to_be_visible()


def test_a_script_is_renamed_and_moved(page: Page, lake: headwater.Connection) -> None:
    lake.sql(
        "CREATE TASK old_folder.first SCHEDULE (DAILY) AS SHOW TABLES;"
        "CREATE TASK old_folder.second SCHEDULE (DAILY) AFTER old_folder.first AS SHOW TABLES"
    )
    page.goto("/studio/?folder=old_folder&task=first")
    expect(page.locator('[data-ready="yes"]')).to_be_visible()
    page.get_by_role("button", name="Rename or move").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Folder", exact=True).fill("new folder")
    dialog.get_by_label("Name", exact=True).fill("it's")
    expect(dialog.locator("pre")).to_contain_text("RENAME TO `new folder`.`it's`")
    dialog.get_by_role("button", name="Run").click()
    page.wait_for_url("**/studio/?folder=new+folder&task=it%27s")
    expect(page.locator(".cm-content")).to_have_text("SHOW TABLES")
    names = [(row["folder"], row["name"]) for row in lake.sql("SHOW TASKS").to_dicts()]
    assert ("new folder", "it's") in names
    assert ("old_folder", "first") not in names
    (made,) = lake.sql("SHOW CREATE TASK old_folder.second").rows
    assert "AFTER `new folder`.`it's`" in made[0]
    # The tree shows where everything is now.
    tree = page.get_by_label("Scripts")
    expect(tree.get_by_text("new folder", exact=True)).to_be_visible()
    expect(tree.get_by_role("link", name="it's")).to_have_attribute("aria-current", "page")
    tree.get_by_text("old_folder", exact=True).click()
    tree.get_by_role("link", name="second").click()
    page.wait_for_url("**/studio/?folder=old_folder&task=second")


def test_an_operator_cannot_rename(
    studio: Studio, browser: Browser, lake: headwater.Connection
) -> None:
    lake.sql("CREATE TASK kept.script SCHEDULE (DAILY) AS SHOW TABLES")
    lake.sql("CREATE USER vera PASSWORD 'a long password' ROLE operator")
    token = lake.sql("CREATE TOKEN t FOR USER vera").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto("/studio/?folder=kept&task=script")
    expect(page.locator('[data-ready="yes"]')).to_be_visible()
    page.get_by_role("button", name="Rename or move").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("taken")
    dialog.get_by_role("button", name="Run").click()
    expect(dialog.get_by_text("ACCESS_DENIED").first).to_be_visible()
    context.close()
    assert "taken" not in str(lake.sql("SHOW TASKS").rows)


def test_a_python_script_has_the_colours_of_python(page: Page, lake: headwater.Connection) -> None:
    script = "def load():\n    return 'x'  # done"
    lake.sql(f"CREATE TASK code.py SCHEDULE (DAILY) LANGUAGE PYTHON AS $${script}$$")
    page.goto("/studio/?folder=code&task=py")
    editor = page.locator('[data-language="Python"]')
    expect(editor).to_be_visible()
    expect(editor.get_by_label("Python")).to_be_visible()
    colours = "spans => spans.map(s => [s.innerText, getComputedStyle(s).color])"
    found = dict(editor.locator(".cm-line span").evaluate_all(colours))
    # Words that define and words that jump may have colours of their own.
    for keyword in ("def", "return"):
        assert len({found[word] for word in (keyword, "'x'", "# done")}) == 3
    expect(page.get_by_text("A Python script runs as a task")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_have_count(0)


def test_a_changed_script_is_saved_as_the_draft(page: Page, lake: headwater.Connection) -> None:
    lake.sql("CREATE TASK drafts.script SCHEDULE (DAILY) AS SHOW TABLES")
    page.goto("/studio/?folder=drafts&task=script")
    expect(page.locator('[data-ready="yes"]')).to_be_visible()
    page.locator(".cm-content").fill("SHOW SCHEMAS")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("saved as the draft")).to_be_visible()
    assert "$$SHOW SCHEMAS$$" in str(lake.sql("SHOW CREATE TASK drafts.script").rows[0][0])


def test_a_backfill_takes_what_comes_after_along(page: Page, lake: headwater.Connection) -> None:
    lake.sql(
        "CREATE TASK filled.first SCHEDULE (DAILY) AS SHOW TABLES;"
        "CREATE TASK filled.second SCHEDULE (DAILY) AFTER filled.first AS SHOW TABLES;"
        "SUBMIT TASK filled.first, filled.second"
    )
    page.goto("/studio/tasks/filled/first")
    page.get_by_role("button", name="Backfill").click()
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_label("To", exact=True).fill("2026-01-02")
    page.get_by_role("checkbox", name="With downstream").click()
    page.get_by_role("button", name="Show the statement").click()
    dialog = page.get_by_role("dialog").filter(has_text="WITH DOWNSTREAM")
    dialog.get_by_role("button", name="Backfill", exact=True).click()
    expect(dialog).to_have_count(0)
    made = lake.sql("SHOW TASK INSTANCES OF filled.second").to_dicts()
    assert [row["triggered_by"] for row in made] == ["BACKFILL", "BACKFILL"]


def test_light_or_dark_is_kept(page: Page) -> None:
    page.goto("/studio/compute")
    button = page.get_by_role("button", name="Light or dark")
    for theme in ("dark", "light"):
        button.click()
        expect(page.locator(f"body.body--{theme}")).to_be_visible()
        # The page is told of it behind the colours.
        page.wait_for_function(f"document.cookie.includes('headwater_theme={theme}')")
        page.reload()
        expect(page.locator(f"body.body--{theme}")).to_be_visible()


def test_who_has_no_pointer_skips_to_the_content(page: Page) -> None:
    page.goto("/studio/compute")
    expect(page.locator("#content button").first).to_be_visible()
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to content")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#content :focus")).to_have_count(1)


def test_moments_are_those_of_the_user_s_zone(page: Page, lake: headwater.Connection) -> None:
    lake.sql("CREATE VOLUME made_just_now")
    page.goto("/studio/volumes")
    row = page.get_by_role("row").filter(has_text="made_just_now")
    made = datetime.fromisoformat(row.locator(".hw-moment").inner_text())
    zone = ZoneInfo("Europe/Berlin")
    assert abs(datetime.now(zone) - made.replace(tzinfo=zone)) < timedelta(minutes=5)


def test_pages_are_pinned_and_stay_so(page: Page) -> None:
    page.goto("/studio/compute")
    page.get_by_role("button", name="Pin this page").click()
    pinned = page.get_by_label("Screens").get_by_text("Pinned")
    expect(pinned).to_be_visible()
    page.goto("/studio/streams")
    page.get_by_label("Screens").get_by_role("link", name="Compute").last.click()
    page.wait_for_url("**/studio/compute")
    page.get_by_role("button", name="Take the pin away").click()
    expect(pinned).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Pin this page")).to_be_visible()
    expect(pinned).to_have_count(0)


def test_the_files_of_a_user_are_sent_listed_and_fetched(
    page: Page, lake: headwater.Connection
) -> None:
    page.goto("/studio/volumes")
    page.get_by_role("link", name="My files").click()
    page.wait_for_url("**/studio/my-files")
    page.get_by_text("Upload files").click()
    payload: FilePayload = {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"1\n"}
    page.locator("input[type=file]").set_input_files(payload)
    row = page.get_by_role("row").filter(has_text="mine.csv")
    expect(row).to_contain_text("2 B")
    assert [r["relative_path"] for r in lake.sql("LIST USER VOLUME").to_dicts()] == ["mine.csv"]
    with page.expect_download() as begun:
        row.get_by_role("button", name="Download").click()
    assert begun.value.path().read_bytes() == b"1\n"
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    assert len(lake.sql("LIST USER VOLUME")) == 0
    expect(page.get_by_text("No files in this folder")).to_be_visible()


_MANY = 300
# Scrolls 3,000 pixels in a second, and says in how many frames no row was where one looks.
_SCROLL = """async () => {
  const box = document.querySelector("*:has(> table[aria-label='Periodic tasks'])");
  const edge = box.getBoundingClientRect();
  const ys = [edge.top + 60, Math.min(edge.bottom, innerHeight) - 20];
  const drawn = y => document.elementFromPoint(edge.left + 60, y)?.closest('tr')?.innerText.trim();
  let began = 0, blank = 0, frames = 0, most = 0;
  await new Promise(done => {
    const step = now => {
      began ||= now;
      frames++;
      if (!ys.every(drawn)) blank++;
      most = Math.max(most, box.querySelectorAll('tr').length);
      box.scrollTop = (now - began) * 3;
      const left = box.scrollHeight - box.clientHeight - box.scrollTop;
      if (left > 1) requestAnimationFrame(step); else done();
    };
    requestAnimationFrame(step);
  });
  return [frames, blank, most];
}"""


@pytest.fixture(scope="module")
def many(lake: headwater.Connection) -> str:
    """So many tasks that only some are drawn at a time."""
    names = [f"many.t_{number:03}" for number in range(_MANY)]
    made = [f"CREATE TASK {name} SCHEDULE (DAILY) AS SHOW TABLES" for name in names]
    lake.sql(";".join(made))
    return "Periodic tasks"


def test_a_long_list_is_drawn_where_it_is_scrolled_to(page: Page, many: str) -> None:
    page.goto("/studio/tasks")
    table = page.get_by_label(many, exact=True)
    expect(table.get_by_role("link", name="t_000")).to_be_visible()
    box = table.get_by_role("row", name="t_000").get_by_role("checkbox")
    box.click()
    frames, blank, most = page.evaluate(_SCROLL)
    assert blank <= frames // 10
    assert most < _MANY
    last = table.get_by_role("row", name=f"t_{_MANY - 1}")
    expect(last).to_be_visible()
    place, count = last.get_attribute("aria-rowindex"), table.get_attribute("aria-rowcount")
    assert _MANY < int(str(place)) <= int(str(count))
    # What was chosen stays so while it is out of sight.
    expect(table.get_by_role("link", name="t_000")).to_have_count(0)
    page.get_by_placeholder("Filter").fill("t_000")
    expect(box).to_be_checked()


def test_rows_are_sorted_by_the_keyboard_filtered_and_chosen(
    page: Page, lake: headwater.Connection, many: str
) -> None:
    page.goto("/studio/tasks")
    table = page.get_by_label(many, exact=True)
    name = table.get_by_role("columnheader", name="Name")
    name.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(name).to_have_attribute("aria-sort", "ascending")
    page.keyboard.press("Enter")
    expect(name).to_have_attribute("aria-sort", "descending")
    first = table.locator("tbody").get_by_role("link").first
    expect(first).to_have_text(f"t_{_MANY - 1}")
    # What is new comes to its place; what was sorted stays sorted.
    lake.sql("CREATE TASK many.zz SCHEDULE (DAILY) AS SHOW TABLES")
    expect(first).to_have_text("zz")
    page.get_by_placeholder("Filter").fill("t_29")
    rows = table.locator("tbody").get_by_role("row")
    expect(rows).to_have_count(10)
    table.get_by_role("checkbox", name="Choose all").click()
    rows.first.get_by_role("checkbox").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    said = page.get_by_role("dialog").locator("pre").inner_text().splitlines()
    chosen = {line.removeprefix("SUBMIT TASK ").rstrip(";") for line in said}
    assert chosen == {f"many.t_{number}" for number in range(290, 299)}
    page.get_by_role("button", name="Cancel").click()
    page.get_by_placeholder("Filter").fill("no such name")
    expect(page.get_by_text("No row has that")).to_be_visible()
