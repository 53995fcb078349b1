"""The screen Development: scripts in folders, an editor, its results, schedules and Submit."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages.development import export, page


def register(desks: Desks) -> None:
    """Make the pages known."""
    page.register(desks)
    export.register(desks)
