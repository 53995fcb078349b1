"""Which volumes a stream may watch: those that tell of all their files, to nobody else."""

from __future__ import annotations

from headwater.catalog.volumes import Volume
from headwater.errors import NotSupported, UserError
from headwater.runtime.open_lake import OpenLake
from headwater.storage.addresses import Scheme, parse_location
from headwater.streams.directory_events import QUEUE_TYPES
from headwater.streams.queue_readers import pipe_reading, volume_reading


def require_watchable(lake: OpenLake, volume: Volume) -> None:
    """Refuse a volume that lacks what a stream needs; each lack has a condition of its own."""
    name = f"{volume.schema}.{volume.name}"
    if not volume.external:
        raise UserError("VOLUME_STREAM_NOT_EXTERNAL", volume=name)
    if not volume.directory_enabled:
        raise UserError("VOLUME_STREAM_NO_DIRECTORY", volume=name)
    if not volume.recursive:
        raise UserError("VOLUME_STREAM_NOT_RECURSIVE", volume=name)
    scheme = parse_location(volume.url).scheme
    if scheme is Scheme.FILE:
        if volume.notification is not None:
            raise UserError("VOLUME_STREAM_QUEUE_OF_FILES", volume=name)
        return
    queue = _queue(volume, scheme)
    pipe = pipe_reading(lake, scheme, queue)
    if pipe is not None:
        other = f"{pipe.schema}.{pipe.name}"
        raise UserError("VOLUME_STREAM_QUEUE_HAS_PIPE", volume=name, queue=queue, pipe=other)
    reader = volume_reading(lake, scheme, queue, besides=volume)
    if reader is not None:
        other = f"{reader.schema}.{reader.name}"
        raise UserError("VOLUME_STREAM_QUEUE_SHARED", volume=name, queue=queue, other=other)


def _queue(volume: Volume, scheme: Scheme) -> str:
    """The queue of the volume, if it is one that the store's cloud tells."""
    name, store = f"{volume.schema}.{volume.name}", scheme.upper()
    wanted = QUEUE_TYPES.get(scheme)
    if wanted is None:
        raise NotSupported("VOLUME_STREAM_STORE", volume=name, store=store)
    told = volume.notification
    if told is None:
        raise UserError("VOLUME_STREAM_NO_QUEUE", volume=name, store=store, wanted=wanted)
    found, queue = told["queue_type"], told["queue_name"]
    if found != wanted:
        raise UserError(
            "VOLUME_STREAM_QUEUE_TYPE", volume=name, store=store, wanted=wanted, found=found
        )
    return queue
