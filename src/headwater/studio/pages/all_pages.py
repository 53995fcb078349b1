"""Every screen of Studio."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages import development, dynamic_tables, tasks


def register(desks: Desks) -> None:
    """Make the pages known to NiceGUI; once in a process."""
    for page in (development, dynamic_tables, tasks):
        page.register(desks)
