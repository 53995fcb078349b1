"""What a form says about a dynamic table, as the statement that makes it. Pure.

Law: what is typed becomes names and values, never further clauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headwater.names import ObjectName, quote_literal, show_identifier

MODES = ("AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL")
LIFECYCLE = "data_lifecycle"


@dataclass(frozen=True, slots=True)
class TableForm:
    """The fields; columns are names with commas between them."""

    table: ObjectName
    mode: str = MODES[0]
    partitioned_by: str = ""
    clustered_by: str = ""
    sorted_by: str = ""
    buckets: int = 0
    lifecycle_days: int = 0
    comment: str = ""


def create_table_text(form: TableForm, query: str) -> str:
    """CREATE DYNAMIC TABLE, a line for each clause that is given.

    >>> form = TableForm(ObjectName("d"), partitioned_by="Day")
    >>> print(create_table_text(form, "SELECT 1 AS day;"))
    CREATE DYNAMIC TABLE d
    PARTITIONED BY (day)
    AS
    SELECT 1 AS day
    """
    body = query.strip().rstrip(";").rstrip()
    first = f"CREATE DYNAMIC TABLE {form.table}"
    clauses = list(_clauses(form))
    begin = [first, *clauses, "AS"] if clauses else [f"{first} AS"]
    return "\n".join([*begin, body])


def _clauses(form: TableForm) -> Iterator[str]:
    if partitions := _columns(form.partitioned_by):
        yield f"PARTITIONED BY ({partitions})"
    if clusters := _columns(form.clustered_by):
        order = _columns(form.sorted_by)
        buckets = f" INTO {form.buckets} BUCKETS" if form.buckets else ""
        yield f"CLUSTERED BY ({clusters}){f' SORTED BY ({order})' if order else ''}{buckets}"
    if form.comment.strip():
        yield f"COMMENT {quote_literal(form.comment.strip())}"
    if form.lifecycle_days:
        yield f"PROPERTIES ('{LIFECYCLE}' = '{form.lifecycle_days}')"
    if form.mode in MODES[1:]:
        yield f"REFRESH_MODE = {form.mode}"


def _columns(text: str) -> str:
    names = (name.strip().strip("`").lower() for name in text.split(","))
    return ", ".join(show_identifier(name) for name in names if name)
