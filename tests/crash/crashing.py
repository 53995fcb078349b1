"""Processes that die in the middle of a statement, without a new JVM for each of them.

A process starts Spark once and forks a child for every crash. The child works on a lake of its own
through connections of its own to the JVM, and kills itself at the failpoint.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.processes import python, read_line

SERVER = """
import json, os, sys, threading
from pathlib import Path
from headwater.config import Config
from headwater.lake.engine import Engine

folder = Path(sys.argv[1])
engine = Engine(Config(), scratch=folder / "scratch", log_file=folder / "spark.log")
engine.new_session()
print("ready", flush=True)


def crash(lake, prepare, statement, failpoint):
    import headwater

    with headwater.connect(lake) as connection:
        connection.sql(prepare)
        os.environ["HEADWATER_FAILPOINT"] = failpoint
        connection.sql(statement)


def child(order):
    # A thread of its own gets its own connection to the JVM; the parent's stays untouched.
    failed = []

    def run():
        try:
            crash(*order)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        print(repr(failed[0]), file=sys.stderr, flush=True)
    os._exit(1 if failed else 0)


for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        child(json.loads(line))
    status = os.waitpid(pid, 0)[1]
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Crasher:
    """Runs statements in processes that die at a failpoint."""

    process: subprocess.Popen[str]

    def crash(self, lake: Path, prepare: str, statement: str, *, at: str) -> None:
        """Run `prepare`, then `statement` up to the failpoint, where the process is killed."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(lake), prepare, statement, at]) + "\n")
        self.process.stdin.flush()
        ended = int(read_line(self.process))
        assert ended == -signal.SIGKILL, f"the process ended with {ended}, it was not killed"


@contextmanager
def running_crasher(folder: Path) -> Iterator[Crasher]:
    """A crasher whose Spark runs until the block is left."""
    with python(SERVER, str(folder)) as process:
        assert read_line(process) == "ready"
        yield Crasher(process)
