"""The calls of Spark Connect, answered for SQL: statements, their rows, their columns."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pyarrow
from pyspark import __version__ as spark_version
from pyspark.sql.connect.proto import base_pb2, relations_pb2
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceServicer

from headwater.errors import UserError
from headwater.names import quote_identifier
from headwater.result import Result
from headwater.spark_connect.errors import told
from headwater.spark_connect.pictures import picture
from headwater.spark_connect.relations import (
    Asked,
    Picture,
    Query,
    Rows,
    is_query,
    limited,
    read_plan,
    sql_text,
)
from headwater.spark_connect.rows import batches, to_stream
from headwater.spark_connect.sessions import Client, Clients, LogIn, Login
from headwater.spark_connect.settings import Settings
from headwater.spark_connect.types import struct_type

_BEARER = "bearer "


class ConnectService(SparkConnectServiceServicer):
    """Answers clients; calls that have no meaning here are the base's, which says UNIMPLEMENTED."""

    def __init__(self, log_in: LogIn, time_zone: str) -> None:
        self._log_in = log_in
        self._time_zone = time_zone
        self.clients = Clients()

    def ExecutePlan(  # noqa: N802 - the names are the protocol's
        self, request: Any, context: grpc.ServicerContext
    ) -> Iterator[Any]:
        with told(context):
            client = self._client(request, context)
            operation = request.operation_id or secrets.token_hex(16)

            def answer(**fields: Any) -> Any:
                return base_pb2.ExecutePlanResponse(
                    session_id=client.id,
                    server_side_session_id=client.server_id,
                    operation_id=operation,
                    response_id=secrets.token_hex(16),
                    **fields,
                )

            with _cancelled_with(context, client, operation):
                if request.plan.WhichOneof("op_type") == "command":
                    yield answer(sql_command_result=_command(client, request.plan.command))
                else:
                    table = _table(client, read_plan(request.plan))
                    yield answer(schema=struct_type(table.schema))
                    for start, count, data in batches(table):
                        batch = base_pb2.ExecutePlanResponse.ArrowBatch(
                            row_count=count, data=data, start_offset=start
                        )
                        yield answer(arrow_batch=batch)
            yield answer(result_complete=base_pb2.ExecutePlanResponse.ResultComplete())

    def AnalyzePlan(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with told(context):
            client = self._client(request, context)
            made = base_pb2.AnalyzePlanResponse(
                session_id=client.id, server_side_session_id=client.server_id
            )
            match request.WhichOneof("analyze"):
                case "schema":
                    columns = _columns(client, read_plan(request.schema.plan))
                    made.schema.schema.CopyFrom(struct_type(columns))
                case "explain":
                    made.explain.explain_string = _explained(client, request.explain.plan)
                case "spark_version":
                    made.spark_version.version = spark_version
                case "is_local":
                    made.is_local.is_local = False
                case "is_streaming":
                    made.is_streaming.is_streaming = False
                case other:
                    raise UserError("CONNECT_NOT_SQL", what=f"the analysis '{other}'")
            return made

    def Config(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with told(context):
            client = self._client(request, context)
            pairs, warnings = Settings(client.own, self._time_zone).answer(request.operation)
            return base_pb2.ConfigResponse(
                session_id=client.id,
                server_side_session_id=client.server_id,
                pairs=[base_pb2.KeyValue(key=key, value=value) for key, value in pairs],
                warnings=warnings,
            )

    def Interrupt(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with told(context):
            client = self._client(request, context)
            if request.interrupt_type != base_pb2.InterruptRequest.INTERRUPT_TYPE_ALL:
                raise UserError("CONNECT_NOT_SQL", what="an end of one operation alone")
            ended = list(client.running)
            client.own.cancel()
            return base_pb2.InterruptResponse(
                session_id=client.id,
                server_side_session_id=client.server_id,
                interrupted_ids=ended,
            )

    def ReattachExecute(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        # Were it said that there is no such operation, the client would run the statement again.
        with told(context):
            self._login(context)
            raise UserError("CONNECT_INTERRUPTED")

    def ReleaseExecute(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with told(context):
            client = self._client(request, context)
            return base_pb2.ReleaseExecuteResponse(
                session_id=client.id,
                server_side_session_id=client.server_id,
                operation_id=request.operation_id,
            )

    def ReleaseSession(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with told(context):
            self.clients.close(self._login(context), request.session_id)
            return base_pb2.ReleaseSessionResponse(session_id=request.session_id)

    def _client(self, request: Any, context: grpc.ServicerContext) -> Client:
        return self.clients.of(self._login(context), request.session_id)

    def _login(self, context: grpc.ServicerContext) -> Login:
        said = dict(context.invocation_metadata()).get("authorization", "")
        text = said.decode("latin-1") if isinstance(said, bytes) else said
        if not text.lower().startswith(_BEARER):
            raise UserError("CONNECT_NO_TOKEN")
        return self._log_in(text[len(_BEARER) :].strip(), _address(context.peer()))


def _address(peer: str) -> str:
    """`ipv4:127.0.0.1:4711` without what stands around the address."""
    return peer.partition(":")[2].rpartition(":")[0].strip("[]")


@contextmanager
def _cancelled_with(
    context: grpc.ServicerContext, client: Client, operation: str
) -> Iterator[None]:
    """What runs inside is cancelled when the client leaves."""
    done = threading.Event()
    client.running.add(operation)

    def left() -> None:
        if not done.is_set():
            client.own.cancel()

    context.add_callback(left)
    try:
        yield
    finally:
        done.set()
        client.running.discard(operation)


def _command(client: Client, command: Any) -> Any:
    """Run a statement, unless it is a query: that runs when its rows are asked for."""
    made = base_pb2.ExecutePlanResponse.SqlCommandResult()
    kind = command.WhichOneof("command_type") or "nothing"
    if kind == "create_dataframe_view":
        _view(client, command.create_dataframe_view)
        return made
    if kind != "sql_command":
        raise UserError("CONNECT_NOT_SQL", what=f"the command '{kind}'")
    given = command.sql_command
    text = sql_text(given, given.sql)
    if given.HasField("input"):
        if given.input.WhichOneof("rel_type") != "sql":
            raise UserError("CONNECT_NOT_SQL", what="relations beside a statement")
        text = sql_text(given.input.sql, given.input.sql.query)
    if is_query(text):
        made.relation.CopyFrom(relations_pb2.Relation(sql=relations_pb2.SQL(query=text)))
    else:
        made.relation.local_relation.data = to_stream(_arrow(client.own.run(text)))
    return made


def _view(client: Client, view: Any) -> None:
    of = view.input
    if view.is_global or of.WhichOneof("rel_type") != "sql":
        raise UserError("CONNECT_NOT_SQL", what="a view that is not over a query")
    replace = "OR REPLACE " if view.replace else ""
    text = sql_text(of.sql, of.sql.query)
    if not is_query(text):
        raise UserError("CONNECT_NOT_SQL", what="a view that is not over a query")
    client.own.run(f"CREATE {replace}TEMPORARY VIEW {quote_identifier(view.name)} AS\n{text}")


def _arrow(result: Result) -> pyarrow.Table:
    return result.to_arrow() if result.returns_rows else pyarrow.table({})


def _table(client: Client, asked: Asked) -> pyarrow.Table:
    if isinstance(asked, Rows):
        return asked.table
    if isinstance(asked, Query):
        return _arrow(client.own.run(asked.text))
    return pyarrow.table({"show_string": [_pictured(client, asked)]})


def _pictured(client: Client, asked: Picture) -> str:
    rows = max(asked.rows, 0)
    # One more tells whether there are more.
    part = limited(asked.of, rows + 1)
    if isinstance(part, Rows):
        result = Result.from_arrow((), part.table, time_zone="UTC")
        names = part.table.column_names
    else:
        result = client.own.run(part.text)
        names = result.columns
    return picture(
        names,
        result.rows[:rows],
        truncate=asked.truncate,
        vertical=asked.vertical,
        more=rows if len(result.rows) > rows else None,
    )


def _columns(client: Client, asked: Asked) -> pyarrow.Schema:
    if isinstance(asked, Picture):
        return pyarrow.schema([("show_string", pyarrow.string())])
    if isinstance(asked, Query):
        return _table(client, limited(asked, 0)).schema
    return asked.table.schema


def _explained(client: Client, plan: Any) -> str:
    asked = read_plan(plan)
    if not isinstance(asked, Query):
        raise UserError("CONNECT_NOT_SQL", what="a plan of rows that are there")
    return "\n".join(str(row[0]) for row in client.own.run(f"EXPLAIN {asked.text}").rows)
