"""A lake's share of Spark: a root session with its own catalog, and one session per connection."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.config import Config
from headwater.errors import TransientError
from headwater.lake import process
from headwater.lake.engine_settings import context_settings, session_defaults
from headwater.lake.in_jvm.classes import in_jvm
from headwater.lake.job_metrics import Measures, measures
from headwater.lake.object_stores import add_jar_set, reach_store
from headwater.lake.parser import require_parsed
from headwater.lake.pools import POOL
from headwater.lake.spark_errors import engine_lost, reshape
from headwater.sql.edits import EditedText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_log = logging.getLogger(__name__)


@contextmanager
def _unless_lost() -> Iterator[None]:
    """A JVM that is gone runs no job, of which nothing is left to be asked or ended."""
    try:
        yield
    except Exception as error:
        shaped = reshape(error)
        if shaped.condition != "ENGINE_LOST":
            raise shaped from error


class Engine:
    """Starts Spark on the first call of `new_session`, never before."""

    def __init__(self, config: Config, *, scratch: Path, log_file: Path) -> None:
        self._config = config
        self._scratch = scratch
        self._log_file = log_file
        self._lock = threading.Lock()
        self._root: SparkSession | None = None
        self._context: Any = None
        self._job = threading.local()

    @property
    def started(self) -> bool:
        """Whether this lake has used Spark yet."""
        return self._root is not None

    def lost(self) -> TransientError | None:
        """ENGINE_LOST if the Spark of this lake has ended by itself: only a new process helps."""
        return engine_lost() if self._context is not None and process.lost() else None

    @property
    def log_file(self) -> Path:
        """Where the JVM writes what it has to say."""
        return self._log_file

    def new_session(self) -> SparkSession:
        """A session that shares tables with the lake's other sessions, and nothing else."""
        with self._lock:
            if self._root is None:
                self._root = self._start()
                if getattr(self._job, "id", None):
                    self.start_job(self._job.id, self._job.pool)
            return self._root.newSession()

    def close(self) -> None:
        """Leave nothing of this lake in the JVM, which the process keeps for other lakes.

        Spark gives each catalog a listener of its own, which would go on noting the work of all
        lakes that follow: the hundredth lake of a process would have all its events noted by a
        hundred of them.
        """
        # Without the lock: who closes does not wait for a Spark that another thread is starting.
        root, self._root = self._root, None
        if root is None or not process.is_running(self._context):
            return
        try:
            status = root._jsparkSession.sharedState().statusStore()
            self._context._jsc.sc().listenerBus().removeListener(status.listener().get())
        except Exception:
            # A JVM that died takes its listeners along.
            _log.debug("the listener of a lake stays", exc_info=True)

    def reach(self, url: str, settings: Mapping[str, str], jar_set: str | None) -> None:
        """Let Spark read and write what is at `url`, in every session of this process."""
        if jar_set is None:
            return
        with self._lock:
            if self._root is None:
                self._root = self._start()
            reach_store(self._context, self._root, url, settings, jar_set)

    def reach_kafka(self) -> None:
        """Let Spark read topics, in every session of this process."""
        with self._lock:
            if self._root is None:
                self._root = self._start()
            add_jar_set(self._context, self._root, "kafka")

    def require_parsed(self, text: EditedText) -> None:
        """Raises what Spark's parser has against a text; asks only if no Spark runs yet."""
        if self._root is not None or process.running():
            return
        settings = context_settings(self._config, scratch=self._scratch)
        gateway = process.jvm(settings, log_file=self._log_file)
        if gateway is not None:
            require_parsed(gateway, {**session_defaults(self._config), **settings}, text)

    def _start(self) -> SparkSession:
        settings = context_settings(self._config, scratch=self._scratch)
        self._context = process.spark_context(settings, log_file=self._log_file)
        from pyspark.sql import SparkSession

        jvm = self._context._jvm
        options = jvm.java.util.HashMap()
        for key, value in {**session_defaults(self._config), **self._config.spark_conf}.items():
            options.put(key, value)
        options.put("spark.sql.warehouse.dir", str(self._scratch / "warehouse"))
        # A session made by hand, not by the builder, gets a catalog of its own: lakes stay apart.
        try:
            java_session = jvm.org.apache.spark.sql.classic.SparkSession(
                self._context._jsc.sc(), options
            )
        except Exception as error:
            lost = process.cluster_lost(error, self._config.spark_master)
            raise (lost or error) from None
        root = SparkSession(self._context, jsparkSession=java_session)
        # Before its first plan: the optimizer of a session is made once.
        in_jvm(root, "SmallTables").inject(java_session)
        return root

    def start_job(self, job_id: str, pool: tuple[str, int | None] | None = None) -> None:
        """Tie the Spark work of this thread to a job, so that it can be cancelled and measured.

        It runs in a pool of the scheduler, made here if a weight is given. The job that starts
        Spark is remembered and tied as soon as there is something to tie it to.
        """
        self._job.id, self._job.pool = job_id, pool
        if self._context is None:
            return
        self._context.setJobGroup(job_id, job_id, interruptOnCancel=True)
        name, weight = pool or (None, None)
        if name is not None and weight is not None:
            process.ensure_pool(name, weight)
        self._context.setLocalProperty(POOL, name)

    def cancel_job(self, job_id: str) -> None:
        """Stop the Spark work of a job, from any thread."""
        if self._context is None:
            return
        with _unless_lost():
            self._context.cancelJobGroup(job_id)

    def progress(self, job_id: str) -> tuple[int, int]:
        """Finished and known tasks of a job's running Spark jobs."""
        if self._context is None:
            return 0, 0
        done = total = 0
        with _unless_lost():
            tracker = self._context.statusTracker()
            for spark_job in tracker.getJobIdsForGroup(job_id):
                info = tracker.getJobInfo(spark_job)
                for stage_id in info.stageIds if info else ():
                    stage = tracker.getStageInfo(stage_id)
                    if stage is not None:
                        done += stage.numCompletedTasks
                        total += stage.numTasks
        return done, total

    def measures(self, job_id: str) -> Measures:
        """What Spark did for a finished job."""
        if self._context is None:
            return Measures()
        return measures(self._context, self._root, job_id)
