"""`python -m bench.layers.one_run LAKE ROWS BATCHES`: the layers once, in a process of its own.

Where Spark and the tables are say HEADWATER_* variables. What it prints is one line of JSON: the
seconds of building the tables and of each batch, and a digest of the rows of each table.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing

import pyarrow

import headwater
from bench.layers.queries import in_order
from bench.layers.raw_tables import RawTables
from bench.plain_spark import refreshed, timed, verify
from headwater.names import quote_identifier


def main() -> None:
    """Build, change, refresh, verify."""
    lake, rows, batches = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    names = [table.name for table in in_order()]
    seconds: list[float] = []
    with closing(headwater.connect(lake)) as connection:
        raw = RawTables(connection, rows)
        raw.create()
        for table in in_order():
            query = table.sql(lambda name: name)
            connection.sql(f"CREATE DYNAMIC TABLE {table.name} AS {query}")
        seconds.append(timed(lambda: _refresh_all(connection, names)))
        for batch in range(batches):
            raw.change(batch)
            seconds.append(timed(lambda: _refresh_all(connection, names)))
        verify(connection, *names)
        digests = {name: _digest(connection, name) for name in names}
    print(json.dumps({"seconds": seconds, "digests": digests}), flush=True)


def _refresh_all(connection: headwater.Connection, names: list[str]) -> None:
    for name in names:
        refreshed(connection, name)


def _digest(connection: headwater.Connection, name: str) -> str:
    """The count of the rows and the sum of their hashes; the order of rows changes neither.

    Sums of floats depend on the order in which they are added up, so their last digits are left
    out.
    """
    schema = connection.sql(f"SELECT * FROM {name} LIMIT 0").to_arrow().schema
    values = ", ".join(
        f"round({quote_identifier(field.name)}, 6)"
        if pyarrow.types.is_floating(field.type)
        else quote_identifier(field.name)
        for field in schema
    )
    hashes = f"sum(CAST(xxhash64({values}) AS DECIMAL(38, 0)))"
    count, total = connection.sql(f"SELECT count(*), {hashes} FROM {name}").rows[0]
    return f"{count} rows, {total}"


main()
