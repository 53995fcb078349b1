"""COPY INTO <table> and COPY OVERWRITE <table>: files of volumes become rows, in one commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headwater.catalog.load_history import COPY_SOURCE
from headwater.catalog.objects import Operation, Table
from headwater.errors import HeadwaterError, TransientError
from headwater.files.loads import announce, purge, settle
from headwater.files.reading import VolumeScan
from headwater.files.unchanged import FilesChanged, require_unchanged
from headwater.files.unreadable import TextIsUtf8, UnreadableFile
from headwater.names import counted
from headwater.pipes.settling import require_under_way
from headwater.result import Column, Result
from headwater.sql.copy_into_table import CopyIntoTable, OnError
from headwater.sql.edits import EditedText
from headwater.statements.context import Context
from headwater.statements.copy_source import copy_source
from headwater.statements.writing import message_of, written_table
from headwater.tables.commits import Committed, commit
from headwater.tables.versions import catch_up

_PER_FILE = (
    Column("file", "string"),
    Column("status", "string"),
    Column("rows_loaded", "bigint"),
    Column("first_error", "string"),
)
_BROKEN_ONE_BY_ONE = 2
_TRIES = 3
"""How often files are listed and read of which one changes meanwhile."""


@dataclass(slots=True)
class _Copy:
    """One COPY under way: what could not be read so far, by address, with the reason."""

    context: Context
    statement: CopyIntoTable
    table: Table
    operation: Operation
    pack: bool = True
    """Whether many small files may be read as few bigger ones."""
    failed: dict[str, str] = field(default_factory=dict)
    tries: int = 0
    """How often a file changed while it was read."""


def copy_into_table(context: Context, statement: CopyIntoTable) -> Result:
    """Load files, all in one commit or none; with ON_ERROR = CONTINUE without the broken ones."""
    operation = Operation.COPY_OVERWRITE if statement.overwrite else Operation.COPY_INTO
    table = catch_up(context.lake, written_table(context, statement.target, operation=operation))
    copy = _Copy(context, statement, table, operation)
    with context.session.lock:
        while True:
            try:
                scans, done, rows = _attempt(copy)
            except UnreadableFile as error:
                if not _leave_out(copy, error):
                    raise
                # All that are broken are known by now, and the others can be read as packs again.
                copy.pack = copy.pack or len(copy.failed) > _BROKEN_ONE_BY_ONE
            except FilesChanged:
                copy.tries += 1
                # A pipe looks for its files anew itself.
                if copy.context.batch is not None or copy.tries == _TRIES:
                    raise
            except TextIsUtf8 as found:
                if found.urls <= copy.context.known_utf8:
                    raise
                copy.context = replace(copy.context, known_utf8=found.urls)
            else:
                break
    left = []
    known = {path: count for path, count in rows.items() if count is not None}
    if settle(context.lake, context.job_id, rows=known) and statement.purge:
        left = purge(context.lake, context.job_id)
    return _result(copy, scans, done, rows, left)


_Loaded = tuple[list[VolumeScan], Committed, dict[str, int | None]]


def _attempt(copy: _Copy) -> _Loaded:
    """Load; when it fails with packed files, once more without, to know which file is broken."""
    scans: list[VolumeScan] = []
    try:
        return _read_files(copy, scans)
    except HeadwaterError as error:
        kept = copy.context.store.versions.by_job(copy.context.job_id)
        again = any(scan.packed for scan in scans) and not kept
        known = isinstance(error, TransientError | TextIsUtf8)
        if not again or known or error.condition == "JOB_CANCELLED":
            raise
    copy.pack = False
    return _read_files(copy, [])


def _read_files(copy: _Copy, scans: list[VolumeScan]) -> _Loaded:
    """Load; a file that cannot be read because it is another one by now is not a broken one."""
    try:
        return _load_files(copy, scans)
    except UnreadableFile:
        if copy.context.batch is not None:
            # Another process may have loaded and deleted it meanwhile.
            require_under_way(copy.context.lake, copy.context.batch, copy.context.job_id)
        require_unchanged(scans)
        raise


def _load_files(copy: _Copy, scans: list[VolumeScan]) -> _Loaded:
    context, statement = copy.context, copy.statement
    left_out = frozenset(copy.failed)
    pack = copy.pack and not _tells(copy)
    # The first broken files cost a reading each; where there are some, there may be many.
    find_all = statement.on_error is OnError.CONTINUE and len(copy.failed) >= _BROKEN_ONE_BY_ONE
    with copy_source(
        context,
        statement,
        copy.table,
        scans,
        left_out=left_out,
        pack=pack,
        find_all=find_all,
    ) as text:
        try:
            done = _load(copy, scans, text)
            # Staged files are gone when this ends.
            return scans, done, _rows_by_file(copy, scans) if _tells(copy) else {}
        except BaseException:
            # The commit may be there although something failed behind it.
            settle(context.lake, context.job_id)
            raise


def _load(copy: _Copy, scans: Sequence[VolumeScan], text: EditedText | None) -> Committed:
    """Announce, then commit; nothing is done when there is nothing to load."""
    context = copy.context
    if text is None:
        return Committed(copy.table, None)
    announce(
        context.lake,
        copy.table.id,
        context.job_id,
        scans,
        purge=copy.statement.purge,
        source=_source(context),
    )
    spark = context.session.spark()
    return commit(
        context.lake,
        spark,
        copy.table,
        operation=copy.operation,
        author=context.author,
        work=lambda: spark.command(text),
        check=lambda: require_unchanged(scans),
    )


def _tells(copy: _Copy) -> bool:
    """Whether the result has a row per file; of a pipe's statement nobody sees it."""
    return copy.statement.on_error is not None and copy.context.batch is None


