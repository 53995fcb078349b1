"""What changed in a table between two versions, kept for the next dynamic table that asks.

Those that read one source ask for the same range of it one after the other, and to find the few
rows that went, whole files are read. Law: the rows of a range never change, so that what is kept is
right for ever; it is given up for newer ones, the one that was asked for longest ago first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from headwater.lake.changes.ranges import ChangeRange

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS = 100_000
"""Of one range: more are read again each time."""
MOST_ROWS_IN_ALL = 500_000


@dataclass(frozen=True, slots=True)
class KeptRange:
    """The rows of a range, with some of the table's columns, in its order."""

    columns: tuple[str, ...]
    rows: int
    frame: DataFrame


class KeptChanges:
    """The changes that dynamic tables of one lake share; safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: dict[str, dict[str, frozenset[str]]] = {}
        self._kept: OrderedDict[tuple[str, ChangeRange], KeptRange] = OrderedDict()

    def shared_columns(self, location: str, asker: str, columns: Sequence[str]) -> frozenset[str]:
        """The columns that all who asked so far read; none if nobody else did."""
        with self._lock:
            askers = self._asked.setdefault(location, {})
            askers[asker] = frozenset(columns)
            return frozenset().union(*askers.values()) if len(askers) > 1 else frozenset()

    def rows_of(
        self,
        location: str,
        range: ChangeRange,
        columns: Sequence[str],
        rows: int,
        make: Callable[[], DataFrame | None],
    ) -> KeptRange | None:
        """The rows of a range with at least these columns; None if there is none after all.

        What `make` gives is worked out by the first who reads it, and then kept.
        """
        with self._lock:
            found = self._kept.get((location, range))
            if found is None or not frozenset(columns) <= frozenset(found.columns):
                frame = make()
                if frame is None:
                    return None
                self._forget(location, range)
                found = KeptRange(tuple(columns), rows, frame.persist())
                self._kept[location, range] = found
            self._kept.move_to_end((location, range))
            while sum(one.rows for one in self._kept.values()) > MOST_ROWS_IN_ALL:
                self._forget(*next(iter(self._kept)))
            return found

    def clear(self) -> None:
        """Give everything up, also if Spark is gone already and with it what it kept."""
        if not self._kept:
            return
        from py4j.protocol import Py4JError

        with self._lock:
            for location, range in list(self._kept):
                with suppress(Py4JError, OSError):
                    self._forget(location, range)

    def _forget(self, location: str, range: ChangeRange) -> None:
        # Who still reads it works it out again.
        found = self._kept.pop((location, range), None)
        if found is not None:
            found.frame.unpersist()
