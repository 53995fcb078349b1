"""Counting what does not depend on how busy the machine is: calls to the JVM, Spark jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_RELEASES = ("m\nd\n", "e\n")


@dataclass(frozen=True, slots=True)
class Counts:
    """What one run of something cost."""

    jvm_calls: int
    spark_jobs: int


def spark_jobs(session: Any) -> int:
    """How many Spark jobs this process has run so far."""
    return int(session.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def counted(session: Any, run: Callable[[], object]) -> Counts:
    """Run something once and count."""
    client = session.sparkContext._gateway._gateway_client
    send, sent = client.send_command, 0

    def counting(command: str, *arguments: Any, **named: Any) -> Any:
        nonlocal sent
        # Python's garbage collector tells the JVM what to forget whenever it likes to.
        sent += not command.startswith(_RELEASES)
        return send(command, *arguments, **named)

    before = spark_jobs(session)
    client.send_command = counting
    try:
        run()
    finally:
        del client.send_command
    return Counts(sent, spark_jobs(session) - before)
