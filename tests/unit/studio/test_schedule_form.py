"""The form of a schedule and the statements it makes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.parse import parse
from headwater.studio.schedule_form import (
    CRON,
    DAILY,
    HOURS,
    MINUTES,
    ScheduleForm,
    change_script,
    changes,
    create_script,
    form_of,
    read_task,
    schedule_clause,
    table_task_text,
    task_name,
)

_FULL = ScheduleForm(
    rule=HOURS,
    every=2,
    at=":10",
    first_day="2026-01-01",
    last_day="2026-12-31",
    time_zone="UTC",
    vcluster="ETL",
    after=("a.b", "a.`c d`"),
    self_dependent=True,
    retries=3,
    retry_seconds=90,
    timeout_seconds=600,
    parameters="day = $[yyyy-MM-dd, -1d]\nname = it's",
    comment="what's \\ this",
)
_FORMS = [
    ScheduleForm(),
    ScheduleForm(rule=MINUTES, every=5, time_zone="UTC"),
    ScheduleForm(rule=CRON, cron="0 */5 * * * ? *"),
    ScheduleForm(rule=DAILY, at="02:30"),
    _FULL,
]


@pytest.mark.parametrize("form", _FORMS)
def test_a_form_comes_back_from_the_statement_it_makes(form: ScheduleForm) -> None:
    text = create_script("f.`my task`", form, "SELECT 1; SELECT '$$'")
    clauses = read_task(text)
    assert clauses.script == "SELECT 1; SELECT '$$'"
    again = form_of(clauses)
    assert changes("f.t", form, again) == []


@pytest.mark.parametrize("form", _FORMS)
def test_what_changes_it_can_be_read(form: ScheduleForm) -> None:
    for statement in changes("f.t", ScheduleForm(rule=MINUTES, comment="x", retries=1), form):
        parse(statement)


def test_a_script_of_python_says_so() -> None:
    clauses = read_task(create_script("f.t", ScheduleForm(), "print(1)\n", python=True))
    assert (clauses.python, clauses.script) == (True, "print(1)\n")


def test_all_that_is_taken_away_is_unset() -> None:
    kept = replace(
        ScheduleForm(), rule=_FULL.rule, every=2, at=":10", time_zone="UTC",
        first_day=_FULL.first_day, last_day=_FULL.last_day,
    )  # fmt: skip
    assert changes("f.t", _FULL, kept) == [
        f"ALTER TASK f.t UNSET {name}"
        for name in (
            "VCLUSTER",
            "AFTER",
            "SELF DEPENDENT",
            "PARAMETERS",
            "RETRY",
            "TIMEOUT",
            "COMMENT",
        )
    ]


def test_the_time_of_day_becomes_the_minute_of_an_hour() -> None:
    assert (
        schedule_clause(ScheduleForm(rule=HOURS, at="02:30")) == "SCHEDULE (EVERY 1 HOUR AT ':30')"
    )


def test_a_parameter_without_a_name_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        changes("f.t", ScheduleForm(), ScheduleForm(parameters="no sign"))
    assert caught.value.condition == "TASK_PARAMETER_NAME"


def test_a_script_that_ends_in_a_dollar_is_quoted_otherwise() -> None:
    parse(change_script("f.t", "SELECT '$$', '$'"))


def test_the_task_of_a_dynamic_table() -> None:
    task = table_task_text(
        task_name("Etl", "Refresh it"),
        ObjectName.of("s", "T"),
        ScheduleForm(rule=MINUTES, self_dependent=True, parameters="a = b"),
    )
    assert task == (
        "CREATE TASK etl.`refresh it`\nSCHEDULE (EVERY 1 MINUTE)\nFOR DYNAMIC TABLE s.t"
    )
    parse(task)
