"""Telling a running Spark how to reach an object store: jars, endpoint and keys.

The settings are Hadoop's and belong to the process: of one bucket, all lakes of a process see the
keys that were given last. They are not settings of a session, so that no SET shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.lake.jars import jar_paths

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "headwater.jars."


def reach_store(
    context: Any, session: SparkSession, url: str, settings: Mapping[str, str], jar_set: str
) -> None:
    """Give Spark the jars and settings for `url`; costs nothing when it has them."""
    add_jar_set(context, session, jar_set)
    hadoop = context._jsc.hadoopConfiguration()
    changed = {name: value for name, value in settings.items() if hadoop.get(name) != value}
    if not changed:
        return
    known = any(hadoop.get(name) is not None for name in changed)
    for name, value in changed.items():
        hadoop.set(name, value)
    if known:
        # Hadoop keeps clients by bucket, with the settings they were made with.
        java = context._jvm
        java.org.apache.hadoop.fs.FileSystem.get(java.java.net.URI(url), hadoop).close()


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
