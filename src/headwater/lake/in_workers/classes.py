"""The Java classes of this folder in the running JVM and in those of its workers.

What a task reads a file with is sent to it, and its class has to be there. So the classes, compiled
as those of `in_jvm`, become a jar, which Spark hands on as it does any other.
"""

from __future__ import annotations

import threading
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.lake.in_jvm.classes import instance, source
from headwater.lake.shared_jars import jar_loader, share_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FOLDER = Path(__file__).parent
_JAR = "headwater-in-workers.jar"
_ONE_AT_A_TIME = threading.Lock()


def in_workers(session: SparkSession, name: str) -> Any:
    """The one object of a class of ours that makes what Spark sends to its tasks."""
    gateway: Any = session.sparkContext._gateway
    # A loader that has found a class keeps it, so there must be one jar that has it.
    with _ONE_AT_A_TIME:
        if gateway not in _loaders:
            share_jars(session, [_jar(session)])
            _loaders.clear()
            _loaders[gateway] = jar_loader(session)
        return _objects(gateway, name)


_loaders: dict[Any, Any] = {}
"""The loader that finds the classes; a process has one JVM."""


@lru_cache
def _objects(gateway: Any, name: str) -> Any:
    return instance(gateway, _loaders[gateway], name)


def _jar(session: SparkSession) -> Path:
    """The compiled classes as a file, which is gone when Spark ends."""
    java: Any = session._jvm
    compiler = java.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jar_loader(session))
    compiler.cook(source(_FOLDER))
    path = Path(session.sparkContext._temp_dir) / _JAR
    with zipfile.ZipFile(path, "w") as jar:
        for name, code in compiler.getBytecodes().items():
            jar.writestr(f"{name.replace('.', '/')}.class", bytes(code))
    return path
