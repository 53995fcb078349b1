"""Counting what does not depend on how busy the machine is: calls to the JVM, Spark jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_FORGET = "m\nd\n"


@dataclass(frozen=True, slots=True)
class Counts:
    """What one run of something cost; its user does not wait for the calls made behind."""

    jvm_calls: int
    jvm_calls_behind: int
    spark_jobs: int

    def against(self, rival: Counts) -> str:
        """Both in one sentence."""
        return (
            f"{self.jvm_calls} calls to the JVM against {rival.jvm_calls}, and "
            f"{self.jvm_calls_behind} in the background; Spark jobs {self.spark_jobs} "
            f"against {rival.spark_jobs}"
        )


def spark_jobs(session: Any) -> int:
    """How many Spark jobs this process has run so far."""
    return int(session.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def counted(
    session: Any, run: Callable[[], object], *, settle: Callable[[], object] | None = None
) -> Counts:
    """Run something once and count; `settle` waits for what it does behind its user's back."""
    client = session.sparkContext._gateway._gateway_client
    send, here = client.send_command, threading.get_ident()
    senders: list[int] = []

    def counting(command: str, *arguments: Any, **named: Any) -> Any:
        # Python's garbage collector tells the JVM what to forget whenever it likes to.
        if not command.startswith(_FORGET):
            senders.append(threading.get_ident())
        return send(command, *arguments, **named)

    before = spark_jobs(session)
    client.send_command = counting
    try:
        run()
        if settle is not None:
            settle()
    finally:
        del client.send_command
    waited = senders.count(here)
    return Counts(waited, len(senders) - waited, spark_jobs(session) - before)
