"""PySpark's Connect client against a service with Spark behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.processes import wait_for
from tests.unit.service.test_connect_endpoint import run_client, url_of

import headwater
from headwater.client.local_service import TOKEN_FILE
from headwater.dbapi import Connection
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]


@pytest.fixture
def server(lake_path: Path) -> Iterator[Server]:
    service = Service.open(lake_path, loops=False)
    server = Server(service, Listening(port=0, connect_port=0))
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    yield server
    server.stop()


@pytest.fixture
def sql(server: Server, lake_path: Path) -> Iterator[Connection]:
    token = (lake_path / TOKEN_FILE).read_text()
    with headwater.connect(server.url, token=token) as owner:
        yield owner


def url_for(server: Server, sql: Connection, user: str, role: str) -> str:
    sql.sql(f"CREATE USER {user} PASSWORD 'correct horse battery' ROLE {role}")
    made = sql.sql(f"CREATE TOKEN t FOR USER {user}").to_dicts()
    return url_of(server, str(made[0]["token"]))


def test_queries_give_rows_and_our_statements_are_reached(server: Server, sql: Connection) -> None:
    lines = run_client(
        url_for(server, sql, "ada", "admin"),
        """
spark.sql("CREATE TABLE t (id INT, name STRING, price DECIMAL(10,2), at TIMESTAMP)")
spark.sql("INSERT INTO t VALUES (1, 'a', 1.5, TIMESTAMP '2026-01-02 03:04:05')")
spark.sql("INSERT INTO t (id) VALUES (2)")
spark.sql("CREATE DYNAMIC TABLE d AS SELECT count(*) AS n FROM t")
spark.sql("REFRESH DYNAMIC TABLE d")
rows = spark.sql("SELECT * FROM t ORDER BY id -- all of them")
print(rows.schema.simpleString())
print(rows.collect()[0])
rows.show()
print(rows.count(), rows.first().id, rows.take(1)[0].id, spark.table("d").collect()[0].n)
print(list(rows.toPandas()["id"]), rows.toArrow().num_rows)
rows.createOrReplaceTempView("v")
print(spark.sql("SELECT sum(id) AS s FROM v").collect())
big = spark.sql("SELECT id, repeat('x', 50) AS s FROM range(200000)")
print(sum(row.id for row in big.collect()), big.count())
nested = spark.sql('''
    SELECT array(1, NULL) AS a, map('k', 1) AS m, named_struct('x', 1) AS s, X'FF' AS b,
        DATE '2026-01-02' AS d, INTERVAL '1' DAY AS i, NULL AS n
''')
print(nested.collect()[0])
print(failure(lambda: spark.sql("SELECT nope FROM t").collect()))
print("Scan" in rows._explain_string(), rows.dtypes[0])
""",
    )
    assert lines == [
        "struct<id:int,name:string,price:decimal(10,2),at:timestamp>",
        "Row(id=1, name='a', price=Decimal('1.50'), at=datetime.datetime(2026, 1, 2, 3, 4, 5))",
        "+---+----+-----+-------------------+",
        "| id|name|price|                 at|",
        "+---+----+-----+-------------------+",
        "|  1|   a| 1.50|2026-01-02 03:04:05|",
        "|  2|NULL| NULL|               NULL|",
        "+---+----+-----+-------------------+",
        "",
        "2 1 1 2",
        "[1, 2] 2",
        "[Row(s=3)]",
        "19999900000 200000",
        "Row(a=[1, None], m={'k': 1}, s=Row(x=1), b=b'\\xff', d=datetime.date(2026, 1, 2), "
        "i=datetime.timedelta(days=1), n=None)",
        lines[-2],
        "True ('id', 'int')",
    ]
    assert lines[-2].startswith("AnalysisException UNRESOLVED_COLUMN")
    assert sql.sql("SELECT n FROM d").rows == [(2,)]
    assert sql.sql("SHOW JOBS WHERE creator = 'ada'").rows


def test_rights_are_the_tokens_and_a_query_can_be_interrupted(
    server: Server, sql: Connection
) -> None:
    sql.sql("CREATE TABLE secret (id INT)")
    lines = run_client(
        url_for(server, sql, "bob", "viewer"),
        """
import threading, time
print(failure(lambda: spark.sql("SELECT * FROM secret").collect()))
print(failure(lambda: spark.table("secret").collect()))
print(failure(lambda: spark.sql("CREATE TABLE t (id INT)")))
slow = spark.sql("SELECT count(*) FROM range(0, 100000000000, 1, 20000) WHERE sqrt(id) % 7 = 1")
def stop():
    for _ in range(40):
        time.sleep(1)
        spark.interruptAll()
threading.Thread(target=stop, daemon=True).start()
began = time.monotonic()
print(failure(slow.collect))
print(time.monotonic() - began < 30, spark.sql("SELECT 1 AS one").collect())
""",
    )
    assert ["TABLE_NOT_FOUND" in line or "ACCESS_DENIED" in line for line in lines[:3]] == [
        True
    ] * 3
    assert "no failure" not in lines[3]
    assert lines[4] == "True [Row(one=1)]"
