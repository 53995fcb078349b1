"""Which settings Spark starts with, on one machine and on a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.config import Config
from headwater.lake.engine_settings import context_settings

LISTING = "spark.sql.sources.parallelPartitionDiscovery.parallelism"


def settings(master: str, **conf: str) -> dict[str, str]:
    config = Config(spark_master=master, spark_conf=conf)
    return context_settings(config, scratch=Path("/scratch"))


@pytest.mark.parametrize(("master", "tasks"), [("local[3]", 12), ("spark://host:7077", 128)])
def test_listing_takes_few_tasks_everywhere(master, tasks):
    """Delta's VACUUM starts as many as it may, and Spark allows 10,000."""
    assert settings(master)[LISTING] == str(tasks)


def test_a_cluster_is_reached_as_its_settings_say():
    assert settings("local[2]")["spark.driver.host"] == "127.0.0.1"
    found = settings("spark://host:7077", **{LISTING: "500", "spark.driver.host": "me"})
    assert found["spark.driver.host"] == "me"
    assert found[LISTING] == "500"
    assert "spark.driver.host" not in settings("spark://host:7077")


def test_commits_on_a_local_disk_are_written_by_what_is_made_for_it():
    log = "spark.delta.logStore.file.impl"
    assert settings("local[2]")[log] == "io.delta.storage.LocalLogStore"
    assert log not in settings("spark://host:7077")
    checksums = "spark.sql.streaming.checkpointFileManagerClass"
    assert checksums in settings("local[2]")
    on_a_store = Config(spark_master="local[2]", tables_location="s3://bucket/tables")
    assert checksums not in context_settings(on_a_store, scratch=Path("/scratch"))


def test_what_spark_compiles_is_kept_for_many_queries_unless_told_otherwise():
    kept = "spark.sql.codegen.cache.maxEntries"
    assert int(settings("local[2]")[kept]) > 1000
    assert settings("local[2]", **{kept: "100"})[kept] == "100"
