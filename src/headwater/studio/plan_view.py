"""A plan operator by operator, and the stages of a job as a waterfall."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from headwater.studio.job_lines import OperatorLine, StageLine
from headwater.studio.shown_times import duration
from headwater.studio.waterfall import waterfall


def show_plan(lines: Sequence[OperatorLine]) -> None:
    """The operators, topmost first, each with its rules."""
    with ui.column().classes("hw-plan w-full gap-1 overflow-x-auto").props('role="list"'):
        for line in lines:
            row = ui.row().classes("items-baseline gap-x-2 gap-y-0").props('role="listitem"')
            with row.style(f"padding-left: {line.depth * 1.2}rem"):
                ui.label(line.text).classes("hw-mono text-sm")
                for rule in line.rules:
                    ui.label(rule).classes("hw-chip hw-muted")


def show_waterfall(stages: Sequence[StageLine]) -> None:
    """One line for each stage, in the order in which they began."""
    with ui.column().classes("w-full gap-1").props('role="list" aria-label="Stages"'):
        for bar in waterfall(stages):
            stage = bar.stage
            rows = f"{stage.rows_in:,} rows in, {stage.rows_out:,} out, {stage.tasks:,} tasks"
            with ui.element("div").classes("hw-water-row").props('role="listitem"'):
                with ui.column().classes("gap-0 min-w-0"):
                    ui.label(f"Stage {stage.id}, Spark job {stage.spark_job}")
                    ui.label(rows).classes("hw-muted text-xs")
                with ui.element("div").classes("hw-water"):
                    ui.element("i").style(f"left: {bar.left}%; width: {bar.width}%")
                ui.label(duration(stage.took)).classes("text-right")
