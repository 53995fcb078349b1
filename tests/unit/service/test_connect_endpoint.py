"""PySpark's own Connect client against a real service, with statements that need no Spark."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub

import headwater
from headwater.errors import UserError
from headwater.service.server import Listening, Server
from headwater.service.service import Service

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

HEAD = """
import sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
def failure(work):
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__} {error.getCondition()}: {str(error).splitlines()[0]}"
    return "no failure"
"""


def run_client(url: str, code: str) -> list[str]:
    """The lines that a script prints, which has `spark`, a session of PySpark's client."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code + "\nspark.stop()", url],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def url_of(server: Server, token: str) -> str:
    assert server.connect_url is not None
    return server.connect_url.replace("TOKEN", token)


def stub_of(server: Server) -> SparkConnectServiceStub:
    address = server.connect_url.removeprefix("sc://").partition("/")[0]
    return SparkConnectServiceStub(grpc.secure_channel(address, grpc.local_channel_credentials()))


@pytest.fixture
def listening() -> Listening:
    return Listening(port=0, connect_port=0)


@pytest.fixture
def ada(server: Server, token: str) -> str:
    """The token of a developer."""
    with headwater.connect(server.url, token=token) as owner:
        owner.sql("CREATE USER ada PASSWORD 'correct horse battery' ROLE developer")
        made = owner.sql("CREATE TOKEN laptop FOR USER ada").to_dicts()
        return str(made[0]["token"])


def test_statements_run_once_and_give_their_rows(server, ada):
    lines = run_client(
        url_of(server, ada),
        """
made = spark.sql("CREATE SCHEMA sales")
print(made.collect(), made.count())
shown = spark.sql("SHOW SCHEMAS")
print(shown.collect(), shown.columns, shown.count(), shown.limit(1).collect())
shown.show()
print(shown.toPandas().to_dict())
spark.sql("USE sales")
spark.sql("CREATE VOLUME v")
print(spark.sql("SHOW VOLUMES").count(), spark.version)
spark.conf.set("query_tag", "it's mine")
print(spark.conf.get("query_tag"), spark.conf.get("spark.sql.session.timeZone"))
spark.conf.unset("query_tag")
print(spark.conf.get("query_tag", "none"))
""",
    )
    assert lines == [
        "[] 0",
        "[Row(schema_name='public'), Row(schema_name='sales')] ['schema_name'] 2 "
        "[Row(schema_name='public')]",
        "+-----------+",
        "|schema_name|",
        "+-----------+",
        "|     public|",
        "|      sales|",
        "+-----------+",
        "",
        "{'schema_name': {0: 'public', 1: 'sales'}}",
        "1 4.2.0",
        f"it's mine {server.service.lake.config.time_zone}",
        "none",
    ]


def test_errors_are_ours_and_what_is_no_sql_is_named(server, ada):
    lines = run_client(
        url_of(server, ada),
        """
rows = spark.sql("SHOW SCHEMAS")
for work in (
    lambda: spark.sql("DESC TABLE nope"),
    lambda: spark.sql("SELEC 1"),
    lambda: spark.sql("DROP USER ada"),
    lambda: rows.filter("true").collect(),
    lambda: rows.groupBy("schema_name").count().collect(),
    lambda: rows.write.saveAsTable("t"),
    lambda: spark.range(3).collect(),
    lambda: spark.sql("SELECT ?", args=[1]),
    lambda: spark.createDataFrame([(1,)], ["a"]),
    lambda: spark.read.format("csv").load("/etc/passwd").collect(),
    lambda: spark.table("t; DROP SCHEMA public").collect(),
    lambda: spark.conf.set("no.such", "1"),
):
    print(failure(work))
print(rows.count())
""",
    )
    found = [line.partition(": ")[0] for line in lines]
    assert found == [
        "AnalysisException TABLE_NOT_FOUND",
        "AnalysisException UNKNOWN_STATEMENT",
        "AnalysisException ACCESS_DENIED",
        *["AnalysisException CONNECT_NOT_SQL"] * 7,
        "AnalysisException SYNTAX_ERROR",
        "AnalysisException UNKNOWN_SETTING",
        "1",
    ]
    assert "the relation 'filter'" in lines[3]


