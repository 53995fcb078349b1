"""Every screen of Studio."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages import (
    admin,
    catalog,
    compute,
    dynamic_tables,
    job_page,
    monitoring,
    pipes,
    streams,
    volumes,
)

PAGES = (
    catalog,
    dynamic_tables,
    pipes,
    volumes,
    streams,
    compute,
    job_page,
    monitoring,
    admin,
)


def register(desks: Desks) -> None:
    """Make the pages known to NiceGUI; once in a process."""
    for page in PAGES:
        page.register(desks)
