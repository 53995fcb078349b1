"""The stages of a job, where Spark has already forgotten some of them.

Spark's store is a fake here: the real one forgets only after a thousand stages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from headwater.lake.job_metrics import _stages


def _java_error(name: str) -> Py4JJavaError:
    error = Py4JJavaError.__new__(Py4JJavaError)
    kind = SimpleNamespace(getName=lambda: name)
    error.java_exception = SimpleNamespace(getClass=lambda: kind)
    return error


@dataclass
class Store:
    jobs: dict[int, list[int]]
    stages: dict[int, dict[str, Any]]
    error: str = "java.util.NoSuchElementException"

    def job(self, number: int) -> str:
        return json.dumps({"stageIds": self._kept(self.jobs, number)})

    def lastStageAttempt(self, number: int) -> str:  # noqa: N802 - Spark's name
        return json.dumps(self._kept(self.stages, number))

    def _kept(self, kept: dict[int, Any], number: int) -> Any:
        if number not in kept:
            raise _java_error(self.error)
        return kept[number]


def _ran(number: int) -> dict[str, Any]:
    counts = dict.fromkeys(
        ["inputRecords", "inputBytes", "outputRecords", "outputBytes", "shuffleReadBytes"], 0
    )
    times = {"submissionTime": 1000 * number, "completionTime": 1000 * number + 500}
    return {"stageId": number, "name": f"stage {number}", "numTasks": 1, **times, **counts}


def test_a_stage_that_spark_has_forgotten_is_left_out() -> None:
    store = Store({7: [1, 2, 3]}, {1: _ran(1), 3: _ran(3)})
    assert [stage.id for stage in _stages(store, [7], json.loads)] == [1, 3]


def test_a_job_that_spark_has_forgotten_is_left_out() -> None:
    store = Store({8: [3]}, {3: _ran(3)})
    assert [stage.id for stage in _stages(store, [7, 8], json.loads)] == [3]


def test_a_stage_that_never_ran_is_left_out() -> None:
    skipped = _ran(1) | {"submissionTime": None}
    store = Store({7: [1, 2]}, {1: skipped, 2: _ran(2)})
    assert [stage.id for stage in _stages(store, [7], json.loads)] == [2]


def test_any_other_error_of_spark_is_not_hidden() -> None:
    with pytest.raises(Py4JJavaError):
        _stages(Store({}, {}, "java.lang.IllegalStateException"), [7], json.loads)
