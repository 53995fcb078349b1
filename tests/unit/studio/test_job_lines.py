"""A job's profile read back from the lines of DESC JOB, and its waterfall."""

from __future__ import annotations

from headwater.statements.job_profile import _stage_line
from headwater.studio.job_lines import StageLine, operator_in, profile_in, stage_in
from headwater.studio.waterfall import waterfall


def test_a_stage_is_read_as_it_is_written() -> None:
    written = {
        "id": 12,
        "spark_job": 3,
        "started_after_seconds": 0.125,
        "seconds": 2.5,
        "tasks": 1,
        "rows_in": 1_234_567,
        "rows_out": 0,
    }
    assert stage_in(_stage_line(written)) == StageLine(12, 3, 0.125, 2.5, 1, 1_234_567, 0)
    assert stage_in("something else") is None


def test_the_depth_of_an_operator_is_its_indent_and_columns_are_no_rules() -> None:
    assert operator_in("  Project [a#1 = b#2]").depth == 1
    assert operator_in("  Project [a#1 = b#2]").rules == ()
    assert operator_in("Plan:").text == "Plan:"


def test_lines_that_come_several_times_are_kept_apart_from_facts() -> None:
    rows = [
        ("status", "SUCCEED"),
        ("incremental_plan", "  Scan t  [CHANGES]"),
        ("source", "headwater.public.t: 1 row read"),
        ("source", "headwater.public.u: nothing read"),
        (
            "stage",
            "stage 1 of Spark job 0, began after 0.0 s, took 1.0 s, 1 task, 1 row in, 1 row out",
        ),
    ]
    found = profile_in(rows)
    assert found.facts == {"status": "SUCCEED"}
    assert [line.rules for line in found.plan] == [("CHANGES",)]
    assert len(found.sources) == 2
    assert [stage.took for stage in found.stages] == [1.0]


def test_bars_begin_and_end_as_their_stages() -> None:
    bars = waterfall([_stage(2, 5.0, 5.0), _stage(1, 0.0, 2.5)])
    assert [(bar.stage.id, bar.left, bar.width) for bar in bars] == [(1, 0, 25), (2, 50, 50)]


def test_no_bar_leaves_the_page() -> None:
    stages = [_stage(1, -0.5, 0.1), _stage(2, 10.0, 0.0), _stage(3, 0.0, 10.0)]
    for bar in waterfall(stages):
        assert bar.left >= 0
        assert bar.left + bar.width <= 100.001
    assert waterfall([]) == []
    assert [(bar.left, bar.width) for bar in waterfall([_stage(1, 0.0, 0.0)])] == [(0, 100)]


def _stage(number: int, after: float, took: float) -> StageLine:
    return StageLine(number, 0, after, took, 1, 1, 1)
