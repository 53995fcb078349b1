"""Telling a running Spark how to reach an object store: jars, endpoint and keys.

The settings are Hadoop's and belong to the process: of one bucket, all lakes of a process see the
keys that were given last. They are not settings of a session, so that no SET shows them.

Law: what is set for one bucket changes nothing for another. s3a has settings of buckets. Where a
driver has none, the bucket's client is made here, with settings of its own, and Hadoop gives it to
all who name the bucket in this JVM. Executors of a cluster make clients of their own and see the
settings that were given last, whatever the bucket.

Law: new keys, as a role has every hour, do not disturb who reads with the old ones.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from headwater.lake.in_jvm.classes import in_jvm
from headwater.lake.jars import jar_paths
from headwater.lake.shared_jars import jar_loader, share_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "headwater.jars."
_CLIENT_MARK = "headwater.client."
_NAMES_MARK = "headwater.settings."
_WITHOUT_SETTINGS_OF_BUCKETS = frozenset({"oss"})
# The old keys of a role end five minutes after it got new ones.
_LAST_READS_SECONDS = 600


def reach_store(
    context: Any, session: SparkSession, url: str, settings: Mapping[str, str], jar_set: str
) -> None:
    """Give Spark the jars and settings for `url`; costs nothing when it has them."""
    add_jar_set(context, session, jar_set)
    if jar_set in _WITHOUT_SETTINGS_OF_BUCKETS:
        _make_client(context, session, url, settings)
    else:
        _set_for_bucket(context, session, url, settings)


def _set_for_bucket(
    context: Any, session: SparkSession, url: str, settings: Mapping[str, str]
) -> None:
    hadoop = context._jsc.hadoopConfiguration()
    bucket = urlsplit(url).netloc
    known = hadoop.get(_NAMES_MARK + bucket) is not None
    if _tell(hadoop, bucket, settings) and known:
        # Hadoop keeps clients by bucket, with the settings they were made with.
        _renew_client(context, session, url, hadoop)


def _tell(hadoop: Any, whose: str, settings: Mapping[str, str]) -> bool:
    """Set these, and forget what else was set for the same before; whether that changes anything.

    A connection that says nothing of an endpoint means none, whatever the one before it said.
    """
    mark = _NAMES_MARK + whose
    gone = set((hadoop.get(mark) or "").split()) - settings.keys()
    changed = {name: value for name, value in settings.items() if hadoop.get(name) != value}
    for name in gone:
        hadoop.unset(name)
    for name, value in changed.items():
        hadoop.set(name, value)
    if gone or changed:
        hadoop.set(mark, " ".join(settings))
    return bool(gone or changed)


def _make_client(
    context: Any, session: SparkSession, url: str, settings: Mapping[str, str]
) -> None:
    """Have Hadoop keep a client for the bucket with these settings, and none with others."""
    hadoop = context._jsc.hadoopConfiguration()
    mark = _CLIENT_MARK + urlsplit(url).netloc
    # Of the settings, which hold secrets, only a digest is kept.
    digest = hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()
    if hadoop.get(mark) == digest:
        return
    if not context._jsc.sc().isLocal():
        _tell(hadoop, urlsplit(url).scheme, settings)
    own = context._jvm.org.apache.hadoop.conf.Configuration(hadoop)
    for name, value in settings.items():
        own.set(name, value)
    if hadoop.get(mark) is None:
        java = context._jvm
        java.org.apache.hadoop.fs.FileSystem.get(java.java.net.URI(url), own)
    else:
        _renew_client(context, session, url, own)
    hadoop.set(mark, digest)


def _renew_client(context: Any, session: SparkSession, url: str, hadoop: Any) -> None:
    """Have Hadoop make the bucket's client anew; the old one is closed when its reads are over."""
    bucket = context._jvm.java.net.URI(url)
    old = in_jvm(session, "StoreClients").renew(bucket, hadoop)
    last = threading.Timer(_LAST_READS_SECONDS, _close, [old])
    last.daemon = True
    last.start()


def _close(client: Any) -> None:
    # The JVM may be gone by now, and its clients with it.
    with suppress(Exception):
        client.close()


def add_jar_set(context: Any, session: SparkSession, jar_set: str) -> None:
    """Give a running Spark the jars of a set, once."""
    hadoop = context._jsc.hadoopConfiguration()
    if hadoop.get(_MARK + jar_set) is None:
        share_jars(session, jar_paths([jar_set]))
        hadoop.setClassLoader(jar_loader(session))
        hadoop.set(_MARK + jar_set, "added")
