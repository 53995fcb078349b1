"""GET_PRESIGNED_URL(<volume>, <path> [, <seconds>]) inside a query: a function of this session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater.errors import HeadwaterError, NotSupported
from headwater.files.volumes import OpenVolume
from headwater.names import quote_literal
from headwater.sql.edits import Edit
from headwater.sql.presigned_urls import PresignedUrl
from headwater.sql.tokens import tokenize
from headwater.statements.context import Context
from headwater.statements.volume_relations import volume_of
from headwater.storage.addresses import Scheme
from headwater.storage.connections import StoreConnection
from headwater.storage.open_store import keys_of, open_store

FORCE_EXTERNAL = "cz.sql.function.get.presigned.url.force.external"
_SECONDS = 3600


def presigned_edits(context: Context, calls: Sequence[PresignedUrl]) -> list[Edit]:
    """Edits that put a function of the session, made for the volume, in place of each call."""
    edits: list[Edit] = []
    for call in calls:
        name = context.session.next_view_name()
        volume = _as_seen_from_outside(context, volume_of(context, call.volume))
        literal = _literal_arguments(call)
        if volume.address.scheme is Scheme.FILE:
            path = call.path.text if literal is None else literal[0]
            raise NotSupported("PRESIGN_LOCAL", path=path, span=call.span)
        if literal is not None:
            edits.append(Edit(call.span, _signed_now(volume, call, *literal)))
            continue
        signer = _signer(volume)
        context.session.spark().register_function(name, signer)
        # The path may be any expression: it stays where it is, as it was typed.
        first = call.volume.span
        assert first is not None
        seconds = "" if call.seconds is not None else f", {_SECONDS}"
        edits.append(Edit(call.name_span, name))
        edits.append(Edit(type(first)(first.start, call.path.span.start), ""))
        edits.append(Edit(type(first)(call.path.span.end, call.path.span.end), seconds))
    return edits


def _as_seen_from_outside(context: Context, volume: OpenVolume) -> OpenVolume:
    """With the setting, a volume whose endpoint is inside Alibaba's network at its public host."""
    wanted = context.session.settings.get(FORCE_EXTERNAL, "").lower() == "true"
    inside = volume.connection
    if not wanted or inside is None or inside.scheme is not Scheme.OSS or not inside.endpoint:
        return volume
    public = replace(inside, endpoint=inside.endpoint.replace("-internal.aliyuncs", ".aliyuncs"))
    return replace(volume, connection=public, store=open_store(volume.address, public))


def _literal_arguments(call: PresignedUrl) -> tuple[str, int] | None:
    """The path and the seconds where both are literals, so that no function has to run."""
    path, *more = tokenize(call.path.text)[:-1]
    if more or path.kind != "string":
        return None
    if call.seconds is None:
        return path.value, _SECONDS
    seconds, *more = tokenize(call.seconds.text)[:-1]
    return None if more or not seconds.text.isdecimal() else (path.value, int(seconds.text))


def _signed_now(volume: OpenVolume, call: PresignedUrl, path: str, seconds: int) -> str:
    try:
        return quote_literal(volume.store.presign(path, seconds=seconds))
    except HeadwaterError as error:
        error.span = call.span
        raise


def _signer(volume: OpenVolume) -> Callable[[str | None, int | None], str | None]:
    """Runs in Spark's Python workers, so it takes along plain data and opens the store there."""
    address, connection = volume.address, volume.connection
    if connection is not None and connection.role is not None:
        connection = StoreConnection(
            connection.scheme,
            endpoint=connection.endpoint,
            region=connection.region,
            app_id=connection.app_id,
            keys=keys_of(connection)(),
        )

    def sign(path: str | None, seconds: int | None) -> str | None:
        if path is None:
            return None
        store = open_store(address, connection)
        try:
            return store.presign(path, seconds=_SECONDS if seconds is None else int(seconds))
        except HeadwaterError as error:
            raise ValueError(error.message) from None

    return sign
