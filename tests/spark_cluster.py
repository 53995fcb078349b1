"""A Spark standalone cluster for tests and benchmarks: a master and workers on loopback.

Invariant: it never outlives its tests, as `seaweedfs`. Where the tests run as root the workers run
as another user, who sees neither the folder of the lake nor anything else of the driver's.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from headwater.lake.java import find_java

_STOP_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_PATIENCE_SECONDS = 60
_OTHER_USER = "nobody"
# Daemons do next to nothing; they should not take the memory of those who work.
_JAVA = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True, slots=True)
class SparkCluster:
    """A running cluster."""

    port: int
    workers: int
    home: Path

    @property
    def master(self) -> str:
        """What `spark_master` is set to."""
        return f"spark://127.0.0.1:{self.port}"

    @property
    def settings(self) -> dict[str, str]:
        """What `spark_conf` needs for it: one executor with one core on each worker."""
        return {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.cores": "1",
            "spark.cores.max": str(self.workers),
        }


@contextmanager
def running_cluster(*, workers: int = 2, memory: str = "1g") -> Iterator[SparkCluster]:
    """Starts a cluster, and stops and removes it at the end."""
    home = Path(tempfile.mkdtemp(prefix="headwater-cluster-"))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        owner = _other_user()
        if owner is not None:
            shutil.chown(home, owner)
        home.chmod(0o755)
        port, page = _free_ports(2)
        arguments = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page)]
        processes.append(_start(home, "master", owner, arguments))
        _wait_for(home / "master.log", "I have been elected leader", processes)
        cluster = SparkCluster(port, workers, home)
        for number in range(workers):
            folder = home / f"worker{number}"
            arguments = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1"]
            arguments += ["--memory", memory, "--work-dir", str(folder), cluster.master]
            processes.append(_start(home, f"worker{number}", owner, arguments))
        for number in range(workers):
            log = home / f"worker{number}.log"
            _wait_for(log, "Successfully registered with master", processes)
        yield cluster
    finally:
        for process in processes:
            process.kill()
            process.wait(timeout=10)
        shutil.rmtree(home, ignore_errors=True)


def _other_user() -> str | None:
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(_OTHER_USER).pw_name
    except KeyError:
        return None


def _start(
    home: Path, name: str, owner: str | None, arguments: list[str]
) -> subprocess.Popen[bytes]:
    folder = home / name
    folder.mkdir()
    if owner is not None:
        shutil.chown(folder, owner)
    spark = Path(pyspark.__file__).parent
    kind = "master.Master" if name == "master" else "worker.Worker"
    command = [str(find_java().home / "bin" / "java"), *_JAVA, "-cp", f"{spark}/jars/*"]
    command += [f"org.apache.spark.deploy.{kind}", *arguments]
    # Nothing of the tests' own environment: a worker is another machine.
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "JAVA_HOME": str(find_java().home),
        "SPARK_HOME": str(spark),
        # What the shell scripts of a distribution set; the installed package has a part of them.
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "PYSPARK_PYTHON": sys.executable,
    }
    with (home / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            user=owner,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=_stop_with_parent,
        )


def _stop_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_STOP_WITH_PARENT, signal.SIGKILL)


def _wait_for(log: Path, words: str, processes: list[subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while words not in (said := log.read_text(errors="replace")):
        if time.monotonic() > deadline or any(one.poll() is not None for one in processes):
            raise RuntimeError(f"the cluster did not start: {said[-4000:]}")
        time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        # All held at the same time, so that none is given twice.
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
