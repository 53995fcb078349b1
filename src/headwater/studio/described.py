"""What DESC EXTENDED of a table says, taken apart. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.result import Row

_FIRST_DETAIL = "# detailed table information"


@dataclass(frozen=True, slots=True)
class Described:
    """The columns of a table, and what else is known of it."""

    columns: list[dict[str, Any]]
    details: dict[str, Any]

    @property
    def type(self) -> str:
        """MANAGED TABLE, VIEW, DYNAMIC TABLE and so on."""
        return str(self.details.get("type") or "")

    @property
    def stores_rows(self) -> bool:
        """Whether it has versions."""
        return self.type not in ("VIEW", "TABLE STREAM") and self.details.get("format") == "DELTA"


def described(rows: Sequence[Row]) -> Described:
    """The rows as they came: columns, an empty row, a heading, and the rest.

    >>> heading = ("# detailed table information", "", "")
    >>> known = described([("id", "int", ""), ("", "", ""), heading, ("type", "VIEW", "")])
    >>> known.columns, known.type
    ([{'column_name': 'id', 'data_type': 'int', 'comment': ''}], 'VIEW')
    """
    names = [row[0] for row in rows]
    end = len(rows)
    # A column may be called like the heading; the heading is the last such row.
    for place in range(len(names) - 1, 0, -1):
        if names[place] == _FIRST_DETAIL and names[place - 1] == "":
            end = place - 1
            break
    columns = [
        {"column_name": row[0], "data_type": row[1], "comment": row[2]} for row in rows[:end]
    ]
    return Described(columns, {str(row[0]): row[1] for row in rows[end + 2 :]})
