"""Sessions with few rights, with Spark: what is allowed works, and what Spark already knows of a
table that somebody else read opens no way to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import headwater
from headwater.access.grants import Identity
from headwater.errors import HeadwaterError
from headwater.session import Session
from headwater.sql.roles import Role

WAYS_AROUND = (
    "SELECT * FROM secret",
    "WITH secret AS (SELECT * FROM secret) SELECT * FROM secret",
    "SELECT s.v FROM secret s WHERE 1 IN (WITH secret AS (SELECT 1) SELECT * FROM secret)",
    "SELECT * FROM orders PIVOT (count(*) FOR v IN ('a')) p, secret",
    "SELECT * FROM orders, LATERAL (SELECT 1), secret",
    "SELECT * FROM (TABLE secret)",
    "FROM orders |> JOIN secret ON true",
    "SELECT * FROM IDENTIFIER('secret')",
    "CACHE LAZY TABLE secret",
)


@pytest.fixture
def viewer(lake: headwater.Connection) -> Iterator[Session]:
    lake.sql(
        "CREATE USER ann PASSWORD 'correct horse' ROLE viewer;"
        "CREATE TABLE orders AS SELECT 'a' AS v; CREATE TABLE secret AS SELECT 'hidden' AS v;"
        "CREATE VIEW both AS SELECT o.v AS o, s.v AS s FROM orders o CROSS JOIN secret s;"
        "GRANT SELECT ON TABLE orders TO USER ann; GRANT SELECT ON VIEW both TO USER ann"
    )
    session = Session.beside(lake.session.lake, identity=Identity("ann", Role.VIEWER))
    yield session
    session.close()


def test_a_viewer_reads_what_it_was_granted_and_nothing_else(
    lake: headwater.Connection, viewer: Session
) -> None:
    assert lake.sql("SELECT v FROM secret").rows == [("hidden",)]
    assert viewer.run("SELECT v FROM orders").rows == [("a",)]
    assert viewer.run("SELECT o, s FROM both").rows == [("a", "hidden")]
    assert viewer.run("WITH x AS (SELECT v FROM orders) SELECT v FROM x").rows == [("a",)]
    names = viewer.run("SELECT table_name FROM information_schema.tables ORDER BY 1").rows
    assert [name for (name,) in names] == ["both", "orders"]
    kinds = viewer.run("SELECT DISTINCT user_name FROM information_schema.audit").rows
    assert kinds in ([], [("ann",)])
    for text in WAYS_AROUND:
        with pytest.raises(HeadwaterError) as caught:
            viewer.run(text)
        assert caught.value.condition in ("TABLE_NOT_FOUND", "ACCESS_DENIED", "ACCESS_UNCLEAR")
        assert "hidden" not in str(caught.value)
