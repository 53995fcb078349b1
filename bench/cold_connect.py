"""Child of `cold_select`: Headwater from Python; prints its steps."""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Open the lake, run one query, close."""
    started = time.perf_counter()
    import headwater

    connect = headwater.connect
    imported = time.perf_counter()
    with connect(sys.argv[1]) as connection:
        opened = time.perf_counter()
        connection.session.state.spark()
        ready = time.perf_counter()
        rows = connection.sql(sys.argv[2]).rows
        answered = time.perf_counter()
        assert rows == [(1000,)]
        steps = {
            "imports": imported - started,
            "connect": opened - imported,
            "Spark": ready - opened,
            "SELECT": answered - ready,
        }
        print(json.dumps(steps), flush=True)


main()
