"""A process that opens a lake and does what it is told, line by line, in JSON.

Spark has one master per process, so what runs on a cluster cannot run in the process of the tests.
`python cluster_driver.py LAKE`; settings come by HEADWATER_* variables.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import headwater
from headwater.errors import HeadwaterError


def main() -> None:
    """Answer each line with a line."""
    with headwater.connect(sys.argv[1]) as connection:
        for line in sys.stdin:
            print(json.dumps(_answer(connection, json.loads(line)), default=str), flush=True)


def _answer(connection: headwater.Connection, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        if "sql" in asked:
            return {"rows": connection.sql(asked["sql"]).rows}
        if asked["call"] == "run_until_idle":
            connection.run_until_idle()
            return {"rows": []}
        context: Any = connection.session.state.spark()._session.sparkContext
        return {"rows": len(context._jsc.sc().statusTracker().getExecutorInfos())}
    except HeadwaterError as error:
        return {"error": f"{error.condition}: {error}", "detail": str(error.detail)}


main()
