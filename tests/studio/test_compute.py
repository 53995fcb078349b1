"""The screens of clusters and jobs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.studio.conftest import Studio, logged_in

import headwater
from headwater.errors import HeadwaterError

pytestmark = pytest.mark.browser

_COMPUTE = "/studio/compute"
_HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def cluster(lake: headwater.Connection) -> Iterator[str]:
    """A cluster that the tests change."""
    lake.sql("CREATE VCLUSTER STUDIO_ONE VCLUSTER_SIZE = 1")
    yield "STUDIO_ONE"
    lake.sql("DROP VCLUSTER STUDIO_ONE")


def _state(lake: headwater.Connection, name: str) -> dict[str, object]:
    (row,) = lake.sql(f"SHOW VCLUSTERS WHERE name = '{name}'").to_dicts()
    return row


def test_a_cluster_is_suspended_resumed_and_resized(
    page: Page, lake: headwater.Connection, cluster: str
) -> None:
    page.goto(_COMPUTE)
    card = page.locator("section").filter(has=page.get_by_text(cluster, exact=True))
    for button, state in (("Suspend", "SUSPENDED"), ("Resume", "RUNNING")):
        card.get_by_role("button", name=button).click()
        page.get_by_role("dialog").get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(card.get_by_text(state, exact=True)).to_be_visible()
        assert _state(lake, cluster)["state"] == state
    card.get_by_role("button", name="Size").click()
    page.get_by_role("dialog").get_by_label("Size", exact=True).click()
    page.get_by_role("option", name="4", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Run").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert _state(lake, cluster)["vcluster_size"] == "4"


def test_all_jobs_of_a_cluster_are_asked_to_stop(
    page: Page, lake: headwater.Connection, cluster: str
) -> None:
    page.goto(_COMPUTE)
    card = page.locator("section").filter(has=page.get_by_text(cluster, exact=True))
    card.get_by_role("button", name="Cancel all jobs").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel all jobs").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    text = f"ALTER VCLUSTER {cluster} CANCEL ALL JOBS"
    assert lake.sql(f"SHOW JOBS WHERE job_text = '{text}' AND status = 'SUCCEED'").rows


def test_a_cluster_is_made(page: Page, lake: headwater.Connection) -> None:
    page.goto(_COMPUTE)
    page.get_by_role("button", name="New cluster").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("studio_two")
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_have_count(0)
    assert _state(lake, "STUDIO_TWO")["state"] == "RUNNING"
    lake.sql("DROP VCLUSTER STUDIO_TWO")


def test_jobs_are_found_by_text_state_and_tag(page: Page, lake: headwater.Connection) -> None:
    lake.sql("SET query_tag = 'studio 50%'")
    lake.sql("CREATE SCHEMA compute_made")
    with pytest.raises(HeadwaterError):
        lake.sql("DROP SCHEMA compute_nowhere")
    lake.sql("RESET query_tag")
    lake.sql("DROP SCHEMA compute_made")
    page.goto(_COMPUTE)
    table = page.get_by_role("table").last
    page.get_by_label("Query tag", exact=True).fill("studio 50%")
    expect(table).to_contain_text("CREATE SCHEMA compute_made")
    expect(table).not_to_contain_text("CREATE VCLUSTER")
    page.get_by_label("State", exact=True).click()
    page.get_by_role("option", name="FAILED").click()
    expect(table).not_to_contain_text("CREATE SCHEMA compute_made")
    expect(table).to_contain_text("compute_nowhere")
    page.get_by_label("Query tag", exact=True).fill("")
    page.get_by_label("Text", exact=True).fill("' OR 1 = 1 --")
    expect(page.get_by_text("No such job")).to_be_visible()


def test_a_job_shows_its_error_and_hostile_text_as_text(
    page: Page, lake: headwater.Connection
) -> None:
    with pytest.raises(HeadwaterError):
        lake.sql(f"DROP SCHEMA `{_HOSTILE}`")
    (job,) = lake.sql("SHOW JOBS WHERE job_text LIKE 'DROP%onerror%' LIMIT 1").to_dicts()
    page.goto(_COMPUTE)
    page.get_by_role("link", name=job["job_id"]).click()
    expect(page.get_by_role("alert")).to_contain_text("SCHEMA_NOT_FOUND")
    expect(page.locator("pre").filter(has_text=_HOSTILE).first).to_be_visible()


def test_a_job_that_is_not_there_says_so(page: Page) -> None:
    page.goto(f"{_COMPUTE}/jobs/nothing'")
    expect(page.get_by_text("JOB_NOT_FOUND").first).to_be_visible()


def test_a_refresh_shows_its_sources_plan_and_stages(
    page: Page, lake: headwater.Connection
) -> None:
    lake.sql("CREATE SCHEMA compute_dt")
    lake.sql("CREATE TABLE compute_dt.t (k INT)")
    lake.sql(
        "CREATE DYNAMIC TABLE compute_dt.d REFRESH_MODE = INCREMENTAL AS"
        " SELECT * FROM compute_dt.t WHERE k > 0"
    )
    lake.sql("REFRESH DYNAMIC TABLE compute_dt.d")
    lake.sql("INSERT INTO compute_dt.t VALUES (1), (2)")
    job = lake.sql("REFRESH DYNAMIC TABLE compute_dt.d").job_id
    page.goto(f"{_COMPUTE}/jobs/{job}")
    expect(page.get_by_text("Incremental plan")).to_be_visible()
    expect(page.get_by_text("Delta versions 0 to 1").first).to_be_visible()
    expect(page.get_by_text("rows only came").first).to_be_visible()
    expect(page.locator(".hw-water i").first).to_be_visible()
    lake.sql("DROP SCHEMA compute_dt CASCADE")


def test_a_running_job_is_cancelled(page: Page, studio: Studio, lake: headwater.Connection) -> None:
    slow = "SELECT count(*) FROM range(40000000000) a WHERE hash(a.id, a.id + 1) = 4711"
    with studio.connect() as other, ThreadPoolExecutor(1) as pool:
        running = pool.submit(other.sql, slow)
        page.goto(_COMPUTE)
        page.get_by_label("Text", exact=True).fill("4711")
        line = page.get_by_role("row").filter(has_text="RUNNING")
        line.get_by_role("link").click()
        page.get_by_role("button", name="Cancel job").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel job").click()
        with pytest.raises(HeadwaterError, match="JOB_CANCELLED"):
            running.result(60)
    expect(page.get_by_text("CANCELLED").first).to_be_visible()
    (job,) = lake.sql("SHOW JOBS WHERE job_text LIKE '%4711' LIMIT 1").to_dicts()
    assert job["status"] == "CANCELLED"


def test_a_viewer_sees_its_own_jobs_and_changes_no_cluster(
    studio: Studio, lake: headwater.Connection, browser: Browser, cluster: str
) -> None:
    lake.sql("CREATE USER cmp_viewer PASSWORD 'a long password' ROLE viewer")
    lake.sql(f"GRANT MONITOR ON VCLUSTER {cluster} TO USER cmp_viewer")
    token = lake.sql("CREATE TOKEN t FOR USER cmp_viewer").to_dicts()[0]["token"]
    context = logged_in(browser, studio, token)
    page = context.new_page()
    page.goto(_COMPUTE)
    expect(page.get_by_text("No such job")).to_be_visible()
    card = page.locator("section").filter(has=page.get_by_text(cluster, exact=True))
    card.get_by_role("button", name="Suspend").click()
    page.get_by_role("dialog").get_by_role("button", name="Suspend").click()
    expect(page.get_by_role("dialog").get_by_text("ACCESS_DENIED").first).to_be_visible()
    assert _state(lake, cluster)["state"] == "RUNNING"
    context.close()
