"""Values in scripts, and those that are refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.tasks.parameters import check, filled, names_in

PLAN = datetime(2026, 3, 31, 2, 30, tzinfo=UTC)


def fill(script: str, zone: str = "UTC", **parameters: str) -> str:
    return filled(script, parameters, PLAN, time_zone=zone)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("$[yyyy-MM-dd, -1d]", "2026-03-30"),
        ("$[yyyyMM, -1M]", "202602"),
        ("$[yyyyMMdd, -1M]", "20260228"),
        ("$[yyyy, +1y]", "2027"),
        ("$[HH:mm:ss]", "02:30:00"),
        ("$[HH, -3h]", "23"),
        ("${bizdate}", "20260330"),
        ("${sys_plan_datetime}", "2026-03-31 02:30:00"),
        ("a ${ x } b", "a 1 b"),
        ("$x {x} $ {x}", "$x {x} $ {x}"),
    ],
)
def test_what_a_script_becomes(script: str, wanted: str) -> None:
    assert fill(script, x="1") == wanted


def test_times_are_those_of_the_task_s_time_zone() -> None:
    assert fill("${bizdate} $[HH]", "America/New_York") == "20260329 22"


def test_a_value_may_be_a_time_or_a_built_in_and_is_not_read_twice() -> None:
    assert fill("${x}|${y}", x="$[yyyy-MM-dd, -1d]", y="${bizdate}") == "2026-03-30|20260330"
    assert filled("${x}", {"x": "$ {y}"}, PLAN, time_zone="UTC", unchecked=True) == "$ {y}"


@pytest.mark.parametrize(
    "value", ["a'b", 'a"b', "a;b", "a`b", "a\\b", "a--b", "a/*b", "a\nb", "$$"]
)
def test_a_value_that_could_change_the_script_is_refused(value: str) -> None:
    with pytest.raises(UserError, match="TASK_PARAMETER_UNSAFE"):
        fill("SELECT '${x}'", x=value)
    allowed = filled("${x}", {"x": value}, PLAN, time_zone="UTC", unchecked=True)
    assert allowed == value


@pytest.mark.parametrize("text", ["$[]", "$[,-1d]", "$[yyyy, 1]", "$[qq]", "$[yyyy, -99999y]"])
def test_a_time_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="TASK_TIME_EXPRESSION"):
        fill(text)


def test_a_parameter_without_a_value_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="TASK_PARAMETER_MISSING") as caught:
        check("${amunt}", [("amount", "1")], unchecked=False)
    assert caught.value.hint == "did you mean amount?"


def test_the_names_in_a_script() -> None:
    assert names_in("${b} ${a} ${b} $[yyyy]") == ["b", "a"]


@given(st.text(alphabet=st.characters(exclude_characters="$")), st.integers(0, 99))
def test_text_without_dollars_stays_as_it_is(text: str, number: int) -> None:
    assert fill(f"{text}${{n}}{text}", n=str(number)) == f"{text}{number}{text}"
