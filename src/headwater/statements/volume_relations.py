"""Relations over files inside a query: VOLUME v USING .., DIRECTORY(..), LOAD_HISTORY(..)."""

from __future__ import annotations

import uuid
from dataclasses import replace

from headwater.config import is_local
from headwater.files.directory import directory_rows
from headwater.files.reading import VolumeScan, fitted, plan_scan
from headwater.files.staging import Staging
from headwater.files.volumes import OpenVolume, Whose, open_volume
from headwater.lake.file_scan import Columns
from headwater.pipes.batches import FileBatch
from headwater.result import Result
from headwater.sql.own_relations import DirectoryRelation, LoadHistoryRelation
from headwater.sql.volume_refs import VolumeRef
from headwater.sql.volume_relation import VolumeRelation
from headwater.statements.context import Context
from headwater.statements.show_load_history import COLUMNS, load_row, remembered_since
from headwater.tables.find import find_base_table


def whose(context: Context) -> Whose:
    """Who runs the statement, and where."""
    session = context.session
    return Whose(
        context.workspace or session.workspace, context.schema or session.schema, session.user
    )


def volume_of(context: Context, ref: VolumeRef) -> OpenVolume:
    """The volume that the statement names."""
    return open_volume(context.lake, ref, whose(context))


def staging_of(context: Context) -> Staging:
    """A folder for the files that this statement must read under other names."""
    lake = context.lake
    # Names of views are a session's own; the folder is one of all sessions.
    remote = None if is_local(lake.config.spark_master) else lake.remote
    return Staging(lake.folder.scratch / "staging" / uuid.uuid4().hex, remote)


def volume_view(
    context: Context,
    relation: VolumeRelation,
    staging: Staging,
    scans: list[VolumeScan],
    *,
    columns: Columns = (),
    left_out: frozenset[str] = frozenset(),
    pack: bool = False,
) -> str:
    """A temporary view over the files; what it reads is added to `scans`.

    `columns` are for a relation that names none; files with an address in `left_out` are not read;
    with `pack`, many small files may be read as few bigger ones.
    """
    volume = volume_of(context, relation.volume)
    planned = plan_scan(
        context.lake,
        volume,
        relation,
        staging,
        columns=columns,
        only=context.batch.files if isinstance(context.batch, FileBatch) else None,
        left_out=left_out,
        pack=pack,
    )
    # From here on an error may be about one of these files.
    scans.append(planned)
    spark = context.session.spark()
    name = context.session.next_view_name()
    scan = scans[-1] = replace(_known(context, fitted(planned, spark)), view=name)
    spark.create_file_view(name, scan.scan)
    return name


def _known(context: Context, scan: VolumeScan) -> VolumeScan:
    """The scan without the question whether its texts are UTF-8, if this statement asked it."""
    urls = {scan.volume.url_of(file.path) for file in scan.files}
    if not urls <= context.known_utf8:
        return scan
    return replace(scan, scan=replace(scan.scan, known_utf8=True))


def directory(context: Context, relation: DirectoryRelation) -> Result:
    """The rows of a volume's directory table."""
    return directory_rows(context.lake, volume_of(context, relation.volume))


def load_history(context: Context, relation: LoadHistoryRelation) -> Result:
    """Which files were loaded into a table lately."""
    name = context.qualify(relation.table)
    table = find_base_table(context.store, name, statement="LOAD_HISTORY", span=relation.table_span)
    found = context.store.load_history.latest_per_path(table.id, remembered_since(context))
    rows = [load_row(entry, context.session.shown) for entry in found]
    return Result.from_rows(COLUMNS, rows)
