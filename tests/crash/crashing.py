"""Processes that die in the middle of a statement, without a new JVM for each of them.

A process starts Spark once and forks a child for every crash. The child works on a lake of its own
through connections of its own to the JVM, and kills itself at the failpoint. What it had asked
Spark to do goes on in the JVM, as it may with a real process: Python dies first.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import python, read_line

SERVER = """
import ctypes, json, os, signal, sys, threading, time, traceback
from pathlib import Path
from headwater.config import load_config
from headwater.lake.engine import Engine

folder = Path(sys.argv[1])
engine = Engine(load_config(folder), scratch=folder / "scratch", log_file=folder / "spark.log")
engine.new_session()
print("ready", flush=True)


def forget_listeners():
    # Who is killed closes no lake, and Spark's listener of that lake would note the work of all
    # that follow.
    spark = engine.new_session()
    loader = spark._jsparkSession.getClass().getClassLoader()
    kind = loader.loadClass("org.apache.spark.sql.execution.ui.SQLAppStatusListener")
    bus = spark.sparkContext._jsc.sc().listenerBus()
    found = bus.findListenersByClass(spark._jvm.scala.reflect.ClassTag.apply(kind))
    for number in range(found.size()):
        bus.removeListener(found.apply(number))


def set_clock(shifts):
    import itertools
    from datetime import datetime, timedelta
    import headwater.runtime.clock as clock

    # Every look at the clock finds it somewhere else, in turn.
    turns = itertools.cycle(timedelta(seconds=shift) for shift in shifts)

    class Jumping(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.now(zone) + next(turns)

    clock.datetime = Jumping


def kill_while_reading(lake):
    # Spark has begun with the tasks of the batch: its commit cannot be there yet.
    while True:
        for intent in lake.store.pipe_batches.all_intents():
            if lake.engine.progress(intent.job_id)[1]:
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)


def stop_between_writes(lake):
    # What ends in the background, such as the measures of a statement before, writes, too.
    import sqlite3
    from headwater.runtime import failpoints

    stop = failpoints.end_here

    def end_here():
        catalog = sqlite3.connect(f"{lake}/catalog.db", timeout=0, isolation_level=None)
        for _ in range(1000):
            try:
                catalog.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                time.sleep(0.01)
                continue
            catalog.execute("ROLLBACK")
            break
        stop()

    failpoints.end_here = end_here


def work(lake, prepare, statement, failpoint, clock, freeze, settings, select, host):
    import headwater

    if host:
        import socket

        socket.gethostname = lambda: host
    if clock:
        set_clock(clock)
    if freeze:
        os.environ["HEADWATER_FAILPOINT_SIGNAL"] = "SIGSTOP"
        # A thread that stands still in the middle of a write would lock the catalog for all.
        from headwater.runtime.writer import Heartbeat

        Heartbeat.start = lambda self: None
        stop_between_writes(lake)
    failpoint, _, time = failpoint.partition("*")
    os.environ["HEADWATER_FAILPOINT_TIME"] = time or "1"
    if not prepare:
        os.environ["HEADWATER_FAILPOINT"] = failpoint
    with headwater.connect(lake, **settings) as connection:
        connection.sql(prepare)
        os.environ["HEADWATER_FAILPOINT"] = failpoint
        if failpoint == "while reading":
            own = connection.session.lake
            threading.Thread(target=kill_while_reading, args=(own,), daemon=True).start()
        if statement:
            connection.sql(statement)
        else:
            connection.run_until_idle()
            if select:
                print(json.dumps([list(row) for row in connection.sql(select)]), flush=True)


def child(order):
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # one that stands still goes with its parent
    # A thread of its own gets its own connection to the JVM; the parent's stays untouched.
    failed = []

    def run():
        try:
            work(**order)
        except BaseException:
            failed.append(traceback.format_exc())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        (folder / str(os.getpid())).write_text(failed[0])
    os._exit(1 if failed else 0)


for line in sys.stdin:
    order = json.loads(line)
    pid = order.pop("resume", None)
    if pid is None:
        pid = os.fork()
        if pid == 0:
            child(order)
    else:
        os.kill(pid, signal.SIGCONT)
    status = os.waitpid(pid, os.WUNTRACED)[1]
    stopped = os.WIFSTOPPED(status)
    said = folder / str(pid)
    error = json.dumps(said.read_text()) if said.exists() else ""
    if os.WIFSIGNALED(status):
        forget_listeners()
    print("stopped" if stopped else os.waitstatus_to_exitcode(status), pid, error, flush=True)
