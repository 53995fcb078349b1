"""Tools that speak Hive's protocol: beeline, which is JDBC, and PyHive."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyspark
import pytest
from tests.certificates import make_certificate
from tests.hive_client import connect_hive

import headwater
from headwater.hive.server import HiveServer
from headwater.lake.java import find_java
from headwater.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.timeout(180)]


@pytest.fixture
def server(lake: headwater.Connection) -> Iterator[HiveServer]:
    server = HiveServer(lambda login, address: lambda: Session.beside(lake.session.lake))
    server.start()
    yield server
    server.close()


def beeline(
    server: HiveServer, *statements: str, options: str = ""
) -> subprocess.CompletedProcess[str]:
    """Hive's own shell, which comes with Spark."""
    jars = Path(pyspark.__file__).parent / "jars"
    given = [part for text in statements for part in ("-e", text)]
    return subprocess.run(
        [
            *(str(find_java().path), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            *("-cp", f"{jars}/*", "org.apache.hive.beeline.BeeLine"),
            *("-u", f"jdbc:hive2://127.0.0.1:{server.port}/{options}", "-n", "ada", "-p", "secret"),
            *("--outputformat=csv2", "--silent=true", *given),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_beeline_runs_our_statements(server: HiveServer, lake: headwater.Connection) -> None:
    done = beeline(
        server,
        "CREATE TABLE t (id INT, name STRING, price DECIMAL(10,2), at TIMESTAMP)",
        "INSERT INTO t VALUES (1, 'a', 1.5, TIMESTAMP '2026-01-02 03:04:05')",
        "INSERT INTO t (id) VALUES (2)",
        "CREATE DYNAMIC TABLE d AS SELECT count(*) AS n FROM t",
        "REFRESH DYNAMIC TABLE d",
        "SELECT * FROM t ORDER BY id",
        "SELECT * FROM d",
        "SHOW TABLES",
    )
    assert done.returncode == 0, done.stderr
    # The shell prints its prompt before the first line of a result.
    lines = [line.rpartition("/> ")[2] for line in done.stdout.split("\n")]
    assert "id,name,price,at" in lines
    assert "1,a,1.50,2026-01-02 03:04:05.0" in lines
    assert "2,NULL,NULL,NULL" in lines
    assert "public,d,false,false,false,true" in lines
    assert lake.sql("SELECT n FROM d").rows == [(2,)]


def test_beeline_shows_an_error_as_we_write_it(server: HiveServer) -> None:
    done = beeline(server, "SELECT nope FROM range(3)")
    assert done.returncode != 0
    assert "UNRESOLVED_COLUMN" in done.stderr
    assert "org.apache.spark" not in done.stderr


def test_pyhive_reads_every_type(server: HiveServer) -> None:
    query = """
        SELECT true, 1Y, 2S, 3, 4L, 1.5F, 2.5D, 1.50, 'x', X'FF', DATE '2026-01-02',
               TIMESTAMP '2026-01-02 03:04:05.678', array(1, NULL), map('a', 1), NULL
    """
    with connect_hive(server.port) as it:
        cursor = it.cursor()
        cursor.execute(query)
        assert cursor.fetchall() == [
            (
                *(True, 1, 2, 3, 4, 1.5, 2.5, Decimal("1.50"), "x", b"\xff", "2026-01-02"),
                *(datetime(2026, 1, 2, 3, 4, 5, 678000), "[1,null]", '{"a":1}', None),
            )
        ]
        cursor.execute("SELECT id FROM range(25000)")
        assert [row[0] for row in cursor.fetchall()] == list(range(25000))


def test_a_long_query_is_cancelled(server: HiveServer) -> None:
    with connect_hive(server.port) as it:
        cursor = it.cursor()
        # Many short tasks: Spark does not end one in the middle.
        slow = "SELECT count(*) FROM range(0, 100000000000, 1, 20000) WHERE sqrt(id) % 7 = 1"
        cursor.execute(slow, async_=True)
        cursor.cancel()
        assert cursor.poll().operationState == 3
        cursor.close()
        other = it.cursor()
        other.execute("SELECT 1")
        assert other.fetchall() == [(1,)]


def test_beeline_speaks_tls(lake: headwater.Connection, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    trusted = tmp_path / "trust.p12"
    # JDBC takes certificates in the form of Java's own tools alone.
    subprocess.run(
        [
            *(
                find_java().path.resolve().with_name("keytool"),
                "-importcert",
                "-noprompt",
                "-alias",
                "ours",
            ),
            *("-file", certificate[0], "-keystore", trusted, "-storepass", "changeit"),
        ],
        check=True,
        timeout=60,
        capture_output=True,
    )
    server = HiveServer(lambda login, address: lambda: Session.beside(lake.session.lake), tls=tls)
    server.start()
    try:
        done = beeline(
            server,
            "SHOW SCHEMAS",
            options=f";ssl=true;sslTrustStore={trusted};trustStorePassword=changeit",
        )
        assert done.returncode == 0, done.stderr
        assert "public" in done.stdout
        assert beeline(server, "SHOW SCHEMAS").returncode != 0
    finally:
        server.close()
