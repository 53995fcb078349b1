"""The dynamic tables of the three layers: a file for each, `{name}` where another table stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

_NAME = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Layered:
    """A table of a layer and its query."""

    name: str
    text: str

    @property
    def reads(self) -> frozenset[str]:
        """The tables it reads."""
        return frozenset(_NAME.findall(self.text))

    def sql(self, name_of: Callable[[str], str]) -> str:
        """The query over tables that are called otherwise."""
        return _NAME.sub(lambda found: name_of(found[1]), self.text)


def in_order() -> list[Layered]:
    """All tables, each behind those it reads."""
    files = Path(__file__).parent.glob("*/*.sql")
    tables = {path.stem: Layered(path.stem, path.read_text().strip()) for path in files}
    sorter = TopologicalSorter({name: sorted(tables[name].reads) for name in sorted(tables)})
    return [tables[name] for name in sorter.static_order() if name in tables]
