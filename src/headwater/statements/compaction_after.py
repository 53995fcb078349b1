"""`SET cz.sql.compaction.after.commit = true`: a statement that wrote rows is followed by OPTIMIZE.

It is a job of its own, so that it has a version of its own, and so that the statement before it has
succeeded whatever becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.refresh.hints import is_on
from headwater.sql import copy_into_table, dml
from headwater.sql.parse import Statement
from headwater.sql.targets import written_table
from headwater.statements.context import Context, SessionState
from headwater.upkeep.facts import file_sizes, is_general
from headwater.upkeep.small_files import Policy, small_files
from headwater.upkeep.tasks import compaction_sizes, full_name

SETTING = "cz.sql.compaction.after.commit"
_WRITING = (copy_into_table.CopyIntoTable, dml.Delete, dml.Insert, dml.Merge, dml.Update)
_MEGABYTE = 1 << 20
_LEAST_FILES = 2


def compaction_after(context: Context, statement: Statement, cluster: str) -> str | None:
    """The OPTIMIZE that follows a statement on a cluster, or None if there is none to follow.

    As in upkeep, only GENERAL clusters compact. One that found nothing to join would cost a second.
    """
    session, lake = context.session, context.lake
    if not isinstance(statement, _WRITING) or not is_on(session.settings, SETTING):
        return None
    name = written_table(statement)
    if name is None or not is_general(lake, session.workspace, cluster):
        return None
    found = context.qualify(name)
    table = lake.store.tables.get(found.workspace, found.schema, found.name)
    if table is None or not table.managed:
        return None
    policy = Policy(_LEAST_FILES, lake.config.upkeep_small_file_megabytes * _MEGABYTE)
    if small_files(file_sizes(lake, table), policy) is None:
        return None
    return f"OPTIMIZE {full_name(table)}"


@contextmanager
def small_files_only(session: SessionState) -> Iterator[None]:
    """OPTIMIZE takes the files that upkeep would take, and leaves those that are large enough."""
    config = session.lake.config
    sizes = compaction_sizes(
        small_bytes=config.upkeep_small_file_megabytes * _MEGABYTE,
        file_bytes=config.upkeep_file_megabytes * _MEGABYTE,
    )
    # The lock is not held while it runs: its job may have to wait for a place behind others.
    with session.lock:
        spark = session.spark()
        before = {key: spark.get(key) for key in sizes}
        for key, value in sizes.items():
            spark.set(key, value)
    try:
        yield
    finally:
        with session.lock:
            for key, old in before.items():
                if old is None:
                    spark.reset(key)
                else:
                    spark.set(key, old)
