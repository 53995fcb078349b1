"""Every screen of Studio."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages import catalog, dynamic_tables, pipes, streams, volumes


def register(desks: Desks) -> None:
    """Make the pages known to NiceGUI; once in a process."""
    for page in (catalog, dynamic_tables, pipes, streams, volumes):
        page.register(desks)
