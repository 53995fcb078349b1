"""ALTER, DROP, SHOW and DESC of pipes: every spelling, and every mistake with its place."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.describe import DescTable
from headwater.sql.parse import parse
from headwater.sql.pipes import (
    AlterPipe,
    DescPipe,
    DropPipe,
    PausePipe,
    PipeAction,
    RefreshPipe,
    ResumePipe,
    RetryFile,
    SetPipeProperty,
    ShowCreatePipe,
    ShowPipes,
    SkipFile,
)
from headwater.sql.show import ShowCreateTable
from headwater.sql.show_filter import ShowFilter

NAME = ObjectName("p")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("SET PIPE_EXECUTION_PAUSED = TRUE", PausePipe()),
        ("set pipe_execution_paused=true", PausePipe()),
        ("SET PIPE_EXECUTION_PAUSED = 'true'", PausePipe()),
        ("SET PIPE_EXECUTION_PAUSED = FALSE", ResumePipe()),
        ("SET PIPE_EXECUTION_PAUSED = 'False'", ResumePipe()),
        ("REFRESH", RefreshPipe()),
        ("SET VIRTUAL_CLUSTER = 'GP'", SetPipeProperty("VIRTUAL_CLUSTER", "GP")),
        (
            "SET batch_interval_in_seconds = 30",
            SetPipeProperty("BATCH_INTERVAL_IN_SECONDS", "30"),
        ),
        (
            "SET BATCH_SIZE_PER_KAFKA_PARTITION = '1000'",
            SetPipeProperty("BATCH_SIZE_PER_KAFKA_PARTITION", "1000"),
        ),
        (
            "SET MAX_SKIP_BATCH_COUNT_ON_ERROR = 0",
            SetPipeProperty("MAX_SKIP_BATCH_COUNT_ON_ERROR", "0"),
        ),
        ("SET COPY_JOB_HINT = '{\"a\": 1}'", SetPipeProperty("COPY_JOB_HINT", '{"a": 1}')),
        ("SET ON_REPLACED = LOAD", SetPipeProperty("ON_REPLACED", "LOAD")),
        ("SKIP FILE 'a b.csv'", SkipFile("a b.csv")),
        ("retry file 's3://b/a.csv'", RetryFile("s3://b/a.csv")),
    ],
)
def test_what_a_pipe_can_be_told(text: str, action: PipeAction) -> None:
    assert parse(f"ALTER PIPE p {text}") == AlterPipe(NAME, action)


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        ("SET PIPE_EXECUTION_PAUSED = maybe", "OPTION_VALUE", "maybe"),
        (
            "SET BATCH_INTERVAL_IN_SECONDS = 30 VIRTUAL_CLUSTER = 'a'",
            "PIPE_ONE_PROPERTY",
            "VIRTUAL_CLUSTER",
        ),
        ("SET PIPE_EXECUTION_PAUSED = TRUE, ON_REPLACED = LOAD", "PIPE_ONE_PROPERTY", ","),
        ("SET BATCH_INTERVAL_IN_SECONDS = 3", "PROPERTY_VALUE", "3"),
        ("SET INGEST_MODE = LIST_PURGE", "PIPE_PROPERTY_FIXED", "INGEST_MODE"),
        (
            "SET RESET_KAFKA_GROUP_OFFSETS = none",
            "PIPE_PROPERTY_FIXED",
            "RESET_KAFKA_GROUP_OFFSETS",
        ),
        ("SET PIPE_EXECUTION_PAUSE = TRUE", "UNKNOWN_PROPERTY", "PIPE_EXECUTION_PAUSE"),
        ("SET CLUSTER = 'x'", "UNKNOWN_PROPERTY", "CLUSTER"),
        ("REFRESH now", "SYNTAX_ERROR", "now"),
        ("RESUME", "SYNTAX_ERROR", "RESUME"),
        ("SKIP 'a.csv'", "SYNTAX_ERROR", "'a.csv'"),
        ("SKIP FILE a.csv", "SYNTAX_ERROR", "a"),
        ("RETRY FILE 'a.csv', 'b.csv'", "SYNTAX_ERROR", ","),
        ("SET", "SYNTAX_ERROR", ""),
        ("", "SYNTAX_ERROR", ""),
    ],
)
def test_what_it_cannot_be_told(text: str, condition: str, place: str) -> None:
    full = f"ALTER PIPE p {text}"
    with pytest.raises(UserError) as raised:
        parse(full)
    assert raised.value.condition == condition
    span = raised.value.span
    assert span is not None
    assert full[span.start : span.end] == place


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SUSPEND", "write SET PIPE_EXECUTION_PAUSED = TRUE"),
        ("RESUME", "write SET PIPE_EXECUTION_PAUSED = FALSE"),
        ("REFRSH", "did you mean REFRESH?"),
        ("SET PIPE_EXECUTION_PAUSE = TRUE", "did you mean PIPE_EXECUTION_PAUSED?"),
        ("SET COPY_JOB_HINTS = '{}'", "did you mean COPY_JOB_HINT?"),
    ],
)
def test_the_hint_is_the_next_thing_to_type(text: str, hint: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(f"ALTER PIPE p {text}")
    assert raised.value.hint == hint


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("DROP PIPE s.p", DropPipe(ObjectName("p", "s"))),
        ("drop pipe if exists p", DropPipe(NAME, if_exists=True)),
        ("SHOW PIPES", ShowPipes()),
        ("SHOW PIPES EXTENDED", ShowPipes(extended=True)),
        ("SHOW PIPES IN s", ShowPipes(ObjectName("s"))),
        (
            "SHOW PIPES IN SCHEMA w.s LIKE 'a%'",
            ShowPipes(ObjectName("s", "w"), None, ShowFilter("a%")),
        ),
        (
            "SHOW PIPES IN WORKSPACE w LIMIT 3",
            ShowPipes(None, ObjectName("w"), ShowFilter(limit=3)),
        ),
        ("SHOW PIPES FROM workspace", ShowPipes(ObjectName("workspace"))),
        (
            "SHOW PIPES IN workspace LIMIT 1",
            ShowPipes(ObjectName("workspace"), None, ShowFilter(limit=1)),
        ),
        ("SHOW CREATE PIPE p", ShowCreatePipe(NAME)),
        ("SHOW CREATE TABLE pipe", ShowCreateTable(ObjectName("pipe"))),
        ("DESC PIPE p", DescPipe(NAME)),
        ("DESCRIBE PIPE EXTENDED p", DescPipe(NAME, extended=True)),
        ("DESC PIPE p EXTENDED", DescPipe(NAME, extended=True)),
        ("DESC pipe", DescTable(ObjectName("pipe"))),
        ("DESC pipe EXTENDED", DescTable(ObjectName("pipe"), extended=True)),
        ("DESC pipe.t", DescTable(ObjectName("t", "pipe"))),
    ],
)
def test_pipes_are_looked_at_and_dropped(text: str, statement: object) -> None:
    assert parse(text) == statement


def test_the_condition_of_show_is_kept() -> None:
    statement = parse("SHOW PIPES WHERE status = 'PAUSED'")
    assert isinstance(statement, ShowPipes)
    assert statement.filter.where == "status = 'PAUSED'"
