"""Parameters of a script: `${x}`, and times such as `$[yyyy-MM-dd, -1d]`. Pure.

Law: a value becomes text of the script, wherever `${x}` stands. So a value with a quote or a
semicolon in it could end the literal it stands in, and is refused unless the task allows it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from headwater.errors import UserError
from headwater.names import did_you_mean
from headwater.time_zones import zone_of

BUILT_IN = ("bizdate", "sys_plan_datetime")
NAME = re.compile(r"[A-Za-z_]\w*\Z")
_PLACES = re.compile(r"\$\{\s*([A-Za-z_]\w*)\s*\}|\$\[([^\]\n]*)\]")
_TIME = re.compile(r"\$\[([^\]\n]*)\]")
_UNSAFE = re.compile(r"['\"`;\\\n\r\0]|--|/\*|\$\$")
_SHIFT = re.compile(r"([+-]?\s*\d+)\s*([yMwdhms])\Z")
_LETTERS = re.compile(r"yyyy|yy|MM|dd|HH|mm|ss|SSS|[A-Za-z]+")
_FORMATS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
}
_LENGTHS = {
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}
_MONTHS = {"y": 12, "M": 1}


def names_in(script: str) -> list[str]:
    """The parameters a script asks for, in order, each once."""
    return list(dict.fromkeys(found[1] for found in _PLACES.finditer(script) if found[1]))


def filled(
    script: str,
    parameters: Mapping[str, str],
    plan_at: datetime,
    *,
    time_zone: str,
    unchecked: bool = False,
) -> str:
    """The script of one instance: every place replaced, in one pass, so values stay as they are."""
    values = values_of(parameters, plan_at, time_zone=time_zone, unchecked=unchecked)
    local = plan_at.astimezone(zone_of(time_zone))

    def value(found: re.Match[str]) -> str:
        if found[1] is None:
            return _time(found[2], local)
        if found[1] not in values:
            hint = did_you_mean(found[1], values)
            raise UserError("TASK_PARAMETER_MISSING", parameter=found[1], hint=hint)
        return values[found[1]]

    return _PLACES.sub(value, script)


def values_of(
    parameters: Mapping[str, str], plan_at: datetime, *, time_zone: str, unchecked: bool = False
) -> dict[str, str]:
    """The parameters with their values at a plan time, those of every task first."""
    local = plan_at.astimezone(zone_of(time_zone))
    values = {
        "bizdate": f"{local - timedelta(days=1):%Y%m%d}",
        "sys_plan_datetime": f"{local:%Y-%m-%d %H:%M:%S}",
    }
    for name, given in parameters.items():
        # The value may be a built-in by its name, as in Studio: x = ${bizdate} or $[..].
        text = _PLACES.sub(lambda found: _inside(found, values, local), given)
        if not unchecked:
            require_safe(name, text)
        values[name] = text
    return values


def _inside(found: re.Match[str], values: Mapping[str, str], local: datetime) -> str:
    if found[1] is None:
        return _time(found[2], local)
    if found[1] in BUILT_IN:
        return values[found[1]]
    raise UserError("TASK_PARAMETER_MISSING", parameter=found[1])


def require_safe(name: str, value: str) -> None:
    """Refuse a value that could change what the script means."""
    found = _UNSAFE.search(_TIME.sub("", value))
    if found is not None:
        raise UserError("TASK_PARAMETER_UNSAFE", parameter=name, found=found[0])


def check(script: str, parameters: Iterable[tuple[str, str]], *, unchecked: bool) -> None:
    """Refuse parameters that no instance could fill in."""
    some_time = datetime(2000, 1, 1, tzinfo=UTC)
    filled(script, dict(parameters), some_time, time_zone="UTC", unchecked=unchecked)


def _time(text: str, local: datetime) -> str:
    """`yyyy-MM-dd, -1d` at a moment of the wall clock."""
    shape, comma, shift = text.rpartition(",")
    if not comma:
        return _formatted(text.strip(), local, text)
    moved = _SHIFT.match(shift.strip())
    if moved is None:
        raise UserError("TASK_TIME_EXPRESSION", given=f"$[{text}]")
    amount, unit = int(moved[1].replace(" ", "")), moved[2]
    try:
        there = (
            _months_later(local, amount * _MONTHS[unit])
            if unit in _MONTHS
            else local + amount * _LENGTHS[unit]
        )
    except (OverflowError, ValueError):
        raise UserError("TASK_TIME_EXPRESSION", given=f"$[{text}]") from None
    return _formatted(shape.strip(), there, text)


def _formatted(shape: str, moment: datetime, text: str) -> str:
    def letters(found: re.Match[str]) -> str:
        if found[0] == "SSS":
            return f"{moment.microsecond // 1000:03d}"
        known = _FORMATS.get(found[0])
        if known is None:
            raise UserError("TASK_TIME_EXPRESSION", given=f"$[{text}]")
        return moment.strftime(known) if known != "%Y" else f"{moment.year:04d}"

    if not shape:
        raise UserError("TASK_TIME_EXPRESSION", given=f"$[{text}]")
    return _LETTERS.sub(letters, shape)


def _months_later(moment: datetime, months: int) -> datetime:
    """The same day of another month, or its last day if it is shorter."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)
