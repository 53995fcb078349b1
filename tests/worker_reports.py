"""What a worker tells the process that started it of a test: how it went, in one message.

Law: nothing that failed, was skipped, wrote something or took long goes untold. For each test a
worker would send five messages, that it started, was set up, ran, was taken down and ended; to
write and read them takes longer than most tests.
"""

from __future__ import annotations

import pytest
from _pytest.runner import runtestprotocol

_LONG_SECONDS = 0.1


def run_and_tell(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Run one test as pytest does, and tell what is worth telling."""
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if _worth_telling(report):
            item.ihook.pytest_runtest_logreport(report=report)


def _worth_telling(report: pytest.TestReport) -> bool:
    quiet = report.passed and not report.sections and report.duration < _LONG_SECONDS
    return report.when == "call" or not quiet
