"""The catalog: schemas, what is in them, and everything known of a table or view."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages.catalog import object_page, schema_page, schemas_page


def register(desks: Desks) -> None:
    """Make the pages known."""
    schemas_page.register(desks)
    schema_page.register(desks)
    object_page.register(desks)
