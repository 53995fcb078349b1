"""Spark's parser before there is a Spark: it refuses what Spark refuses, and starts nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus import scripts

from headwater.errors import UserError
from headwater.sql.edits import EditedText
from headwater.sql.parse import parse
from headwater.sql.parser_text import parser_text
from headwater.sql.split import split
from headwater.statements.sound_query import query_span

pytestmark = pytest.mark.spark

_ASK = """
import sys, headwater
with headwater.connect(sys.argv[1]) as lake:
    for text in sys.argv[2:]:
        try:
            print(lake.sql(text).rows, lake.session.lake.engine.started)
        except headwater.Error as error:
            print(str(error).partition(":")[0], lake.session.lake.engine.started)
"""


def texts() -> Iterator[EditedText]:
    for script in scripts():
        for piece in split(script):
            try:
                statement = parse(piece.text)
            except UserError:
                continue
            span = query_span(piece.text, statement)
            found = None if span is None else parser_text(piece.text, span, {})
            if found is not None:
                yield found


def test_no_query_of_the_corpus_is_refused_by_the_parser_alone(spark: Any) -> None:
    from pyspark.errors import ParseException

    parser = spark._jvm.org.apache.spark.sql.execution.SparkSqlParser()
    refused, looked_at = [], 0
    for text in texts():
        looked_at += 1
        try:
            parser.parsePlan(text.text)
        except ParseException as error:
            refused.append(f"{error}\n{text.original}")
    assert refused == []
    assert looked_at > 1000


@pytest.mark.usefixtures("short_spark")
def test_a_query_that_cannot_be_parsed_does_not_start_spark(tmp_path: Path) -> None:
    texts = (
        "SELECT a FROM t WHERE b BETWEEN 1",
        "CREATE VIEW v AS SELECT 1 LATERAL VIEW",
        "SELECT 1",
    )
    command = [sys.executable, "-c", _ASK, str(tmp_path / "lake"), *texts]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True)
    assert done.stdout.splitlines() == [
        "PARSE_SYNTAX_ERROR False",
        "PARSE_SYNTAX_ERROR False",
        "[(1,)] True",
    ]
