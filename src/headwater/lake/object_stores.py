"""Telling a running Spark how to reach an object store: jars, endpoint and keys.

The settings are Hadoop's and belong to the process: of one bucket, all lakes of a process see the
keys that were given last. They are not settings of a session, so that no SET shows them.

Law: what is set for one bucket changes nothing for another. s3a has settings of buckets. Where a
driver has none, the bucket's client is made here, with settings of its own, and Hadoop gives it to
all who name the bucket in this JVM. Executors of a cluster make clients of their own and see the
settings that were given last, whatever the bucket.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from headwater.lake.jars import jar_paths

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "headwater.jars."
_CLIENT_MARK = "headwater.client."
_WITHOUT_SETTINGS_OF_BUCKETS = frozenset({"oss"})


def reach_store(
    context: Any, session: SparkSession, url: str, settings: Mapping[str, str], jar_set: str
) -> None:
    """Give Spark the jars and settings for `url`; costs nothing when it has them."""
    add_jar_set(context, session, jar_set)
    if jar_set in _WITHOUT_SETTINGS_OF_BUCKETS:
        _make_client(context, url, settings)
    else:
        _set_for_bucket(context, url, settings)


def _set_for_bucket(context: Any, url: str, settings: Mapping[str, str]) -> None:
    hadoop = context._jsc.hadoopConfiguration()
    changed = {name: value for name, value in settings.items() if hadoop.get(name) != value}
    if not changed:
        return
    known = any(hadoop.get(name) is not None for name in changed)
    for name, value in changed.items():
        hadoop.set(name, value)
    if known:
        # Hadoop keeps clients by bucket, with the settings they were made with.
        _client(context, url, hadoop).close()


def _make_client(context: Any, url: str, settings: Mapping[str, str]) -> None:
    """Have Hadoop keep a client for the bucket with these settings; one with others is closed."""
    hadoop = context._jsc.hadoopConfiguration()
    mark = _CLIENT_MARK + urlsplit(url).netloc
    # Of the settings, which hold secrets, only a digest is kept.
    digest = hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()
    if hadoop.get(mark) == digest:
        return
    if hadoop.get(mark) is not None:
        _client(context, url, hadoop).close()
    own = context._jvm.org.apache.hadoop.conf.Configuration(hadoop)
    for name, value in settings.items():
        own.set(name, value)
        if not context._jsc.sc().isLocal():
            hadoop.set(name, value)
    _client(context, url, own)
    hadoop.set(mark, digest)


def _client(context: Any, url: str, hadoop: Any) -> Any:
    """The client that Hadoop keeps for a bucket, made with these settings if there is none."""
    java = context._jvm
    return java.org.apache.hadoop.fs.FileSystem.get(java.java.net.URI(url), hadoop)


def add_jar_set(context: Any, session: SparkSession, jar_set: str) -> None:
    """Give a running Spark the jars of a set, once."""
    hadoop = context._jsc.hadoopConfiguration()
    if hadoop.get(_MARK + jar_set) is None:
        _add_jars(context, session, jar_set)
        hadoop.set(_MARK + jar_set, "added")


def _add_jars(context: Any, session: SparkSession, jar_set: str) -> None:
    """To the loader that stands above those of the driver, of its sessions and of local tasks.

    If each loaded the classes by itself, a store opened by one would be no store to another.
    """
    java = context._jvm
    loader = session._jsparkSession.sharedState().jarClassLoader().getParent()
    is_local = context._jsc.sc().isLocal()
    for path in jar_paths([jar_set]):
        loader.addURL(java.java.io.File(str(path)).toURI().toURL())
        if not is_local:
            context._jsc.sc().addJar(str(path))
    context._jsc.hadoopConfiguration().setClassLoader(loader)
