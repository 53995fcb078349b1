"""GET: files of a volume onto this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from headwater.errors import UserError
from headwater.files.listing import listed_files
from headwater.files.local_targets import LocalFolder
from headwater.files.transfers import Transfer, TransferStatus, transfer_all
from headwater.files.volumes import OpenVolume
from headwater.result import Result
from headwater.sql.volume_files import Get
from headwater.statements.context import Context
from headwater.statements.exchange import get_in_exchange, require_room, shown_path
from headwater.statements.open_volume import volume_for
from headwater.statements.transfer_rows import require_own_targets, transfer_result
from headwater.storage.failures import file_not_found
from headwater.storage.store import FileInfo, Store


def get(context: Context, statement: Get) -> Result:
    """Copy files of a volume into a local folder, which is made if need be.

    A file named by FILE gets its own name; the files of a folder keep their folders below it.
    """
    statement = get_in_exchange(context, statement)
    folder = LocalFolder.of(statement.target)
    with volume_for(context, statement.volume) as volume:
        wanted = list(_wanted(volume, statement))
        require_room(context, (file.size for file, _ in wanted))
        overwrite = statement.overwrite
        transfers = [
            _transfer(volume.store, file, folder, relative, overwrite=overwrite)
            for file, relative in wanted
        ]
        if context.session.exchange is not None:
            transfers = [replace(t, target=shown_path(context, Path(t.target))) for t in transfers]
        if not transfers and statement.subdirectory:
            shown = statement.subdirectory
            raise UserError("FOLDER_HAS_NO_FILES", folder=shown, volume=volume.title)
        require_own_targets(transfers)
        parallel = statement.parallel
        done = transfer_all(context.lake, context.job_id, transfers, parallel=parallel)
    return transfer_result(done)


def _wanted(volume: OpenVolume, statement: Get) -> Iterator[tuple[FileInfo, str]]:
    """The files, each with its path below the local folder."""
    for path in dict.fromkeys(statement.files):
        found = volume.store.head(path)
        if found is None:
            raise file_not_found(path, volume.address.url)
        yield found, path.rpartition("/")[2]
    if not statement.files:
        prefix = statement.subdirectory or ""
        for file in listed_files(volume, statement.subdirectory):
            yield file, file.path.removeprefix(prefix)


def _transfer(
    store: Store, file: FileInfo, folder: LocalFolder, relative: str, *, overwrite: bool
) -> Transfer:
    target: Path = folder.place(relative)

    def copy() -> tuple[int, TransferStatus]:
        status = TransferStatus.SKIPPED
        if overwrite or not os.path.lexists(target):
            folder.make_folders(target)
            store.get(file.path, target)
            status = TransferStatus.SUCCEED
        return target.stat().st_size, status

    return Transfer(file.path, str(target), file.size, copy)
