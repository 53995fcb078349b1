"""The Java classes of this folder in the running JVM, compiled by Janino, which Spark brings along.

No compiler has to be installed, a class may extend Delta's, and what takes dozens of calls from
Python, each with its answer, takes one.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FOLDER = Path(__file__).parent
_ONE_AT_A_TIME = threading.Lock()
_IMPORT = re.compile(r"^import ([\w.$]+);$", re.MULTILINE)


def in_jvm(session: SparkSession, name: str) -> Any:
    """The one object of a class of ours, whose methods can be called."""
    gateway: Any = session.sparkContext._gateway
    # py4j takes classes of one name for the same, so they must not be compiled twice.
    with _ONE_AT_A_TIME:
        return _objects(gateway, name)


@lru_cache
def _objects(gateway: Any, name: str) -> Any:
    return instance(gateway, _loader(gateway), name)


def instance(gateway: Any, loader: Any, name: str) -> Any:
    """An object of a class of ours that this loader finds."""
    made = loader.loadClass(f"headwater.{name}").getConstructors()[0]
    return made.newInstance(gateway.new_array(gateway.jvm.java.lang.Object, 0))


@lru_cache(maxsize=1)
def _loader(gateway: Any) -> Any:
    """Of all classes; a process has one JVM."""
    java = gateway.jvm
    compiler = java.org.codehaus.janino.SimpleCompiler()
    # Delta's jars may be unknown to the loader of the compiler itself.
    here = java.java.lang.Thread.currentThread().getContextClassLoader()
    delta = java.java.lang.Class.forName("org.apache.spark.sql.delta.DeltaLog", True, here)
    compiler.setParentClassLoader(delta.getClassLoader())
    compiler.cook(source(_FOLDER))
    return compiler.getClassLoader()


def source(folder: Path) -> str:
    """All classes of a folder as one text: those that use each other are compiled together."""
    texts = [path.read_text() for path in sorted(folder.glob("*.java"))]
    imports = sorted({found for text in texts for found in _IMPORT.findall(text)})
    bodies = [_IMPORT.sub("", text).replace("package headwater;", "") for text in texts]
    heads = ["package headwater;", *(f"import {name};" for name in imports)]
    return "\n".join([*heads, *bodies])
