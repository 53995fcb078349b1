"""Classes of the JVM by their full names, without a call.

py4j finds `jvm.org.apache.spark.X` dot by dot: each is a call, for which the JVM looks through all
jars for a class of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def java_class(session: SparkSession, name: str) -> Any:
    """A class, whose static methods can be called and which makes objects when called itself."""
    from py4j.java_gateway import JavaClass

    gateway: Any = session.sparkContext._gateway
    return JavaClass(name, gateway._gateway_client)
