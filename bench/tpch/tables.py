"""TPC-H's tables in a lake, with orders held back to be inserted and others to be deleted.

A thousandth of the range of order keys is a slice. The slices of a rate are inserted with their
lines, and as many others are deleted with theirs. So the keys of a change lie together, as in
TPC-H's own refresh functions: RF1 and RF2 of its generator insert and delete runs of order keys.
With HEADWATER_BENCH_TPCH_SPREAD a slice is a thousandth by a hash of the keys instead, so that
every change is spread over all of a table.
"""

from __future__ import annotations

import os
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
_LAST_KEY = 6_000_000
"""Of orders at scale 1: the keys of dbgen leave gaps."""
_SPREAD = bool(os.environ.get("HEADWATER_BENCH_TPCH_SPREAD"))


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


def load(connection: headwater.Connection, folder: Path, scale: float) -> None:
    """The tables in the lake, less what is held back."""
    for table in TABLES:
        connection.sql(
            f"CREATE TEMPORARY VIEW all_{table} AS SELECT * FROM parquet.`{folder}/{table}.parquet`"
        )
        where = ""
        if table in _GROWING:
            held = [_within(table, found.inserted, scale) for found in slices().values()]
            where = f" WHERE NOT ({' OR '.join(held)})"
        connection.sql(f"CREATE TABLE {table} AS SELECT * FROM all_{table}{where}")


def change(connection: headwater.Connection, rate: float, scale: float) -> None:
    """Insert and delete orders and their lines."""
    found = slices()[rate]
    for table in _GROWING:
        inserted = _within(table, found.inserted, scale)
        deleted = _within(table, found.deleted, scale)
        connection.sql(f"INSERT INTO {table} SELECT * FROM all_{table} WHERE {inserted}")
        connection.sql(f"DELETE FROM {table} WHERE {deleted}")


def _within(table: str, slices: tuple[int, int], scale: float) -> str:
    key, (first, end) = _GROWING[table], slices
    if _SPREAD:
        place = f"pmod(hash({key}), {_SLICES})"
        return f"({place} >= {first} AND {place} < {end})"
    width = _LAST_KEY * scale / _SLICES
    return f"({key} > {first * width:.0f} AND {key} <= {end * width:.0f})"
