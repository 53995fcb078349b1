"""Consumer settings as users write them, for each of the two libraries that connect; pure.

Users write the names of Kafka's Java client, with the name and password of SASL as settings of
their own. Spark runs the Java client, which takes those two only inside a JAAS line; librdkafka
takes them as they are, but has fewer settings, some under other names.

Invariant: librdkafka is given only settings listed here, never one that loads code or writes logs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_USER = "sasl.username"
_PASSWORD = "sasl.password"  # noqa: S105 - the name of a setting
_MECHANISM = "sasl.mechanism"
_JAAS = "sasl.jaas.config"
_DEFAULT_MECHANISM = "PLAIN"
_SAME_NAME = frozenset(
    {"security.protocol", _USER, _PASSWORD, "client.id", "client.rack"}
    | {"ssl.endpoint.identification.algorithm", "ssl.key.password"}
)
_OTHER_NAME = {
    _MECHANISM: "sasl.mechanisms",
    "sasl.mechanisms": "sasl.mechanisms",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
}
# Spark decides these itself and refuses to be told.
_SPARK_DECIDES = frozenset(
    {"bootstrap.servers", "auto.offset.reset", "enable.auto.commit", "interceptor.classes"}
    | {"key.deserializer", "value.deserializer"}
)
_PATIENCE = "default.api.timeout.ms"
_PATIENCE_MS = "60000"  # what it is to Kafka's client
_LOGIN_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}
_JAAS_OPTION = re.compile(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_JAAS_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def for_librdkafka(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings librdkafka knows, under its names; holds secrets."""
    known = {name: value for name, value in settings.items() if name in _SAME_NAME}
    for name, theirs in _OTHER_NAME.items():
        if name in settings:
            known[theirs] = settings[name]
    if _USER in settings:
        known.setdefault("sasl.mechanisms", _DEFAULT_MECHANISM)
    if _JAAS in settings:
        known = {**_login_of(settings[_JAAS]), **known}
    return known


def for_spark(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings as options of Spark's Kafka source, with its prefix; holds secrets."""
    ours = {_USER, _PASSWORD, "sasl.mechanisms"} | _SPARK_DECIDES
    java = {name: value for name, value in settings.items() if name not in ours}
    mechanism = settings.get(_MECHANISM) or settings.get("sasl.mechanisms")
    if mechanism:
        java[_MECHANISM] = mechanism
    if _USER in settings and _JAAS not in settings:
        mechanism = java.setdefault(_MECHANISM, _DEFAULT_MECHANISM)
        java[_JAAS] = _jaas_line(mechanism, settings[_USER], settings.get(_PASSWORD, ""))
    return {f"kafka.{name}": value for name, value in java.items()}


def spark_patience(settings: Mapping[str, str]) -> dict[str, str]:
    """Options of Spark's Kafka source: how long it waits for brokers that do not answer.

    By itself it asks for offsets three times and waits two minutes for messages, whatever the
    client is told; whoever reads tries again anyway.
    """
    given = settings.get(_PATIENCE, "")
    patience = given if given.isdecimal() else _PATIENCE_MS
    return {"fetchOffset.numRetries": "1", "kafkaConsumer.pollTimeoutMs": patience}


def jaas_text(text: str) -> str:
    """A quoted text as Java's JAAS configuration takes it."""
    return '"' + "".join(_ESCAPES.get(letter, letter) for letter in text) + '"'


def _jaas_line(mechanism: str, user: str, password: str) -> str:
    module = _LOGIN_MODULES.get(mechanism.upper(), _LOGIN_MODULES[_DEFAULT_MECHANISM])
    return f"{module} required username={jaas_text(user)} password={jaas_text(password)};"


def _login_of(jaas: str) -> dict[str, str]:
    found = {name: _plain(text) for name, text in _JAAS_OPTION.findall(jaas)}
    return {f"sasl.{name}": value for name, value in found.items()}


def _plain(quoted: str) -> str:
    return _JAAS_ESCAPE.sub(lambda found: _UNESCAPES.get(found[1], found[1]), quoted)
