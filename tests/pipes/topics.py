"""A lake and topics of a real broker, for tests that read messages with Spark."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import headwater
from headwater.catalog.pipes import Pipe

FEW_TASKS = {"spark.sql.shuffle.partitions": "2"}


@contextmanager
def new_lake(folder: Path) -> Iterator[headwater.Connection]:
    """A connection to a lake for all tests of a module."""
    with headwater.connect(folder, spark_conf=FEW_TASKS, time_zone="UTC") as connection:
        yield connection


def new_name() -> str:
    """A name for a topic, a group, a table or a pipe that nothing else has."""
    return "n" + uuid.uuid4().hex[:12]


def read_kafka(
    servers: str,
    topics: str,
    *,
    group: str = "",
    positions: tuple[str, str, str, str] = ("", "", "", ""),
    settings: Mapping[str, str] | None = None,
) -> str:
    """READ_KAFKA(..) with all its arguments."""
    pairs = [text for pair in (settings or {}).items() for text in pair]
    texts = [servers, topics, "", group, *positions, "raw", "raw"]
    return f"READ_KAFKA({', '.join(map(_quoted, texts))}, 0, MAP({', '.join(map(_quoted, pairs))}))"


def sasl(user: str, password: str) -> dict[str, str]:
    """The settings to log in with a password."""
    return {
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.username": user,
        "kafka.sasl.password": password,
    }


def pipe_named(lake: headwater.Connection, name: str) -> Pipe:
    """A pipe as the catalog has it."""
    found = lake.session.lake.store.pipes.get("headwater", "public", name)
    assert found is not None
    return found


def shown(lake: headwater.Connection) -> str:
    """Everything a user can see about jobs and pipes, as one text."""
    pipes = [row[0] for row in lake.sql("SHOW PIPES").rows]
    texts = [f"DESC PIPE EXTENDED {name}" for name in pipes]
    texts += [f"SHOW CREATE PIPE {name}" for name in pipes]
    return "\n".join(str(lake.sql(text).rows) for text in ["SHOW JOBS", "SHOW PIPES", *texts])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t")
    return f"'{escaped}'"
