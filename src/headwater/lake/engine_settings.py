"""Which Spark settings a lake starts with, and why; `[spark.conf]` overrides any of them."""

from __future__ import annotations

import os
from pathlib import Path

from headwater.config import Config, is_local

_GIGABYTE = 1024**3
# Delta's usual way of writing a commit is made for HDFS: on a local disk it runs `readlink`, a
# process, eight times for the commit and eight times for its checksum. These write beside and
# rename as well, and run none.
_LOCAL_LOG = {"spark.delta.logStore.file.impl": "io.delta.storage.LocalLogStore"}
_LOCAL_CHECKSUMS = {
    "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution.streaming"
    ".checkpointing.FileSystemBasedCheckpointFileManager"
}


def context_settings(config: Config, *, scratch: Path) -> dict[str, str]:
    """Settings of the Spark context, fixed when it starts."""
    local = is_local(config.spark_master)
    settings = {
        "spark.master": config.spark_master,
        "spark.app.name": "headwater",
        "spark.submit.deployMode": "client",
        # Nothing on the terminal and no web page unless asked.
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Statements of several connections share the cores instead of queueing behind each other.
        "spark.scheduler.mode": "FAIR",
        "spark.locality.wait": "0s",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalogImplementation": "in-memory",
        # What Spark compiles for a query it keeps for the next: by default for 100 pieces of all
        # queries together, so that a dozen dynamic tables would compile each other's away.
        "spark.sql.codegen.cache.maxEntries": "3000",
        # Tables live where our catalog says; Spark only needs a place for empty database folders.
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        **session_defaults(config),
    }
    if local:
        memory = config.spark_driver_memory or _default_memory()
        # Local mode talks to itself: no other machine may reach its ports.
        settings |= {
            "spark.driver.memory": memory,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            **_LOCAL_LOG,
        }
        if config.tables_location is None:
            settings |= _LOCAL_CHECKSUMS
    elif config.spark_driver_memory:
        settings["spark.driver.memory"] = config.spark_driver_memory
    return settings | dict(config.spark_conf)


def session_defaults(config: Config) -> dict[str, str]:
    """Settings every session of the lake starts with; SET changes them for one session."""
    return {
        **_many_files(config),
        "spark.sql.session.timeZone": config.time_zone,
        # Small work: a Delta snapshot read in one task, shuffles no wider than the machine.
        "spark.databricks.delta.snapshotPartitions": "1",
        # Delta would list all files of a small table beside each commit: nothing reads that list,
        # and for a new table it takes a Spark job to find that there are none.
        "spark.databricks.delta.allFilesInCrc.enabled": "false",
        "spark.sql.shuffle.partitions": str(_cores(config.spark_master)),
        # Monotonic commit times make TIMESTAMP AS OF exact.
        "spark.databricks.delta.properties.defaults.enableInCommitTimestamps": "true",
        # Deletes and updates mark rows instead of rewriting whole files.
        "spark.databricks.delta.properties.defaults.enableDeletionVectors": "true",
        "spark.databricks.delta.properties.defaults.checkpointInterval": "100",
        "spark.sql.sources.default": "delta",
        # Spark would replace ${..} even inside string literals.
        "spark.sql.variable.substitute": "false",
        "spark.sql.legacy.createHiveTableByDefault": "false",
        # For each query Spark writes its plan down for its web page, in full; ours has none.
        "spark.sql.ui.explainMode": "simple",
        # A job's profile finds the tables it read by their folders, which plans would cut short.
        "spark.sql.maxMetadataStringLength": "1000",
    }


def _many_files(config: Config) -> dict[str, str]:
    """Thousands of small files: Spark would look at them in thousands of tasks.

    On one machine a task costs more than opening a file, so few tasks take many files each. Of
    listing, also on a cluster: Delta's VACUUM always starts as many tasks as are allowed here,
    and Spark's own 10,000 take two minutes on two cores.
    """
    tasks = str(4 * _cores(config.spark_master))
    settings = {"spark.sql.sources.parallelPartitionDiscovery.parallelism": tasks}
    if is_local(config.spark_master):
        settings["spark.sql.files.openCostInBytes"] = str(128 * 1024)
    return settings


def _cores(master: str) -> int:
    """The width of a local master; on a cluster Spark's own default of 200 is too many to start."""
    inside = master.partition("[")[2].rstrip("]")
    if is_local(master):
        width = inside.split(",")[0]
        return int(width) if width.isdigit() else (os.cpu_count() or 1) if width else 1
    return 32


def _default_memory() -> str:
    """A quarter of the machine's memory, between 1 and 8 GB."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        total = 4 * _GIGABYTE
    return f"{min(8, max(1, total // 4 // _GIGABYTE))}g"
