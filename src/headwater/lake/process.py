"""The one Spark of this process: started on first use, quiet, gone with the process.

Spark allows one context per JVM and PySpark one JVM per process, so this module holds the only
global state of the package: that context, or the JVM that waits for it. Lakes opened in one process
share it and still do not see each other, because each gets a root session with a catalog of its own
(see `engine.py`).
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.config import is_local
from headwater.errors import TransientError, UserError
from headwater.lake.class_archive import archive_option
from headwater.lake.jars import jar_paths
from headwater.lake.java import find_java
from headwater.lake.pools import Pools

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext


@dataclass(frozen=True, slots=True)
class _Jvm:
    """A JVM in which Spark is to be started, and the settings it was made for."""

    gateway: Any
    conf: SparkConf
    settings: Mapping[str, str]


_lock = threading.Lock()
_context: SparkContext | None = None
_waiting: _Jvm | None = None
_static: dict[str, str] = {}
_pools = Pools()

_LOG4J = Path(__file__).with_name("log4j2.properties")
_ENDING_SECONDS = 10
_LAST_WORDS = 2000
_ROOM = "ReservedCodeCacheSize"


def running() -> bool:
    """Whether Spark has been started in this process."""
    return _context is not None


def is_running(context: SparkContext) -> bool:
    """Whether this is the context of the process, and not one that was stopped since."""
    return context is _context


def spark_context(settings: Mapping[str, str], *, log_file: Path) -> SparkContext:
    """The context, started with `settings` if this is the first call.

    A later call with another master is refused: Spark cannot have two in one process.
    """
    global _context
    with _lock:
        if _context is None:
            _context = _start(settings, log_file)
            _static.update(settings)
            atexit.register(stop)
        elif settings["spark.master"] != _static["spark.master"]:
            raise UserError(
                "SPARK_MASTER_DIFFERS",
                running=_static["spark.master"],
                wanted=settings["spark.master"],
            )
        return _context


def lost(*, within: float = 0.0) -> bool:
    """Whether the JVM of Spark has ended though nobody told it to, now or in some seconds."""
    context = _context
    process = None if context is None else getattr(context._gateway, "proc", None)
    return process is not None and _has_ended(process, within)


def jvm(settings: Mapping[str, str], *, log_file: Path) -> Any:
    """The JVM in which Spark will be started with `settings`; None if Spark runs already."""
    global _waiting
    with _lock:
        if _context is not None:
            return None
        if not _fits(_waiting, settings):
            _end_waiting()
            _waiting = _launch(settings, log_file)
            _introduce(_waiting)
            atexit.register(stop)
        assert _waiting is not None
        return _waiting.gateway


def ensure_pool(name: str, weight: int) -> None:
    """Have a pool of that name and weight in the scheduler of the context, which must run."""
    _pools.ensure(_context, name, weight)


def stop() -> None:
    """End Spark and its JVM; the next use starts a new one."""
    end_slowly(_ENDING_SECONDS)


def end_slowly(seconds: float) -> None:
    """End Spark as `stop` does, but give the JVM that long for what it does when it ends."""
    global _context, _pools
    with _lock:
        context, _context = _context, None
        _static.clear()
        _pools = Pools()
        if context is None:
            _end_waiting()
            return
        gateway: Any = context._gateway
        _quietly(context.stop)
        _end_jvm(gateway, seconds)


def _fits(found: _Jvm | None, settings: Mapping[str, str]) -> bool:
    """Whether there is a JVM, with these settings, that has not died."""
    if found is None or found.settings != settings:
        return False
    process = getattr(found.gateway, "proc", None)
    return process is None or not _has_ended(process, 0.0)


def _has_ended(process: Any, within: float) -> bool:
    try:
        process.wait(timeout=within)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end_waiting() -> None:
    """End a JVM in which Spark was not started."""
    global _waiting
    found, _waiting = _waiting, None
    if found is not None:
        _end_jvm(found.gateway, _ENDING_SECONDS)


def _end_jvm(gateway: Any, seconds: float) -> None:
    _quietly(gateway.shutdown)
    process = getattr(gateway, "proc", None)
    if process is not None:
        # The JVM ends when the pipe on its standard input closes; killing is the last resort.
        _quietly(process.stdin.close)
        try:
            process.wait(timeout=seconds)
        except Exception:
            process.kill()
    _forget_context()


def _quietly(step: Any) -> None:
    """A step of the shutdown must not keep the next one from happening."""
    try:
        step()
    except Exception:
        logging.getLogger(__name__).debug("spark shutdown step failed", exc_info=True)


def _forget_context() -> None:
    from pyspark import SparkContext

    SparkContext._gateway = None
    SparkContext._jvm = None


def _introduce(found: _Jvm) -> None:
    """PySpark turns exceptions of the JVM into its own only if it knows the JVM."""
    from pyspark import SparkContext

    SparkContext._ensure_initialized(gateway=found.gateway, conf=found.conf)


def _start(settings: Mapping[str, str], log_file: Path) -> SparkContext:
    global _waiting
    if not _fits(_waiting, settings):
        _end_waiting()
    found, _waiting = _waiting or _launch(settings, log_file), None
    gateway = found.gateway
    from pyspark import SparkContext

    try:
        return SparkContext(conf=found.conf, gateway=gateway)
    except BaseException as error:
        # Java's own words, as long as there is a Java to ask.
        problem = _java_problem(error)
        gateway.shutdown()
        if getattr(gateway, "proc", None) is not None:
            gateway.proc.kill()
        _forget_context()
        master = settings["spark.master"]
        if problem is None or is_local(master):
            raise
        raise TransientError("CLUSTER_UNAVAILABLE", master=master, problem=problem) from None


def _launch(settings: Mapping[str, str], log_file: Path) -> _Jvm:
    java = find_java()
    paths = [str(path) for path in jar_paths(["delta"])]
    jars = ":".join(paths)
    from pyspark import SparkConf
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    # PySpark logs every failed statement with its Java trace as JSON on standard error.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL + 1)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_not_of_py4j)
    os.environ["JAVA_HOME"] = str(java.home)
    if is_local(settings["spark.master"]):
        # Spark looks up the machine's own name before it reads any setting, and dies if that fails.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # Functions run in this Python, which has our packages; `python3` may be another one.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf(loadDefaults=False)
    for key, value in settings.items():
        conf.set(key, value)
    own = conf.get("spark.driver.extraClassPath", "")
    conf.set("spark.driver.extraClassPath", f"{jars}:{own}" if own else jars)
    if not is_local(settings["spark.master"]):
        # Workers get the jars from the driver.
        theirs = conf.get("spark.jars", "")
        conf.set("spark.jars", ",".join([*filter(None, [theirs]), *paths]))
    options = conf.get("spark.driver.extraJavaOptions", "") or ""
    kept = archive_option(java.home, paths, options)
    ours = f"{room_for_code(options)} {kept} -Dlog4j2.configurationFile={_LOG4J.as_uri()}"
    conf.set("spark.driver.extraJavaOptions", f"{options} {ours}")
    log_file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with log_file.open("wb") as log:
            gateway = launch_gateway(conf, popen_kwargs={"stdout": log, "stderr": log})
    except PySparkRuntimeError as error:
        said = log_file.read_text(encoding="utf-8", errors="replace")[-_LAST_WORDS:]
        raise UserError("SPARK_NOT_STARTED", log=log_file, detail=said) from error
    return _Jvm(gateway, conf, dict(settings))


def _not_of_py4j(record: logging.LogRecord) -> bool:
    """py4j tells the root logger of a JVM that ended, with its trace; the statement says it too."""
    return "py4j" not in Path(record.pathname).parts


def room_for_code(options: str) -> str:
    """The JVM's option for what it compiles; empty if `options` have one of their own.

    Spark keeps the classes it made for thousands of queries, and what the JVM compiled of them goes
    with the class: the room that one compiler has by default was full after the demonstration. The
    JVM then fails whatever runs next. The room is reserved, not used.
    """
    return "" if _ROOM in options else f"-XX:{_ROOM}=512m"


def cluster_lost(error: Exception, master: str) -> TransientError | None:
    """The error for a cluster that gave the application up while it started; None for others."""
    problem = _java_problem(error)
    if problem is None or is_local(master):
        return None
    # A context that was stopped is of no use to anybody: the next statement makes another.
    stop()
    return TransientError("CLUSTER_UNAVAILABLE", master=master, problem=problem)


def _java_problem(error: BaseException) -> str | None:
    from py4j.protocol import Py4JJavaError

    if not isinstance(error, Py4JJavaError):
        return None
    said = str(error.java_exception.getMessage() or error.java_exception.toString())
    return said.strip().partition("\n")[0]
