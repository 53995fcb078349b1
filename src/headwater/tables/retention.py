"""How long a table's old versions, and the table itself once dropped, can be brought back."""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.config import Config


def retention_days(config: Config, table: Table) -> int:
    """The table's own data_retention_days, else the lake's."""
    own = table.shape.properties.get("data_retention_days", "")
    return int(own) if own.isdigit() else config.data_retention_days
