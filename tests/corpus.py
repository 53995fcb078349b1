"""The SQL of this project that runs well: what no check may refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.algebra_trees import read_cases
from tests.golden_plans import parse as parse_plans
from tests.sql_file import parse as parse_sql_file

ROOT = Path(__file__).parents[1]
_SQL_BLOCK = re.compile(r"```sql\n(.*?)```", re.DOTALL)


def scripts() -> Iterator[str]:
    """Everything that runs well somewhere in this project."""
    for path in sorted((ROOT / "tests" / "sql").glob("*.test")):
        for record in parse_sql_file(path.read_text(encoding="utf-8")).records:
            if record.kind == "query" or record.head.startswith("statement ok"):
                yield record.sql
    yield from (case.text for case in read_cases().values())
    for path in sorted((ROOT / "tests" / "plans").rglob("*.txt")):
        yield parse_plans(path.read_text(encoding="utf-8")).query
    for path in sorted((ROOT / "bench" / "tpch" / "queries").glob("*.sql")):
        yield path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples").rglob("*.sql")):
        if "{{" not in (text := path.read_text(encoding="utf-8")):
            yield text


def documents() -> Iterator[str]:
    """The SQL of the documents: some of it is grammar."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        yield from _SQL_BLOCK.findall(path.read_text(encoding="utf-8"))
