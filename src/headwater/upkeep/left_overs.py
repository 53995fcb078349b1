"""Folders that a COPY INTO VOLUME left because its process was killed."""

from __future__ import annotations

import logging
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


def remove_left_overs(lake: OpenLake, *, since: datetime) -> None:
    """Remove what the exports left that failed since then; one that is at work keeps its folder.

    The text of the job says where its folder is, so no volume has to be listed as a whole.
    """
    for job in lake.store.jobs.failed(_KIND, since=since):
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
