"""Who reads a queue already: a message goes to one reader, so that two would miss some of them."""

from __future__ import annotations

from headwater.catalog.pipes import Pipe, PipeKind
from headwater.catalog.volumes import Volume
from headwater.errors import UserError
from headwater.queues import mns_names, sqs_names
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_properties import IngestMode, properties_of
from headwater.storage.addresses import Scheme
from headwater.streams.directory_events import QUEUE_TYPES


def pipe_reading(lake: OpenLake, scheme: Scheme, queue: str) -> Pipe | None:
    """A pipe, running or not, that is told of files by this queue of the store's cloud."""
    for workspace in lake.store.workspaces.list():
        for pipe in lake.store.pipes.list(workspace.name):
            read = _queue_of(pipe, scheme)
            if read is not None and _same(scheme, read, queue):
                return pipe
    return None


def volume_reading(
    lake: OpenLake, scheme: Scheme, queue: str, *, besides: Volume | None = None
) -> Volume | None:
    """A volume whose streams this queue drives."""
    for volume in lake.store.volumes.with_watched_queues():
        told = volume.notification or {}
        same_cloud = told.get("queue_type") == QUEUE_TYPES.get(scheme)
        if besides is not None and volume.id == besides.id:
            continue
        if same_cloud and _same(scheme, told["queue_name"], queue):
            return volume
    return None


def _queue_of(pipe: Pipe, scheme: Scheme) -> str | None:
    if pipe.kind is not PipeKind.VOLUME:
        return None
    properties = properties_of(pipe.properties)
    if properties.ingest_mode is not IngestMode.EVENT_NOTIFICATION:
        return None
    return properties.sqs_queue if scheme is Scheme.S3 else properties.mns_queue


def _same(scheme: Scheme, one: str, other: str) -> bool:
    if one == other:
        return True
    if scheme is Scheme.OSS:
        return mns_names.may_be_same_queue(one, other)
    try:
        return sqs_names.may_be_same_queue(sqs_names.sqs_name(one), sqs_names.sqs_name(other))
    except UserError:
        return False  # a name that no queue can have is read by nobody
