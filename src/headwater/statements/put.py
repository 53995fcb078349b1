"""PUT: files of this machine into a volume."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.files.local_sources import LocalSource, local_sources
from headwater.files.transfers import Transfer, TransferStatus, transfer_all
from headwater.result import Result
from headwater.sql.volume_files import Put
from headwater.statements.context import Context
from headwater.statements.exchange import put_in_exchange, shown_path
from headwater.statements.open_volume import volume_for
from headwater.statements.transfer_rows import require_own_targets, transfer_result
from headwater.storage.addresses import checked_path
from headwater.storage.store import Store


def put(context: Context, statement: Put) -> Result:
    """Copy local files into a volume, replacing those of the same name unless told not to."""
    statement = put_in_exchange(context, statement)
    sources = local_sources(statement.sources)
    if statement.file is not None and len(sources) > 1:
        raise UserError("FILE_NAMED_FOR_SEVERAL", count=len(sources))
    with volume_for(context, statement.volume) as volume:
        transfers = [
            _transfer(volume.store, source, shown_path(context, source.path), statement)
            for source in sources
        ]
        require_own_targets(transfers)
        parallel = statement.parallel
        done = transfer_all(context.lake, context.job_id, transfers, parallel=parallel)
    return transfer_result(done)


def _transfer(store: Store, source: LocalSource, shown: str, statement: Put) -> Transfer:
    target = checked_path(statement.file or (statement.subdirectory or "") + source.path.name)

    def copy() -> tuple[int, TransferStatus]:
        there = None if statement.overwrite else store.head(target)
        if there is not None:
            return there.size, TransferStatus.SKIPPED
        store.put(source.path, target)
        stored = store.head(target)
        # Somebody may have removed it already; it was there whole.
        return stored.size if stored else source.size, TransferStatus.SUCCEED

    return Transfer(shown, target, source.size, copy)
