"""Folders that a COPY INTO VOLUME left because its process was killed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

from headwater.catalog.jobs import Job
from headwater.errors import HeadwaterError
from headwater.files.finishing import remove_staging, staging_folder
from headwater.files.volumes import Whose, open_volume
from headwater.runtime.open_lake import OpenLake
from headwater.sql.copy_into_volume import CopyIntoVolume
from headwater.sql.parse import parse
from headwater.sql.tokens import tokenize

_log = logging.getLogger(__name__)
_KIND = "COPY_INTO_VOLUME"


def recover_exports(lake: OpenLake, left: Iterable[Job]) -> None:
    """After a crash: remove the folders of exports among the jobs of dead processes.

    In the background, because their stores may be far away. What fails here, and what Spark went on
    to write for a process that was dead already, is found by the daily cleaning.
    """
    exports = [job for job in left if job.kind == _KIND]
    if exports:
        lake.background.submit(_remove_all, lake, exports)


def remove_left_overs(lake: OpenLake, *, since: datetime) -> None:
    """Remove what the exports left that failed since then; one that is at work keeps its folder.

    The text of the job says where its folder is, so no volume has to be listed as a whole.
    """
    _remove_all(lake, lake.store.jobs.failed(_KIND, since=since))


def _remove_all(lake: OpenLake, exports: Sequence[Job]) -> None:
    for job in exports:
        try:
            _remove(lake, job)
        except HeadwaterError as error:
            # Its volume may be gone, or its store away: the next time may find it.
            _log.info("cannot look for what job %s left: %s", job.id, error)


def _remove(lake: OpenLake, job: Job) -> None:
    statement = parse(job.text, tokenize(job.text))
    if not isinstance(statement, CopyIntoVolume):
        return
    whose = Whose(job.workspace, job.schema, job.creator)
    volume = open_volume(lake, statement.volume, whose)
    try:
        remove_staging(volume, staging_folder(statement.subdirectory, job.id))
    finally:
        volume.store.close()
