"""Every screen of Studio."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages import (
    admin,
    catalog,
    compute,
    development,
    dynamic_tables,
    job_page,
    monitoring,
    pipes,
    streams,
    tasks,
    volumes,
)

PAGES = (
    development,
    catalog,
    dynamic_tables,
    pipes,
    volumes,
    streams,
    tasks,
    compute,
    job_page,
    monitoring,
    admin,
)


def register(desks: Desks) -> None:
    """Make the pages known to NiceGUI; once in a process."""
    for page in PAGES:
        page.register(desks)
