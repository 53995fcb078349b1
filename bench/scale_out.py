"""The layers of `medallion` on a cluster of two workers with tables on S3, beside local mode.

A standalone master, two workers with one core each and SeaweedFS run on this machine, so there are
no more cores than in local mode: what is seen is what sending work and rows around costs, and that
every table has the same rows. Each way is a process of its own; both refresh all tables once to
fill them and then after each batch of changes, and verify every table.
HEADWATER_BENCH_SCALE_OUT_ROWS is how many orders there are, HEADWATER_BENCH_SCALE_OUT_BATCHES how
many batches.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tests.seaweedfs import KEYS, REGION, SeaweedServer, running_seaweedfs
from tests.spark_cluster import SparkCluster, running_cluster

from bench.outcome import Findings, Outcome, shown
from bench.scratch import ROOT, Scratch

ROWS = int(os.environ.get("HEADWATER_BENCH_SCALE_OUT_ROWS", "100000"))
BATCHES = int(os.environ.get("HEADWATER_BENCH_SCALE_OUT_BATCHES", "2"))


@dataclass(frozen=True, slots=True)
class Run:
    """The seconds of filling the tables and of each batch, and a digest of each table's rows."""

    seconds: tuple[float, ...]
    digests: Mapping[str, str]


def run(scratch: Scratch) -> Findings:
    """Both ways, one after the other."""
    local = _one_run(scratch, "local", {})
    scratch.say(f"local mode: {shown(sum(local.seconds))}")
    with running_seaweedfs() as server, running_cluster(memory="2g") as cluster:
        remote = _one_run(scratch, "cluster", _environment(server, cluster))
    scratch.say(f"two workers, tables on S3: {shown(sum(remote.seconds))}")
    same = [name for name, digest in local.digests.items() if remote.digests.get(name) == digest]
    equal = Outcome(
        f"{len(local.digests)} tables over {ROWS:,} orders: the same rows",
        f"{len(same)} tables",
        f"{len(local.digests)} tables",
        "the same" if len(same) == len(local.digests) else "not the same",
        "the same",
        len(same) == len(local.digests),
    )
    times = [
        _beside(number, one, other)
        for number, (one, other) in enumerate(zip(remote.seconds, local.seconds, strict=True))
    ]
    other = [
        f"{name}: {remote.digests.get(name)} on the cluster, {digest} in local mode"
        for name, digest in local.digests.items()
        if name not in same
    ]
    return Findings((equal, *times), tuple(other))


def _beside(number: int, cluster: float, local: float) -> Outcome:
    """There is no target for the time: it is printed beside that of local mode."""
    what = "filling all tables" if number == 0 else f"batch {number}"
    ratio = f"{cluster / local:.2f}x"
    return Outcome(
        f"two workers beside local mode, {what}", shown(cluster), shown(local), ratio, "none", True
    )


def _environment(server: SeaweedServer, cluster: SparkCluster) -> dict[str, str]:
    return {
        "HEADWATER_SPARK_MASTER": cluster.master,
        "HEADWATER_SPARK_CONF": json.dumps(
            {**cluster.settings, "spark.sql.shuffle.partitions": str(cluster.workers)}
        ),
        "HEADWATER_TABLES_LOCATION": f"s3://{server.create_bucket()}/lake/",
        "HEADWATER_TABLES_ENDPOINT": server.endpoint,
        "HEADWATER_TABLES_REGION": REGION,
        "HEADWATER_TABLES_ACCESS_KEY": KEYS.access_key,
        "HEADWATER_TABLES_SECRET_KEY": KEYS.secret_key,
    }


def _one_run(scratch: Scratch, name: str, environment: Mapping[str, str]) -> Run:
    command = [sys.executable, "-m", "bench.layers.one_run", str(scratch.folder / f"scale-{name}")]
    done = subprocess.run(
        [*command, str(ROWS), str(BATCHES)],
        env={**os.environ, **environment},
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return Run(tuple(found["seconds"]), found["digests"])
