"""TPC-H's tables in a lake, with orders held back to be inserted and others to be deleted.

A thousandth of the orders, by a hash of their keys, is a slice. The slices of a rate are inserted
with their lines, and as many others are deleted with theirs.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import headwater

TABLES = ("region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem")
RATES = (0.001, 0.01, 0.1)
WARM_UP = 0.002
"""A change before those that are measured."""
_GROWING = {"orders": "o_orderkey", "lineitem": "l_orderkey"}
_SLICES = 1000


@dataclass(frozen=True, slots=True)
class Slices:
    """Which slices a rate inserts and which it deletes: the first, and the one behind the last."""

    inserted: tuple[int, int]
    deleted: tuple[int, int]


def slices() -> dict[float, Slices]:
    """For each rate slices that no other rate has."""
    found: dict[float, Slices] = {}
    start = 0
    for rate in (WARM_UP, *RATES):
        many = round(rate * _SLICES)
        inserted = (start, start + many)
        found[rate] = Slices(inserted, (start + many, start + 2 * many))
        start += 2 * many
    return found


def generate(folder: Path, scale: float) -> Path:
    """The tables as Parquet files."""
    program = Path(sys.executable).with_name("tpchgen-cli")
    arguments = ["parquet", "-s", str(scale), f"--output-dir={folder}"]
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL)
    return folder


def load(connection: headwater.Connection, folder: Path) -> None:
    """The tables in the lake, less what is held back."""
    for table in TABLES:
        connection.sql(
            f"CREATE TEMPORARY VIEW all_{table} AS SELECT * FROM parquet.`{folder}/{table}.parquet`"
        )
        where = ""
        if table in _GROWING:
            held = [_within(table, found.inserted) for found in slices().values()]
            where = f" WHERE NOT ({' OR '.join(held)})"
        connection.sql(f"CREATE TABLE {table} AS SELECT * FROM all_{table}{where}")


def change(connection: headwater.Connection, rate: float) -> None:
    """Insert and delete orders and their lines."""
    found = slices()[rate]
    for table in _GROWING:
        inserted, deleted = _within(table, found.inserted), _within(table, found.deleted)
        connection.sql(f"INSERT INTO {table} SELECT * FROM all_{table} WHERE {inserted}")
        connection.sql(f"DELETE FROM {table} WHERE {deleted}")


def _within(table: str, slices: tuple[int, int]) -> str:
    place = f"pmod(hash({_GROWING[table]}), {_SLICES})"
    return f"({place} >= {slices[0]} AND {place} < {slices[1]})"
