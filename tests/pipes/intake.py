"""A folder, a table and a pipe of a test's own, in a lake that the tests of a module share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.spark.places import Place

import headwater

CSV = "(id INT, name STRING) USING CSV"
LIST_PURGE = "INGEST_MODE = 'LIST_PURGE'"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Intake:
    """Schema, folder and pipe `p`, which loads the folder's volume `v` into table `t`."""

    lake: headwater.Connection
    place: Place
    folder: str

    def sql(self, text: str) -> headwater.Result:
        """Run a statement in the schema."""
        return self.lake.sql(text)

    def pipe(
        self,
        body: str = f"COPY INTO t FROM VOLUME v {CSV} PURGE = TRUE",
        properties: str = "",
        mode: str = LIST_PURGE,
    ) -> None:
        """Make the pipe."""
        self.sql(f"CREATE PIPE p VIRTUAL_CLUSTER = 'default' {mode} {properties} AS {body}")

    def write(self, path: str, content: str | bytes) -> None:
        """Put a file into the folder."""
        data = content.encode() if isinstance(content, str) else content
        self.place.write(f"{self.folder}/{path}", data)

    @property
    def files(self) -> list[str]:
        """What is in the folder now."""
        return [path.removeprefix(f"{self.folder}/") for path in self.place.paths(self.folder)]

    def run(self) -> None:
        """Let the pipes work until there is nothing left."""
        self.lake.run_until_idle()

    def rows(self, query: str = "SELECT id, name FROM t ORDER BY id") -> list[tuple[Any, ...]]:
        """Rows of the table."""
        return [tuple(row) for row in self.sql(query).rows]

    @property
    def ids(self) -> list[int]:
        """The first column of the table: which rows there are, and how often."""
        return [row[0] for row in self.rows()]

    @property
    def history(self) -> list[tuple[str, str]]:
        """Names of files with their status, oldest first."""
        query = "SELECT file_path, status FROM load_history('t') ORDER BY last_copy_time, file_path"
        start = f"{self.place.location}{self.folder}/"
        return [(path.removeprefix(start), status) for path, status in self.rows(query)]

    def told(self, name: str) -> Any:
        """One line of DESC PIPE EXTENDED."""
        found: dict[str, Any] = dict(self.sql("DESC PIPE EXTENDED p").rows)
        return found[name]

    def numbers(self, *names: str) -> list[int]:
        """Several lines of it that are numbers."""
        found: dict[str, Any] = dict(self.sql("DESC PIPE EXTENDED p").rows)
        return [int(found[name]) for name in names]

    def pause(self) -> None:
        """Stop the pipe."""
        self.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")

    def resume(self) -> None:
        """Let it run, whatever stopped it."""
        self.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")

    @property
    def versions(self) -> int:
        """How many commits of pipes or COPY the table has."""
        history = self.sql("DESC HISTORY t").to_dicts()
        return sum("COPY" in str(row["operation"]) for row in history)


@contextmanager
def intake_at(lake: headwater.Connection, place: Place, *, recursive: bool) -> Iterator[Intake]:
    """A new schema with a volume over a new folder; gone at the end, and its pipes with it."""
    name = f"s{next(_NUMBERS)}"
    location = f"{place.location}{name}/"
    if place.kind == "local":
        Path(location.removeprefix("file://")).mkdir()
    lake.sql(f"CREATE SCHEMA {name}; USE {name}; CREATE TABLE t (id INT, name STRING)")
    lake.sql(
        f"CREATE EXTERNAL VOLUME v LOCATION '{location}' USING CONNECTION c"
        f" RECURSIVE = {str(recursive).upper()}"
    )
    try:
        yield Intake(lake, place, name)
    finally:
        lake.sql(f"USE public; DROP SCHEMA {name} CASCADE")
