"""The screen Tasks: what runs on a schedule, its instances, and what can be done with them."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages.tasks import all_tasks, instance_page, task_page


def register(desks: Desks) -> None:
    """Make the pages known."""
    for page in (all_tasks, task_page, instance_page):
        page.register(desks)
