"""What can be done with a script beside running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.studio.desk import Desk
from headwater.studio.pages.development.workbench import Workbench

if TYPE_CHECKING:
    from headwater.studio.pages.development.page import Opened


async def script_bar(desk: Desk, bench: Workbench, opened: Opened) -> None:
    """The buttons."""
