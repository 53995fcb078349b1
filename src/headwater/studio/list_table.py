"""The table of a listing in the browser, whose rows are drawn where they are seen.

Quasar's own draws nothing while one scrolls, and all of its cells anew when one stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments


class ListTable(ui.element, component="list_table.js"):
    """Rows and columns as `list_table.js` reads them."""

    def __init__(
        self,
        columns: Sequence[dict[str, Any]],
        rows: Sequence[dict[str, Any]],
        *,
        key: str,
        label: str,
        choosable: bool,
        buttons: bool,
    ) -> None:
        super().__init__()
        # Of tuples NiceGUI does not watch each value of each row, which takes longer than to send.
        self.props["columns"] = tuple(columns)
        self.props["rows"] = tuple(rows)
        self.props["rowKey"] = key
        self.props["label"] = label
        self.props["choosable"] = choosable
        self.props["buttons"] = buttons

    def show(self, rows: Sequence[dict[str, Any]]) -> None:
        """Newer rows; what was sorted, filtered and chosen stays so."""
        self.props["rows"] = tuple(rows)
        self.update()

    def on_chosen(self, told: Callable[[list[Any]], None]) -> None:
        """Tell the keys of the rows that are ticked."""

        def chosen(event: GenericEventArguments) -> None:
            told(list(event.args))

        self.on("chosen", chosen)
