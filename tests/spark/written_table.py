"""A Delta table at a path that tests of commits write, and the ways in which it can be written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from headwater.lake.commits.choose import Limits
from headwater.lake.commits.writes import Applied, How, Write
from headwater.lake.delta_log.actions import parse_commit
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.lake.spark_session import SparkConnection

TRACKED = "'delta.enableRowTracking' = 'true'"
NO_VECTORS = "'delta.enableDeletionVectors' = 'false'"
MAPPED = "'delta.columnMapping.mode' = 'name'"
LARGE = Limits(rows=-1)
ALL_WAYS = (How.REWRITE, How.DELETION_VECTORS, How.TOUCHED_FILES)


class Table:
    """A table at a path."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.name = f"delta.`{folder}`"
        self.log = LocalLogFiles(folder)

    def create(self, columns: str, *properties: str, clauses: str = "") -> None:
        made = f" TBLPROPERTIES ({', '.join(properties)})" if properties else ""
        self.run(f"CREATE TABLE {{t}} ({columns}) USING delta {clauses}{made}")

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.spark.sql(statement.replace("{t}", self.name))

    def apply(self, write: Write, **options: Any) -> Applied:
        options.setdefault("note", lambda came, went: f"{came} {went}")
        return SparkConnection(self.spark).apply(str(self.folder), write, **options)

    @property
    def version(self) -> int:
        return self.log.list_commits()[-1]

    @property
    def rows(self) -> Counter[str]:
        """The bag of its rows, as JSON so that every value can be compared."""
        return bag(self.spark, f"SELECT * FROM {self.name}")

    @property
    def files(self) -> set[str]:
        """All there is in its folder, its log too."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}

    def commit(self, version: int) -> Any:
        text = self.log.read_commit(version)
        assert text is not None
        return parse_commit(text, version, table="t")


def bag(spark: Any, query: str) -> Counter[str]:
    return Counter(repr(row) for row in spark.sql(query).collect())


def jobs(spark: Any) -> int:
    return int(spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def way(how: How) -> dict[str, Any]:
    """Options under which a change of a table with vectors takes a way."""
    return {} if how is How.REWRITE else {"limits": LARGE}


def properties(how: How) -> tuple[str, ...]:
    return (NO_VECTORS,) if how is How.TOUCHED_FILES else ()
