"""Pipes: which there are, what waits for them, and what they could not load."""

from __future__ import annotations

from headwater.studio.desk import Desks
from headwater.studio.pages.pipes import pipe_page, pipes_page


def register(desks: Desks) -> None:
    """Make the pages known."""
    pipes_page.register(desks)
    pipe_page.register(desks)
