"""Spark's errors in Headwater's shape: condition, one readable sentence, a place, a hint.

No Java or py4j trace reaches a user; it is kept as `detail` for `--debug`.
"""

from __future__ import annotations

import re
from typing import Any

from headwater.errors import (
    ConstraintViolated,
    HeadwaterError,
    InternalError,
    NotSupported,
    Span,
    TransientError,
    UserError,
    ValueRejected,
)
from headwater.lake import process
from headwater.lake.kafka_errors import GONE, kafka_trouble
from headwater.sql.edits import EditedText

_USER_KINDS: dict[str, type[UserError]] = {
    "22": ValueRejected,
    "23": ConstraintViolated,
    "0A": NotSupported,
}
_SQLSTATE = re.compile(r"\s*SQLSTATE: (\w{5})")
_PREFIX = re.compile(r"^\s*\[[A-Z0-9_.]+\]\s*")
_PLACE = re.compile(r"\(?line (\d+), pos(?:ition)? (\d+)\)?|; line (\d+) pos (\d+)")
_CATALOG = re.compile(r"`?spark_catalog`?\.")
# Everything from here on is a plan, a copy of the text, or a Java trace.
_NOISE = re.compile(r"\n\s*== SQL|\n\s*at |;\n|\n'[A-Z]|\n[+:]- |\n\n|\n\s*Caused by")
# Advice that speaks of Spark's catalog, not of ours.
_ADVICE = re.compile(
    r" (?:Verify the spelling|If necessary set \"spark\.sql\.ansi|- To overwrite your schema"
    r"|To enable schema migration|\(Table ID: ).*",
    re.DOTALL,
)
_SETTINGS = re.compile(r"\.[^.]*?\bspark\.(?:databricks|sql)\.")
_RAISED = re.compile(r"[A-Za-z_][\w.]*: (.+)")
# Our names for the code of functions of the lake (lake/python_functions.py).
_OF_FUNCTION = re.compile(r'File "<((?:result of )?function) ([\w.]+)>", line (\d+)')
_HINTS = {
    "DELTA_METADATA_MISMATCH": "DESC the table: the rows have other columns than it has",
    "DELTA_UNSUPPORTED_SUBQUERY": "MERGE INTO <table> USING (<subquery>) s ON .. WHEN MATCHED ..",
}
_ENDING_SECONDS = 2.0
_CONFLICTS = ("DELTA_CONCURRENT", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED")


def reshape(error: BaseException, text: EditedText | None = None) -> HeadwaterError:
    """The error a user sees for an exception that came out of PySpark."""
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    if isinstance(error, HeadwaterError):
        return error
    if isinstance(error, Py4JNetworkError | ConnectionError):
        return engine_lost(repr(error))
    if isinstance(error, PySparkException):
        return _from_spark(error, text)
    if isinstance(error, Py4JJavaError):
        return _from_java(error, error.java_exception)
    # py4j says no more than that a call failed, and the connection ends before the process does.
    if process.lost(within=_ENDING_SECONDS if isinstance(error, Py4JError) else 0.0):
        return engine_lost(repr(error))
    detail = str(error) if isinstance(error, Py4JError) else repr(error)
    return InternalError("ENGINE_FAILED", problem=_first_line(str(error)), detail=detail)


def engine_lost(detail: str | None = None) -> TransientError:
    """The error for a JVM that has ended."""
    return TransientError("ENGINE_LOST", log_file="logs/spark.log", detail=detail)


def _from_java(error: Any, origin: Any) -> HeadwaterError:
    """Exceptions PySpark does not know, such as Delta's broken constraints, come as they are."""
    java, trace = origin, []
    while java is not None:
        trace.append(str(java.toString()))
        message = str(java.getMessage())
        condition = _condition_in(message)
        # Not that a task failed is what the user wants to know, but why.
        if condition not in (None, "TASK_WRITE_FAILED"):
            sqlstate = _ask(java, "getSqlState") or _first_group(_SQLSTATE, message)
            return _shaped(condition, message, sqlstate=sqlstate, span=None, detail=str(error))
        java = java.getCause()
    if trouble := kafka_trouble("\n".join(trace), detail=str(error)):
        return trouble
    problem = _sentence(str(origin.toString()))
    return InternalError("ENGINE_FAILED", problem=problem, detail=str(error))


def _from_spark(error: Any, text: EditedText | None) -> HeadwaterError:
    message = str(error)
    detail = _trace(error)
    condition = _ask(error, "getCondition") or _condition_in(message)
    if condition == "TASK_WRITE_FAILED" and getattr(error, "_origin", None) is not None:
        return _from_java(error, error._origin)
    if "maxResultSize" in message:
        return UserError("RESULT_TOO_LARGE", detail=detail)
    if condition is None or condition.startswith(GONE):
        trouble = kafka_trouble(detail, detail=detail)
        if trouble is not None:
            return trouble
    if condition is None:
        return InternalError("ENGINE_FAILED", problem=_sentence(message), detail=detail)
    sqlstate = _ask(error, "getSqlState") or _first_group(_SQLSTATE, message)
    span = _span(error, message, text)
    return _shaped(condition, message, sqlstate=sqlstate, span=span, detail=detail)


def _shaped(
    condition: str, message: str, *, sqlstate: str | None, span: Span | None, detail: str
) -> HeadwaterError:
    """An error with a condition of Spark's or Delta's, or with ours where we know better."""
    if condition == "SPARK_JOB_CANCELLED":
        return UserError("JOB_CANCELLED", job_id="", detail=detail)
    if condition.startswith("_LEGACY_ERROR"):
        # A name that Spark means to give away says nothing to anybody.
        problem = _sentence(message).removeprefix("Operation not allowed: ")
        return NotSupported("OPERATION_NOT_SUPPORTED", problem=problem, span=span, detail=detail)
    if "DELTA_MERGE_UNRESOLVED_EXPRESSION" in message:
        # Delta asks Spark for a text of its own that Spark does not have.
        return UserError("MERGE_COLUMN_NOT_FOUND", detail=detail)
    if condition.startswith(_CONFLICTS):
        return TransientError("CONCURRENT_CHANGE", problem=_sentence(message), detail=detail)
    if "Invalid PythonUDF" in message:
        return NotSupported("FUNCTION_READS_NO_COLUMN", detail=detail)
    if condition == "PYTHON_EXCEPTION" and (found := _OF_FUNCTION.findall(message)):
        return _function_failed(found, message, detail=detail)
    kind = _kind(condition, sqlstate or "")
    hint = _HINTS.get(condition)
    text = _of_python(message) if condition == "PYTHON_EXCEPTION" else _sentence(message)
    return kind(condition, text=text, sqlstate=sqlstate, span=span, detail=detail, hint=hint)


def _function_failed(places: list[tuple[str, str, str]], message: str, *, detail: str) -> UserError:
    """An error of a function of the lake: its last place in the function's own code counts."""
    kind, function, line = places[-1]
    if kind == "result of function":
        problem = _of_python(message)
        return UserError("FUNCTION_RESULT", function=function, problem=problem, detail=detail)
    problem, where = _of_python(message, with_type=True), f"in line {line} of its body"
    return UserError(
        "FUNCTION_FAILED", function=function, where=where, problem=problem, detail=detail
    )


def _of_python(message: str, *, with_type: bool = False) -> str:
    """What a Python function said when it failed, without the way it took."""
    lines = [line for line in message.split("\n") if line and not line[0].isspace()]
    raised = [found for line in lines if (found := _RAISED.fullmatch(line))]
    group = 0 if with_type else 1
    return raised[-1].group(group).rstrip(". ") if raised else _sentence(message)


def _kind(condition: str, sqlstate: str) -> type[HeadwaterError]:
    """By the class of the SQLSTATE: 22, 23, 42, 0A are the user's; XX is a bug; 08, 40, 53 pass."""
    if condition.startswith("INTERNAL_ERROR") or sqlstate.startswith("XX"):
        return InternalError
    if sqlstate[:2] in ("08", "40", "53"):
        return TransientError
    return _USER_KINDS.get(sqlstate[:2], UserError)


def _ask(error: Any, method: str) -> str | None:
    """PySpark asks the JVM for these, which fails once the JVM is gone."""
    try:
        answer = getattr(error, method)()
    except Exception:
        return None
    return str(answer) if answer else None


def _condition_in(message: str) -> str | None:
    found = re.match(r"\s*\[([A-Z][A-Z0-9_.]+)\]", message)
    return found.group(1) if found else None


def _first_group(pattern: re.Pattern[str], message: str) -> str | None:
    found = pattern.search(message)
    return found.group(1) if found else None


def _sentence(message: str) -> str:
    """The part of Spark's message that is meant for people."""
    cut = _NOISE.search(message.lstrip("\n"))
    text = message.lstrip("\n")[: cut.start()] if cut else message
    text = _SQLSTATE.sub("", _PREFIX.sub("", text))
    text = _ADVICE.sub("", _CATALOG.sub("", _PLACE.sub("", text)))
    # Sentences about settings of Spark's come last and help nobody here.
    settings = _SETTINGS.search(text)
    text = text[: settings.start()] if settings else text
    return " ".join(text.split()).rstrip(" .;")


def _first_line(message: str) -> str:
    return _sentence(message).split("\n")[0][:300]


def _trace(error: Any) -> str:
    trace = getattr(error, "_stackTrace", None) or ""
    return f"{error}\n{trace}"


def _span(error: Any, message: str, text: EditedText | None) -> Span | None:
    """Where in the user's text: from Spark's query context, else from 'line 1, pos 7'."""
    if text is None or not text.original:
        return None
    for start, stop in _query_contexts(error):
        if 0 <= start <= stop < len(text.text):
            return text.original_span(start, stop + 1)
    found = _PLACE.search(message)
    if not found:
        return None
    line, column = (int(n) for n in found.groups() if n is not None)
    start = sum(len(part) + 1 for part in text.text.split("\n")[: line - 1]) + column
    end = start + 1
    while end < len(text.text) and (text.text[end].isalnum() or text.text[end] == "_"):
        end += 1
    return text.original_span(start, end)


def _query_contexts(error: Any) -> list[tuple[int, int]]:
    """The places Spark names, as first and last character."""
    try:
        return [(c.startIndex(), c.stopIndex()) for c in error.getQueryContext()]
    except Exception:
        # Not every error has a context, and a dead JVM cannot be asked: the message may still tell.
        return []
