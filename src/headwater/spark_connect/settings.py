"""Settings that clients of Spark Connect ask for and set."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater.errors import HeadwaterError, UserError
from headwater.names import quote_literal
from headwater.spark_connect.sessions import OwnSession
from headwater.sql.settings import TIME_ZONE_KEY

_KEY = re.compile(r"[A-Za-z][\w.-]*")
_UNDEFINED = "<undefined>"
# What only the client acts on: asking the session would be a job for each.
_CLIENTS_OWN = {
    "spark.connect.session.planCompression.defaultAlgorithm": "NONE",
    "spark.connect.session.planCompression.threshold": "-1",
    "spark.sql.connect.serverStacktrace.enabled": "false",
    "spark.sql.execution.arrow.pyspark.selfDestruct.enabled": "false",
    "spark.sql.execution.pandas.structHandlingMode": "legacy",
    "spark.sql.execution.pyspark.binaryAsBytes": "true",
    "spark.sql.pyspark.jvmStacktrace.enabled": "false",
    "spark.sql.repl.eagerEval.enabled": "false",
    "spark.sql.repl.eagerEval.maxNumRows": "20",
    "spark.sql.repl.eagerEval.truncate": "20",
}

Pair = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one session, as the protocol's operations on them."""

    session: OwnSession
    time_zone: str

    def answer(self, operation: Any) -> tuple[list[Pair], list[str]]:
        """What an operation gives: keys with values, and warnings."""
        kind = operation.WhichOneof("op_type") or "nothing"
        asked = getattr(operation, kind, None)
        if kind == "set":
            return [], self._set(asked)
        answers: dict[str, Callable[[Any], list[Pair]]] = {
            "get": lambda a: [(key, self._known(key)) for key in a.keys],
            "get_option": lambda a: [(key, self._or(None, key)) for key in a.keys],
            "get_with_default": lambda a: [(p.key, self._or(_value(p), p.key)) for p in a.pairs],
            "get_all": self._all,
            "unset": self._unset,
        }
        if kind not in answers:
            raise UserError("CONNECT_NOT_SQL", what=f"the operation '{kind}' on settings")
        return answers[kind](asked), []

    def _get(self, key: str) -> str | None:
        if key in _CLIENTS_OWN:
            return _CLIENTS_OWN[key]
        found = str(self.session.run(f"SET {_checked(key)}").rows[0][1])
        if found != _UNDEFINED:
            return found
        return self.time_zone if key == TIME_ZONE_KEY else None

    def _known(self, key: str) -> str:
        found = self._or(None, key)
        if found is None:
            # Clients ask for such before they send rows of their own.
            raise UserError("CONNECT_NOT_SQL", what=f"the setting '{key}', which has no value")
        return found

    def _or(self, default: str | None, key: str) -> str | None:
        try:
            found = self._get(key)
        except UserError as error:
            if error.condition != "UNKNOWN_SETTING":
                raise
            found = None
        return default if found is None else found

    def _all(self, asked: Any) -> list[Pair]:
        prefix = asked.prefix if asked.HasField("prefix") else ""
        rows = self.session.run("SET").rows
        return [(key[len(prefix) :], value) for key, value in rows if key.startswith(prefix)]

    def _unset(self, asked: Any) -> list[Pair]:
        for key in asked.keys:
            self.session.run(f"RESET {_checked(key)}")
        return []

    def _set(self, asked: Any) -> list[str]:
        warnings = list[str]()
        for pair in asked.pairs:
            try:
                self.session.run(f"SET {_checked(pair.key)} = {quote_literal(pair.value)}")
            except HeadwaterError as error:
                if not asked.silent:
                    raise
                warnings.append(error.message)
        return warnings


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise UserError("UNKNOWN_SETTING", key=key)
    return key


def _value(pair: Any) -> str | None:
    return pair.value if pair.HasField("value") else None
