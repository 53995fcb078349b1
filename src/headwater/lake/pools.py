"""Pools of Spark's fair scheduler, with weights: the cores are shared between them by weight.

Spark reads weights from a file when it starts, and gives a pool that it meets later the weight 1.
Clusters come and go while Spark runs, so their pools are put into its scheduler by hand. The
scheduler is the driver's, so this holds for every master.
"""

from __future__ import annotations

import threading
from typing import Any

POOL = "spark.scheduler.pool"


class Pools:
    """The pools that this process has made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._weights: dict[str, int] = {}

    def ensure(self, context: Any, name: str, weight: int) -> None:
        """Have a pool of that name and weight.

        A pool at work keeps its weight until it is idle: what runs in it cannot be moved.
        """
        if self._weights.get(name) == weight:
            return
        with self._lock:
            root = context._jsc.sc().taskScheduler().rootPool()
            found = root.getSchedulableByName(name)
            if found is not None and found.weight() != weight:
                if not found.schedulableQueue().isEmpty():
                    return
                root.removeSchedulable(found)
                found = None
            if found is None:
                scheduler = context._jvm.org.apache.spark.scheduler
                fair = scheduler.SchedulingMode.FAIR()
                root.addSchedulable(scheduler.Pool(name, fair, 0, weight))
            self._weights[name] = weight
