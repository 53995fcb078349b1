"""A wave under way: who may begin, and who is skipped because a parent failed. Pure.

Law: a table begins when all its parents of the wave have ended well, and never otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from headwater.catalog.schedules import ScheduledTable
from headwater.schedule.waves import Wave


class Ended(Enum):
    """How a table of a wave ended."""

    DONE = auto()
    FAILED = auto()
    OVERTAKEN = auto()
    """A refresh by hand, or a change of a source, came between: it belongs to the next wave."""
    SKIPPED = auto()


@dataclass(slots=True)
class WaveRun:
    """Keeps track of the tables of one wave."""

    wave: Wave
    ended: dict[str, Ended] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    """Why tables were skipped."""
    _begun: set[str] = field(default_factory=set)

    def take_ready(self) -> list[ScheduledTable]:
        """The tables that may begin now; each is given out once."""
        ready = [table for table in self.wave.tables if self._may_begin(table.id)]
        self._begun.update(table.id for table in ready)
        return ready

    def end(self, table_id: str, how: Ended) -> None:
        """A table has ended; those that cannot be refreshed without it are skipped."""
        self.ended[table_id] = how
        for table in self.wave.tables:
            if table.id in self._begun or table.id in self.ended:
                continue
            lost = [p for p in self.wave.parents_of(table.id) if self._is_lost(p)]
            if lost:
                self.ended[table.id] = Ended.SKIPPED
                self.skipped[table.id] = (
                    f"{self._name(lost[0])}, which it reads, {self._fate(lost[0])}"
                )

    @property
    def over(self) -> bool:
        """Whether every table has ended."""
        return len(self.ended) == len(self.wave.tables)

    @property
    def left(self) -> frozenset[str]:
        """The tables that have not ended."""
        return frozenset(table.id for table in self.wave.tables) - self.ended.keys()

    @property
    def at_work(self) -> frozenset[str]:
        """The tables that are being refreshed."""
        return frozenset(self._begun) - self.ended.keys()

    def _may_begin(self, table_id: str) -> bool:
        if table_id in self._begun or table_id in self.ended:
            return False
        parents = self.wave.parents_of(table_id)
        return all(self.ended.get(parent) is Ended.DONE for parent in parents)

    def _is_lost(self, table_id: str) -> bool:
        return self.ended.get(table_id, Ended.DONE) is not Ended.DONE

    def _name(self, table_id: str) -> str:
        return next(str(table.name) for table in self.wave.tables if table.id == table_id)

    def _fate(self, table_id: str) -> str:
        match self.ended[table_id]:
            case Ended.OVERTAKEN:
                return "was changed by something else meanwhile"
            case Ended.FAILED:
                return "could not be refreshed"
            case _:
                return "was skipped"
