"""What the refreshes of a dynamic table read, did and why."""

from __future__ import annotations

from typing import Any

from headwater.errors import UserError
from headwater.names import quote_literal
from headwater.studio.desk import Desk
from headwater.studio.job_lines import Profile, profile_in
from headwater.studio.listing import ListColumn, listing, studio_path
from headwater.studio.pages.dynamic_tables.asking import Rows
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.shown_times import duration

_SHOWN = 50
_WITH_REASON = 20

_COLUMNS = (
    ListColumn("start_time", "Began"),
    ListColumn("state", "State", chip=True),
    ListColumn("refresh_mode", "Was", chip=True),
    ListColumn("reason", "Because"),
    ListColumn("took", "Took", value=lambda row: duration(row["duration"]), unbroken=True),
    ListColumn("inserted", "Inserted", number=True),
    ListColumn("deleted", "Deleted", number=True),
    ListColumn("sources", "Rows in"),
    ListColumn("error_message", "Error"),
    ListColumn("refresh_trigger", "Asked for by"),
    ListColumn("job_id", "Job", link=lambda row: studio_path("compute", "jobs", row["job_id"])),
)


def history_tab(desk: Desk, name: str) -> None:
    """Draws it, and draws it again when something changed."""
    known: dict[str, Profile] = {}
    Part(desk, lambda: _ask(desk, name, known), _show)


async def _ask(desk: Desk, name: str, known: dict[str, Profile]) -> Rows:
    rows = await desk.rows(f"SHOW DYNAMIC TABLE REFRESH HISTORY {name} LIMIT {_SHOWN}")
    for row in rows[:_WITH_REASON]:
        job = row["job_id"]
        if row["end_time"] is not None and job not in known:
            known[job] = await job_profile(desk, job)
    return [_shown(row, known.get(row["job_id"])) for row in rows]


async def job_profile(desk: Desk, job_id: str) -> Profile:
    """The profile of a job; an empty one for a job that was forgotten or that is not shown."""
    try:
        result = await desk.ask(f"DESC JOB {quote_literal(job_id)}")
    except UserError:
        return Profile({})
    return profile_in(result.rows)


def _shown(row: dict[str, Any], profile: Profile | None) -> dict[str, Any]:
    stats = row["stats"] or {}
    # What still runs took as long as now; a page at rest would never be.
    took = None if row["end_time"] is None else row["duration"]
    return {
        **row,
        "duration": took,
        "inserted": None if not stats else int(stats["rows_inserted"]),
        "deleted": None if not stats else int(stats["rows_deleted"]),
        "reason": "" if profile is None else profile.facts.get("refresh_reason") or "",
        "sources": "" if profile is None else "; ".join(profile.sources),
    }


def _show(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty("No refresh in the last seven days", "The button above refreshes it now.")
        return None
    return listing(_COLUMNS, rows, key="job_id", label="Refresh history")