def _source(context: Context) -> str:
    """What the load history says loaded a file: COPY, or the pipe's name."""
    pipe = context.store.pipes.by_id(context.batch.pipe_id) if context.batch is not None else None
    return COPY_SOURCE if pipe is None else str(pipe.qualified)


def _leave_out(copy: _Copy, error: UnreadableFile) -> bool:
    """Note what cannot be read; says whether the other files are to be loaded without it."""
    if error.source.path in copy.failed:
        return False
    broken = {error.source: error.reason}
    if copy.statement.on_error is OnError.CONTINUE:
        broken |= error.also
    history = copy.context.store.load_history
    history.record_failed(copy.table.id, copy.context.job_id, broken, source=_source(copy.context))
    copy.failed |= {file.path: reason for file, reason in broken.items()}
    return copy.statement.on_error is OnError.CONTINUE


def _rows_by_file(copy: _Copy, scans: Sequence[VolumeScan]) -> dict[str, int | None]:
    """By address; a second look at the files, since Spark does not count them while it writes.

    The rows are in the table by now: that a file is gone since is no failure, its rows are unknown.
    """
    spark = copy.context.session.spark()
    found: dict[str, int | None] = {}
    for scan in scans:
        urls = {file.path: scan.volume.url_of(file.path) for file in scan.files}
        try:
            counts = spark.rows_by_file(scan.scan) if urls else {}
        except HeadwaterError:
            found |= dict.fromkeys(urls.values())
            continue
        by_path = {scan.file_of(path): rows for path, rows in counts.items()}
        found |= {url: by_path.get(path, 0) for path, url in urls.items()}
    return found


def _result(
    copy: _Copy,
    scans: Sequence[VolumeScan],
    done: Committed,
    rows: dict[str, int | None],
    left: Sequence[str],
) -> Result:
    loaded = (done.version.rows_inserted or 0) if done.version is not None else 0
    files = sum(len(scan.files) for scan in scans)
    message = f"{message_of(done.table, copy.operation, loaded)} from {counted(files, 'file')}"
    if left:
        message += f"; {counted(len(left), 'file')} could not be deleted yet: {left[0]}"
    if not _tells(copy):
        return Result(rowcount=loaded, message=message)
    per_file: list[tuple[str, str, int | None, str | None]] = []
    per_file += [(path, "SUCCESS", count, None) for path, count in rows.items()]
    per_file += [(path, "LOADED_FAILED", 0, reason) for path, reason in copy.failed.items()]
    result = Result.from_rows(_PER_FILE, sorted(per_file, key=lambda row: row[0]))
    return Result(
        schema=result.schema, rowcount=result.rowcount, source=result.source, message=message
    )
