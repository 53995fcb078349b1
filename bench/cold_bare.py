"""Child of `cold_select`: what a careful person writes without Headwater; prints its steps."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    """Start a session, run one query, stop."""
    started = time.perf_counter()
    given = json.loads(sys.argv[1])
    os.environ["JAVA_HOME"] = given["java"]
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    imported = time.perf_counter()
    builder = SparkSession.builder
    for key, value in given["spark"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    ready = time.perf_counter()
    rows = spark.sql(given["query"]).collect()
    answered = time.perf_counter()
    assert rows[0][0] == 1000
    steps = {
        "imports": imported - started,
        "Spark": ready - imported,
        "SELECT": answered - ready,
    }
    print(json.dumps(steps), flush=True)
    gateway: Any = spark.sparkContext._gateway
    jvm: int = gateway.proc.pid
    spark.stop()
    # PySpark leaves its JVM behind to end by itself, so nobody else can count this.
    print(json.dumps({"cpu": sum(os.times()[:2]) + _cpu_of(jvm)}), flush=True)


def _cpu_of(process: int) -> float:
    """CPU seconds of a running process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


main()
