"""The screens of dynamic tables: all of them, and one."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages.dynamic_tables import list_page, table_page


def register(desks: Desks) -> None:
    """Make the pages known."""
    list_page.register(desks)
    table_page.register(desks)