def test_a_bad_token_opens_nothing_and_sessions_are_their_owners(server, ada, token):
    assert "LOGIN_FAILED" in "\n".join(_refused(server, "hw_nobody"))
    stub = stub_of(server)
    version = base_pb2.AnalyzePlanRequest(session_id="s")
    version.spark_version.SetInParent()
    with pytest.raises(grpc.RpcError) as caught:
        stub.AnalyzePlan(version)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED

    def config(bearer: str, **operation: object) -> base_pb2.ConfigResponse:
        request = base_pb2.ConfigRequest(session_id="same")
        if "set" in operation:
            request.operation.set.pairs.add(key="query_tag", value="hers")
        request.operation.get_option.keys.append("query_tag") if "get" in operation else None
        return stub.Config(request, metadata=[("authorization", f"Bearer {bearer}")])

    config(ada, set=True)
    assert config(ada, get=True).pairs[0].value == "hers"
    with headwater.connect(server.url, token=token) as owner:
        owner.sql("CREATE USER bob PASSWORD 'correct horse battery' ROLE viewer")
        bob = owner.sql("CREATE TOKEN t FOR USER bob").to_dicts()[0]["token"]
    assert not config(bob, get=True).pairs[0].HasField("value")


def _refused(server: Server, token: str) -> list[str]:
    return run_client(url_of(server, token), 'print(failure(lambda: spark.sql("SHOW SCHEMAS")))')


def test_damaged_rows_and_a_broken_connection_are_said(server, ada):
    stub, bearer = stub_of(server), [("authorization", f"Bearer {ada}")]
    asked = base_pb2.ExecutePlanRequest(session_id="s")
    asked.plan.root.local_relation.data = b"\x00\x01 not Arrow"
    with pytest.raises(grpc.RpcError, match="CONNECT_PLAN_DAMAGED"):
        list(stub.ExecutePlan(asked, metadata=bearer))
    # A client that is told of no operation would run its statement again.
    again = base_pb2.ReattachExecuteRequest(session_id="s", operation_id="o")
    with pytest.raises(grpc.RpcError, match="CONNECT_INTERRUPTED"):
        list(stub.ReattachExecute(again, metadata=bearer))


def test_with_a_certificate_it_speaks_tls(lake: Path, certificate: tuple[str, str]) -> None:
    service = Service.open(lake, loops=False)
    server = Server(service, Listening("127.0.0.1", 0, *certificate, connect_port=0))
    server.start()
    try:
        assert server.connect_url is not None
        address, _, tail = server.connect_url.removeprefix("sc://").partition("/")
        assert tail == ";use_ssl=true;token=TOKEN"
        trusted = grpc.ssl_channel_credentials(Path(certificate[0]).read_bytes())
        version = base_pb2.AnalyzePlanRequest(session_id="s")
        version.spark_version.SetInParent()
        for credentials, answer in (
            (trusted, grpc.StatusCode.UNAUTHENTICATED),
            (grpc.ssl_channel_credentials(), grpc.StatusCode.UNAVAILABLE),
        ):
            began = time.monotonic()
            stub = SparkConnectServiceStub(grpc.secure_channel(address, credentials))
            with pytest.raises(grpc.RpcError) as caught:
                stub.AnalyzePlan(version, timeout=20)
            assert caught.value.code() is answer
            assert time.monotonic() - began < 15
    finally:
        server.stop()


def test_a_port_that_is_taken_is_said(server: Server, lake: Path) -> None:
    assert server.connect_url is not None
    port = int(server.connect_url.partition("localhost:")[2].partition("/")[0])
    other = Server(server.service, Listening(port=0, connect_port=port))
    assert other._connect is not None
    with pytest.raises(UserError, match="ADDRESS_NOT_FREE"):
        other._connect.start()
