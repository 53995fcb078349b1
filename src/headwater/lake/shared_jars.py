"""Jars for a Spark that runs already: its driver, its sessions and its workers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def jar_loader(session: SparkSession) -> Any:
    """The loader that stands above those of the driver, of its sessions and of local tasks.

    If each loaded the classes by itself, an object made by one would be foreign to another.
    """
    return session._jsparkSession.sharedState().jarClassLoader().getParent()


def share_jars(session: SparkSession, paths: Iterable[Path]) -> None:
    """Let all of them find the classes of these jars."""
    java: Any = session._jvm
    context = session.sparkContext._jsc.sc()
    loader, is_local = jar_loader(session), context.isLocal()
    for path in paths:
        loader.addURL(java.java.io.File(str(path)).toURI().toURL())
        if not is_local:
            context.addJar(str(path))
