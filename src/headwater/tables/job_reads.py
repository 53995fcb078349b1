"""Which tables of the catalog a job read, from what Spark says of its scans."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from headwater.catalog.jobs import TableUse
from headwater.lake.job_metrics import Scan
from headwater.runtime.open_lake import OpenLake


def tables_read(lake: OpenLake, scans: Iterable[Scan]) -> tuple[TableUse, ...]:
    """Each table that was read, by name, with the rows and bytes of all its scans together."""
    found: dict[str, tuple[int, int]] = {}
    for scan in scans:
        name = _name(lake, scan)
        if name is not None:
            rows, size = found.get(name, (0, 0))
            found[name] = (rows + scan.rows, size + scan.bytes)
    return tuple(TableUse(name, rows, size) for name, (rows, size) in sorted(found.items()))


def _name(lake: OpenLake, scan: Scan) -> str | None:
    if scan.table is not None:
        return f"{lake.config.workspace}.{scan.table}"
    assert scan.location is not None
    table = lake.store.tables.by_location(_stored(lake, scan.location))
    return None if table is None else f"{table.workspace}.{table.schema}.{table.name}"


def _stored(lake: OpenLake, location: str) -> str:
    """A location as the catalog has it: what is in the lake folder moves with it."""
    if lake.remote is not None and location.startswith(lake.remote.url):
        return unquote(location.removeprefix(lake.remote.url))
    path = Path(location)
    inside = path.is_relative_to(lake.folder.path)
    return path.relative_to(lake.folder.path).as_posix() if inside else location