"""
KILLED = str(-signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Crasher:
    """Runs statements in processes that die at a failpoint."""

    process: subprocess.Popen[str]

    def crash(self, lake: Path, prepare: str, statement: str, *, at: str) -> None:
        """Run `prepare`, then `statement` up to the failpoint, where the process is killed."""
        ended = self._order(lake, prepare=prepare, statement=statement, at=at)[0]
        assert ended == KILLED, f"the process ended with {ended}, it was not killed"

    def prepare(self, lake: Path, script: str) -> None:
        """Run statements in a process that ends well."""
        _ended_well(self._order(lake, statement=script))

    def crash_pipes(
        self, lake: Path, *, at: str, clock: tuple[int, ...] = (), **settings: Any
    ) -> None:
        """Run the pipes of a lake up to the failpoint, where the process is killed.

        `pipe.told*2` is the second time it gets there.
        """
        ended = self._order(lake, at=at, clock=clock, settings=settings)[0]
        assert ended == KILLED, f"the process ended with {ended}, it was not killed"

    def run_pipes(
        self, lake: Path, select: str, *, clock: tuple[int, ...] = (), **settings: Any
    ) -> list[tuple[Any, ...]]:
        """Run the pipes of a lake until they are idle, then a query.

        The clock of the process is off by these seconds, in turn.
        """
        rows = self._order(lake, clock=clock, settings=settings, select=select)
        assert rows[0].startswith("["), f"the process ended with {' '.join(rows)}"
        _ended_well(read_line(self.process).split())
        return [tuple(row) for row in json.loads(" ".join(rows))]

    def freeze_pipes(self, lake: Path, *, at: str, **settings: Any) -> int:
        """Run the pipes of a lake up to the failpoint, where the process stands still; its pid."""
        state, pid, *_ = self._order(lake, at=at, freeze=True, settings=settings)
        assert state == "stopped", f"the process ended with {state}, it was not stopped"
        return int(pid)

    def freeze(
        self,
        lake: Path,
        statement: str,
        *,
        at: str,
        prepare: str = "",
        host: str = "",
        **settings: Any,
    ) -> int:
        """Run `prepare`, then `statement` up to the failpoint, where the process stands still.

        With a host it is a process of that one to others, who cannot look into it. Its pid.
        """
        state, pid, *_ = self._order(
            lake,
            prepare=prepare,
            statement=statement,
            at=at,
            freeze=True,
            settings=settings,
            host=host,
        )
        assert state == "stopped", f"the process ended with {state}, it was not stopped"
        return int(pid)

    def resume(self, pid: int) -> None:
        """Let a process that stands still go on to its end."""
        _ended_well(self._send({"resume": pid}))

    def resume_to_fail(self, pid: int) -> str:
        """Let a process that stands still go on to an error, and give that back."""
        state, _, *error = self._send({"resume": pid})
        assert state == "1", f"the process ended with {state}, it did not fail"
        return " ".join(error)

    def _order(
        self,
        lake: Path,
        *,
        prepare: str = "",
        statement: str = "",
        at: str = "",
        clock: tuple[int, ...] = (),
        freeze: bool = False,
        settings: dict[str, Any] | None = None,
        select: str = "",
        host: str = "",
    ) -> list[str]:
        order = {"lake": str(lake), "prepare": prepare, "statement": statement, "failpoint": at}
        more = {"clock": clock, "freeze": freeze, "settings": settings or {}, "select": select}
        return self._send(order | more | {"host": host})

    def _send(self, order: dict[str, Any]) -> list[str]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return read_line(self.process).split()


def _ended_well(answer: list[str]) -> None:
    assert answer[0] == "0", f"the process ended with {' '.join(answer)}"


@contextmanager
def running_crasher(folder: Path) -> Iterator[Crasher]:
    """A crasher whose Spark runs until the block is left."""
    with python(SERVER, str(folder)) as process:
        assert read_line(process) == "ready"
        yield Crasher(process)
