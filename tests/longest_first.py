"""The order in which tests start: the longest ones first, shared out among the workers.

A worker gets a block of tests and, when it is through, takes from the end of another's block. A
long test at the end of a block would leave all other workers idle until it is done.

Tests that share what is dear to start run in one worker, the first: near the start of its block
nobody takes them away.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pytest

_Item = TypeVar("_Item")

# Tests that take most of a minute: they start Sparks of their own or go through many cases.
_LONG = frozenset(
    {"test_scale_out.py", "test_cluster.py", "test_schedule_crash.py", "test_cli_spark.py"}
    | {"test_refresh_random.py", "test_deltas_random.py", "test_changes_property.py"}
    | {"test_stream_property.py", "test_examples.py", "test_hive_clients.py"}
)
# Of a `.test` file its size tells.
_LONG_FILE = 6000
# A second Spark, which takes minutes of a core until it is as quick as the first; a Kafka broker.
_DEAR = frozenset({"crasher", "kafka_broker"})


def is_long(item: pytest.Item) -> bool:
    """Whether a test is known to take long."""
    file = getattr(getattr(item, "callspec", None), "params", {}).get("path")
    if isinstance(file, Path) and file.suffix == ".test":
        return file.stat().st_size > _LONG_FILE
    return item.path.name in _LONG


def shares_what_is_dear(item: pytest.Item) -> bool:
    """Whether a test uses what each worker would have to start for itself."""
    return not _DEAR.isdisjoint(getattr(item, "fixturenames", ()))


def longest_first(
    long: Sequence[_Item], short: Sequence[_Item], *, workers: int, together: Sequence[_Item] = ()
) -> list[_Item]:
    """All of them in blocks of one size, of which each starts with its share of the long ones.

    Those that belong together follow in the first.
    """
    total = len(long) + len(short) + len(together)
    ordered: list[_Item] = []
    rest = iter(short)
    for worker in range(workers):
        own = [*long[worker::workers], *(() if worker else together)]
        size = total * (worker + 1) // workers - total * worker // workers
        ordered += [*own, *islice(rest, max(0, size - len(own)))]
    return [*ordered, *rest]
