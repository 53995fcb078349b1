"""Spark as tests want it: they read a handful of rows, and plan statements all the time.

All but the demonstration (tests/spark/test_cli_spark.py), which runs as a user's Spark does.
"""

from __future__ import annotations

from collections.abc import Mapping

# Sooner done than code for so few rows is generated and compiled.
_FEW_ROWS = {
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
}
_JVM = (
    "-XX:+UseSerialGC -Xmn400m"
    # Otherwise everything is collected a dozen times while Spark's classes are loaded.
    " -XX:MetaspaceSize=256m"
    # What the JVM keeps of compiled code if not told is filled by one .test file when there is one
    # compiler: from then on it throws methods away and compiles them again.
    " -XX:ReservedCodeCacheSize=400m"
)
_JAVA = "spark.driver.extraJavaOptions"

LASTING: Mapping[str, str] = {**_FEW_ROWS, _JAVA: _JVM}
"""For a JVM that runs hundreds of tests: the second compiler takes half a minute and gives back a
third of every minute that follows."""

SHORT: Mapping[str, str] = {**_FEW_ROWS, _JAVA: f"{_JVM} -XX:TieredStopAtLevel=1"}
"""For a JVM that ends with its test."""
