"""Volumes: which there are, and the files in them."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages.volumes import volume_page, volumes_page


def register(desks: Desks) -> None:
    """Make the pages known."""
    volumes_page.register(desks)
    volume_page.register(desks)
