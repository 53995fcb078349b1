"""Random queries, random changes: after every refresh the contents are the query's answer.

Eight dynamic tables over the same three tables live through a few batches of changes; each is
refreshed after each batch and compared, both ways, with its query at the versions it recorded.
After the first batch everything is read only where the keys of a change lie, as of large tables.
Repeat one with HEADWATER_REFRESH_SEED=<seed>; `make fuzz SEEDS=100` runs as many new ones.
"""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from tests.seeds import seeds
from tests.spark.random_queries import DEFINITIONS, RandomQueries, random_dml, random_rows

import headwater
from headwater.errors import UserError
from headwater.refresh import key_spans, planned

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]

QUERIES, BATCHES = 8, 3
FIXED = (2,)


@pytest.mark.parametrize("seed", seeds("HEADWATER_REFRESH_SEED", FIXED))
def test_refreshes_equal_the_query(
    lake: headwater.Connection, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refresh equivalence (guarantee 1), whatever the query and whatever changed."""
    print(f"HEADWATER_REFRESH_SEED={seed}")
    random = Random(seed)
    _make_tables(lake, random)
    queries = _make_dynamic_tables(lake, random)
    kinds: dict[str, int] = {}
    for batch in range(BATCHES):
        done = [random_dml(random, random.choice("rtv")) for _ in range(random.randint(1, 3))]
        for statement in done:
            lake.sql(statement)
        for name, query in queries.items():
            kind = _refresh(lake, name)
            kinds[kind] = kinds.get(kind, 0) + 1
            found = dict(zip(*_verified(lake, name), strict=True))
            assert found["equal"], f"batch {batch}, {kind}: {query}\nafter {done}\n{found}"
        _read_as_if_large(monkeypatch)
    print(kinds)
    assert kinds.get("INCREMENTAL", 0) > kinds.get("FULL", 0), kinds


def _read_as_if_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "VERY_LITTLE", 0)
    monkeypatch.setattr(key_spans, "LEAST_ROWS", 0)
    monkeypatch.setattr(key_spans, "MOST_SHARE", 1.0)


def _make_tables(lake: headwater.Connection, random: Random) -> None:
    for table, columns in DEFINITIONS.items():
        lake.sql(f"CREATE TABLE {table} ({columns})")
        lake.sql(f"INSERT INTO {table} VALUES {random_rows(random, table, 6)}")


def _make_dynamic_tables(lake: headwater.Connection, random: Random) -> dict[str, str]:
    """Queries that Spark refuses, such as those whose types do not fit, are passed over."""
    maker, made = RandomQueries(random), dict[str, str]()
    for number in count(1):
        query = maker.query()
        try:
            lake.sql(f"CREATE DYNAMIC TABLE d{number} REFRESH_MODE = INCREMENTAL AS {query}")
        except UserError:
            continue
        lake.sql(f"REFRESH DYNAMIC TABLE d{number}")
        made[f"d{number}"] = query
        if len(made) == QUERIES:
            break
    return made


def _refresh(lake: headwater.Connection, name: str) -> str:
    lake.sql(f"REFRESH DYNAMIC TABLE {name}")
    history = f"SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = '{name}' LIMIT 1"
    found = lake.sql(history)
    return str(found.rows[0][found.columns.index("refresh_mode")])


def _verified(lake: headwater.Connection, name: str) -> tuple[list[str], tuple[object, ...]]:
    found = lake.sql(f"VERIFY DYNAMIC TABLE {name}")
    return list(found.columns), found.rows[0]
