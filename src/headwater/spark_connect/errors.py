"""Errors as clients of Spark Connect read them: a status with the condition and the SQLSTATE."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from headwater.errors import HeadwaterError, InternalError, TransientError, UserError

_log = logging.getLogger(__name__)
# It travels as a header, and headers of more than 8 KiB are cut off.
_MOST_CHARACTERS = 2000
_LOGIN = ("CONNECT_NO_TOKEN", "LOGIN_FAILED", "LOGIN_TOO_OFTEN")
_ANALYSIS = "org.apache.spark.sql.AnalysisException"
_OTHER = "org.apache.spark.SparkException"


@contextmanager
def told(context: grpc.ServicerContext) -> Iterator[None]:
    """Ends the call with what is raised inside."""
    try:
        yield
    except HeadwaterError as error:
        context.abort_with_status(rpc_status.to_status(status_of(error)))
    except Exception as error:
        _log.exception("a call of Spark Connect failed")
        bug = InternalError("BUG", problem=repr(error), detail=repr(error))
        context.abort_with_status(rpc_status.to_status(status_of(bug)))


def status_of(error: HeadwaterError) -> Status:
    """The status of a call that failed.

    Never UNAVAILABLE, also for errors that pass: clients would run the statement again unasked.
    """
    kind = _ANALYSIS if isinstance(error, UserError) else _OTHER
    info = ErrorInfo(
        reason=kind,
        domain="org.apache.spark",
        metadata={
            "classes": json.dumps([kind]),
            "errorClass": error.condition,
            "sqlState": error.sqlstate,
            "messageParameters": "{}",
        },
    )
    detail = Any()
    detail.Pack(info)
    text = str(error)
    if len(text) > _MOST_CHARACTERS:
        text = text[:_MOST_CHARACTERS] + " .."
    return Status(code=_code(error).value[0], message=text, details=[detail])


def _code(error: HeadwaterError) -> grpc.StatusCode:
    if error.condition in _LOGIN:
        return grpc.StatusCode.UNAUTHENTICATED
    if isinstance(error, TransientError):
        return grpc.StatusCode.RESOURCE_EXHAUSTED
    return grpc.StatusCode.INTERNAL
