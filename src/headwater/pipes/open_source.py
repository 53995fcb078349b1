"""From a pipe to its source: by what its statement reads, and how it learns of it."""

from __future__ import annotations

from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.sources import Source
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_body import VolumeSource
from headwater.sql.pipe_properties import IngestMode


def open_source(lake: OpenLake, pipe: OpenPipe, *, patience: int) -> Source:
    """The source; modules of brokers and queues are imported only where one is used."""
    if isinstance(pipe.body.source, VolumeSource):
        if pipe.properties.ingest_mode is IngestMode.EVENT_NOTIFICATION:
            from headwater.pipes.events import Events

            return Events(lake, pipe, wait_seconds=patience)
        from headwater.pipes.listing import Listing

        return Listing(lake, pipe)
    from headwater.pipes.messages import Messages

    return Messages(lake, pipe)
