"""Reading the messages by which stores tell about objects; pure.

Messages come from outside and may hold anything. Law: whatever the text, the result is a list of
events or `MalformedMessage`.

The clouds spell keys differently. S3 encodes them like a form ('+' is a blank, '%2F' a slash) in
its own messages, and leaves them as they are in those of EventBridge. OSS's documents do not say;
Alibaba's own samples hand the key to its client as it came, so it is taken as it is.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_plus

from headwater.errors import UserError
from headwater.storage.addresses import Scheme, StoreAddress, checked_path

_MOST_CHARACTERS = 1 << 20
# OSS calls these "created" too, but there is no object yet.
_PARTS = frozenset({"InitiateMultipartUpload", "UploadPart", "UploadPartCopy"})
_REPLICAS = frozenset({"ObjectReplication:ObjectCreated", "ObjectReplication:ObjectModified"})


class MalformedMessage(ValueError):
    """The message is not one that the store sends; the text says why."""


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """Something happened to an object; only if it was `created` is there a file to load."""

    bucket: str
    key: str
    size: int | None
    etag: str | None
    created: bool


def objects_in(body: str, *, source: Scheme) -> list[ObjectEvent]:
    """The events of a message that `source` sent; a message that only tests the way has none.

    >>> objects_in('{"Service": "Amazon S3", "Event": "s3:TestEvent"}', source=Scheme.S3)
    []
    """
    if len(body) > _MOST_CHARACTERS:
        raise MalformedMessage("it is longer than 1 MiB")
    message = _message(body, source)
    if source is Scheme.OSS:
        return [_of_oss(event) for event in _list(message, "events")]
    if message.get("Event") == "s3:TestEvent":
        return []
    if "detail-type" in message:
        return [_of_event_bridge(message)]
    return [_of_s3(record) for record in _list(message, "Records")]


def path_below(event: ObjectEvent, address: StoreAddress) -> str | None:
    """The event's file as the store at `address` names it, or None if it has no such file.

    Other buckets and folders, marks of folders, and names that no volume can hold are None.
    """
    if event.bucket != address.bucket or not event.key.startswith(address.prefix):
        return None
    try:
        return checked_path(event.key[len(address.prefix) :])
    except UserError:
        return None


def _plain(body: str) -> str:
    """MNS has the text in base64 or as it is, depending on how the rule was made."""
    text = body.strip()
    if text.startswith("{"):
        return text
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except ValueError:
        raise MalformedMessage("it is neither JSON nor base64") from None


def _json(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedMessage("it is not JSON") from None
    if not isinstance(found, dict):
        raise MalformedMessage("it is no JSON object")
    return found


def _message(body: str, source: Scheme) -> dict[str, object]:
    """The message, or what a topic (SNS, or one of MNS) passed on; a topic has no topics."""
    plain = _plain if source is Scheme.OSS else str
    message = _json(plain(body))
    inner = message.get("Message")
    of_topic = message.get("Type") == "Notification" or "TopicName" in message
    return _json(plain(inner)) if of_topic and isinstance(inner, str) else message


def _of_s3(record: object) -> ObjectEvent:
    about = _object(record, "s3")
    name = _text(record, "eventName").removeprefix("s3:")
    thing = _object(about, "object")
    try:
        key = unquote_plus(_text(thing, "key"), errors="strict")
    except UnicodeDecodeError:
        raise MalformedMessage("a key is not UTF-8 text") from None
    created = name.startswith("ObjectCreated:")
    return _event(_object(about, "bucket"), thing, key, "eTag", created=created)


def _of_event_bridge(message: dict[str, object]) -> ObjectEvent:
    detail = _object(message, "detail")
    thing = _object(detail, "object")
    created = message["detail-type"] == "Object Created"
    return _event(_object(detail, "bucket"), thing, _text(thing, "key"), "etag", created=created)


def _of_oss(event: object) -> ObjectEvent:
    about = _object(event, "oss")
    name = _text(event, "eventName")
    group, _, action = name.partition(":")
    thing = _object(about, "object")
    created = (group == "ObjectCreated" and action not in _PARTS) or name in _REPLICAS
    return _event(_object(about, "bucket"), thing, _text(thing, "key"), "eTag", created=created)


def _event(
    bucket: Mapping[str, object],
    thing: Mapping[str, object],
    key: str,
    etag_name: str,
    *,
    created: bool,
) -> ObjectEvent:
    size, etag = thing.get("size"), thing.get(etag_name)
    try:
        key.encode()
    except UnicodeEncodeError:
        raise MalformedMessage("a key is not valid Unicode") from None
    return ObjectEvent(
        _text(bucket, "name"),
        key,
        # Both are hints: an event without them still names a file.
        size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        etag.strip('"') or None if isinstance(etag, str) else None,
        created,
    )


def _list(found: Mapping[str, object], name: str) -> list[object]:
    inner = found.get(name)
    if not isinstance(inner, list):
        raise MalformedMessage(f"it has no list {name}")
    return inner


def _object(found: object, name: str) -> dict[str, object]:
    inner = found.get(name) if isinstance(found, dict) else None
    if not isinstance(inner, dict):
        raise MalformedMessage(f"an event has no object {name}")
    return inner


def _text(found: object, name: str) -> str:
    inner = found.get(name) if isinstance(found, dict) else None
    if not isinstance(inner, str) or not inner:
        raise MalformedMessage(f"an event has no text {name}")
    return inner
