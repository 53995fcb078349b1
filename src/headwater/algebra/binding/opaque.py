"""A relation of a FROM clause that is not taken apart: its text, with a scan for each table."""

from __future__ import annotations

import re

from sqlglot import exp

from headwater.algebra.binding.subquery import Binding
from headwater.algebra.nodes import ColumnId, Field, Opaque, Scan
from headwater.sql.dialect import Headwater


def bind_opaque(
    binding: Binding, query: exp.Expression, names: list[str]
) -> tuple[Opaque, tuple[ColumnId, ...]]:
    """A qualified query that needs nothing from outside, and the ids of its columns."""
    text, query = query.sql(dialect=Headwater), query.copy()
    scans: list[Scan] = []
    mark = "#scan"
    while mark in text:
        mark += "#"
    for table in query.find_all(exp.Table):
        source = binding.tables.get(table.alias)
        if source is None:
            continue
        fields = tuple(Field(binding.ids.new(name), name) for name, _ in source.columns)
        for key in ("db", "catalog"):
            table.set(key, None)
        table.set("this", exp.to_identifier(f"{mark}{len(scans)}", quoted=True))
        scans.append(Scan(source.id, source.name, fields))
    parts = re.split(rf"`{mark}(\d+)`", query.sql(dialect=Headwater))
    pieces = tuple(int(part) if at % 2 else part for at, part in enumerate(parts))
    ids = tuple(binding.ids.new(name) for name in names)
    return Opaque(pieces, tuple(scans), ids), ids
