"""Numbering the rows of a table that had none, each with the commit that wrote it.

Delta numbers them too, but takes the commit that does so for the one that wrote them.

Law: no row was written later than its number says, and where the log names the commit that brought
its file, and rows were not moved since, it was not written earlier either.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from headwater.lake.commits.delta_transaction import DeltaTransaction
from headwater.lake.commits.stored_table import Body, read_stored_table
from headwater.lake.delta_log.actions import parse_commit
from headwater.lake.delta_log.files import LogFiles
from headwater.names import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Each is a request on a store; of a table with a longer past the older files belong together.
_MOST_COMMITS = 500


def number_rows(session: SparkSession, location: str, log: LogFiles, *, note: str) -> None:
    """Give the rows without numbers theirs: two commits, or none where no row needs one."""
    if not _unnumbered(read_stored_table(log, log.list_commits()[-1]).files):
        return
    table = f"delta.{quote_identifier(location)}"
    # From here on whoever writes the table numbers the rows that come.
    session.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.feature.rowTracking'='supported')")
    transaction = DeltaTransaction(session, location)
    files = _unnumbered(read_stored_table(log, transaction.version).files)
    came = origins(log, {file["path"] for file in files}, until=transaction.version)
    transaction.commit(
        transaction.numbering_operation(),
        note,
        adds=[
            {**file, "dataChange": False, "defaultRowCommitVersion": came[file["path"]]}
            for file in files
        ],
    )


def origins(log: LogFiles, paths: Collection[str], *, until: int) -> Mapping[str, int]:
    """The commit that brought each file; of older files the last one that is not read."""
    commits = [number for number in log.list_commits() if number <= until][-_MOST_COMMITS:]
    before = max(commits[0] - 1, 0)
    found: dict[str, int] = {}
    for number in commits:
        text = log.read_commit(number)
        if text is None or '"add"' not in text:
            continue
        commit = parse_commit(text, number, table=log.table)
        replaced = {file.id.path for file in commit.removes}
        for file in commit.adds:
            path = file.id.path
            if path in paths:
                # A file that takes its own place has got another vector: it was there before.
                found.setdefault(path, before if path in replaced else number)
    return {path: found.get(path, before) for path in paths}


def _unnumbered(files: Collection[Body]) -> list[Body]:
    """Those whose rows have no numbers, and of which the log says all that a commit must repeat."""
    return [file for file in files if "baseRowId" not in file and _has_statistics(file)]


def _has_statistics(file: Body) -> bool:
    """Whether they are there in full: a checkpoint may keep the rest of them elsewhere."""
    return len(json.loads(file.get("stats") or "{}")) > 1
