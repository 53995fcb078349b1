"""Changing a table by statements of Spark's: ALTER TABLE, and what makes a table ready for streams.

A change is a list of steps, texts in which `{table}` stands for the table's name. The last one does
what was asked for, those before it make the table ready; all together they are one version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater.catalog.objects import Operation, Table
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_literal
from headwater.runtime.open_lake import OpenLake
from headwater.sql.properties import render_properties
from headwater.tables.commits import Author, Committed, commit
from headwater.tables.properties import ROW_TRACKING, delta_properties
from headwater.tables.registration import register_table

_TRACK_ROWS = f"ALTER TABLE {{table}} SET TBLPROPERTIES ('{ROW_TRACKING}' = 'true')"


def alter(
    lake: OpenLake, spark: SparkConnection, table: Table, *, steps: Sequence[str], author: Author
) -> Committed:
    """Carry the steps out, as one version."""
    spark_table = register_table(lake, table)

    def run(texts: Sequence[str]) -> None:
        for text in texts:
            if text == _TRACK_ROWS:
                # Delta would take its own commits for those that wrote the rows.
                spark.number_rows(lake.location(table))
            spark.execute(text.format(table=spark_table))

    return commit(
        lake,
        spark,
        table,
        operation=Operation.ALTER,
        author=author,
        work=lambda: run(steps[-1:]),
        prepare=(lambda: run(steps[:-1])) if len(steps) > 1 else None,
    )


def alter_step(rest: str) -> str:
    """ALTER TABLE with what follows the table's name."""
    return _step("ALTER TABLE {table} ", rest)


def comment_step(comment: str) -> str:
    """The table gets a comment."""
    return _step("COMMENT ON TABLE {table} IS ", quote_literal(comment))


def property_steps(
    table: Table, properties: Iterable[tuple[str, str]], *, lake_days: int
) -> list[str]:
    """The steps that set properties, whose names and values were checked before."""
    wanted = dict(properties)
    comment = wanted.pop("comment", None)
    steps = [] if comment is None else [comment_step(comment)]
    current = table.shape.properties
    delta = delta_properties(wanted.items(), current=current, lake_days=lake_days)
    if delta.get(ROW_TRACKING) == "true":
        # Every row is numbered in commits of its own first: not yet what was asked for.
        steps.append(_TRACK_ROWS)
    if delta:
        rendered = render_properties(tuple(delta.items()))
        steps.append(alter_step(f"SET TBLPROPERTIES ({rendered})"))
    return steps


def _step(head: str, tail: str) -> str:
    """A template whose second half is taken literally, whatever braces it holds."""
    return head + tail.replace("{", "{{").replace("}", "}}")
