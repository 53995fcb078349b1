"""The calls of Hive's protocol, answered for one client: its sessions and its operations."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from typing import Any, Protocol

from TCLIService import ttypes

import headwater
from headwater.errors import HeadwaterError, UserError
from headwater.hive import listings
from headwater.hive.columns import row_set, table_schema
from headwater.hive.operations import Operation, State
from headwater.names import quote_identifier
from headwater.result import Column, Result

_STATUS = ttypes.TStatusCode
_KINDS = ttypes.TOperationType
_STATES = {
    State.RUNNING: ttypes.TOperationState.RUNNING_STATE,
    State.FINISHED: ttypes.TOperationState.FINISHED_STATE,
    State.CANCELLED: ttypes.TOperationState.CANCELED_STATE,
    State.FAILED: ttypes.TOperationState.ERROR_STATE,
}
_VERSION = ttypes.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V8
# Columns instead of rows begin here; older clients would read nothing.
_OLDEST = ttypes.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V6
_POLL_SECONDS = 5.0
_DATABASE = "use:database"
_HIVES_DEFAULT = "default"
_SERVER, _PRODUCT, _PRODUCT_VERSION = 13, 17, 18


class ClientSession(Protocol):
    """What the endpoint needs of a session."""

    def run(self, text: str) -> Result: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


Open = Callable[[], ClientSession]


class Handler:
    """Answers one client; what it left open is closed with it."""

    def __init__(self, open_session: Open) -> None:
        self._open = open_session
        self._sessions: dict[bytes, ClientSession] = {}
        self._operations: dict[bytes, Operation] = {}

    def close(self) -> None:
        """Cancel what runs and give all sessions back."""
        for operation in self._operations.values():
            operation.cancel()
        for session in self._sessions.values():
            session.close()
        self._operations.clear()
        self._sessions.clear()

    def OpenSession(self, req: Any) -> Any:  # noqa: N802 - the names are the protocol's
        if req.client_protocol < _OLDEST:
            return ttypes.TOpenSessionResp(_failed_text("a client of Hive 0.13 or newer is needed"))
        session = self._open()
        try:
            self._use(session, (req.configuration or {}).get(_DATABASE))
        except HeadwaterError as error:
            session.close()
            return ttypes.TOpenSessionResp(_failed(error), serverProtocolVersion=_VERSION)
        handle = _new_handle()
        self._sessions[handle.guid] = session
        return ttypes.TOpenSessionResp(
            _done(),
            min(req.client_protocol, _VERSION),
            ttypes.TSessionHandle(handle),
            configuration={},
        )

    @staticmethod
    def _use(session: ClientSession, schema: str | None) -> None:
        """Clients that were told no schema ask for Hive's `default`, which need not be there."""
        if schema and schema != _HIVES_DEFAULT:
            session.run(f"USE {quote_identifier(schema)}")

    def CloseSession(self, req: Any) -> Any:  # noqa: N802
        session = self._sessions.pop(req.sessionHandle.sessionId.guid, None)
        if session is None:
            return ttypes.TCloseSessionResp(_no_handle())
        session.close()
        return ttypes.TCloseSessionResp(_done())

    def ExecuteStatement(self, req: Any) -> Any:  # noqa: N802
        session = self._session(req)
        if session is None:
            return ttypes.TExecuteStatementResp(_no_handle())
        text = req.statement
        operation = Operation(lambda: _run(session, text), session.cancel)
        if req.runAsync:
            operation.start()
        else:
            operation.run()
            if operation.error is not None:
                return ttypes.TExecuteStatementResp(_failed(operation.error))
        return ttypes.TExecuteStatementResp(
            _done(), self._keep(operation, _KINDS.EXECUTE_STATEMENT)
        )

    def GetOperationStatus(self, req: Any) -> Any:  # noqa: N802
        operation = self._operation(req)
        if operation is None:
            return ttypes.TGetOperationStatusResp(_no_handle())
        # Waiting here spares clients that ask again at once.
        operation.wait(_POLL_SECONDS)
        answer = ttypes.TGetOperationStatusResp(_done(), _STATES[operation.state])
        answer.hasResultSet = operation.result is not None and operation.result.returns_rows
        if operation.state is State.FAILED and operation.error is not None:
            answer.sqlState, answer.errorMessage = operation.error.sqlstate, str(operation.error)
            answer.errorCode = 1
        return answer

    def CancelOperation(self, req: Any) -> Any:  # noqa: N802
        operation = self._operation(req)
        if operation is None:
            return ttypes.TCancelOperationResp(_no_handle())
        operation.cancel()
        return ttypes.TCancelOperationResp(_done())

    def CloseOperation(self, req: Any) -> Any:  # noqa: N802
        operation = self._operations.pop(req.operationHandle.operationId.guid, None)
        if operation is None:
            return ttypes.TCloseOperationResp(_no_handle())
        operation.cancel()
        return ttypes.TCloseOperationResp(_done())

    def GetResultSetMetadata(self, req: Any) -> Any:  # noqa: N802
        operation = self._operation(req)
        if operation is None:
            return ttypes.TGetResultSetMetadataResp(_no_handle())
        operation.wait()
        if operation.error is not None:
            return ttypes.TGetResultSetMetadataResp(_failed(operation.error))
        return ttypes.TGetResultSetMetadataResp(_done(), table_schema(_columns(operation)))

    def FetchResults(self, req: Any) -> Any:  # noqa: N802
        operation = self._operation(req)
        if operation is None:
            return ttypes.TFetchResultsResp(_no_handle())
        if req.fetchType == 1:
            # The log of the statement: we have none that a client would show.
            log = row_set((Column("Log", "string"),), [], 0)
            return ttypes.TFetchResultsResp(_done(), hasMoreRows=False, results=log)
        operation.wait()
        if operation.error is not None:
            return ttypes.TFetchResultsResp(_failed(operation.error))
        if req.orientation == ttypes.TFetchOrientation.FETCH_FIRST:
            operation.rewind()
        start, rows = operation.take(req.maxRows or 0)
        results = row_set(_columns(operation), rows, start)
        # Clients ask until they get no row, whatever this says.
        return ttypes.TFetchResultsResp(_done(), hasMoreRows=bool(rows), results=results)

    def GetInfo(self, req: Any) -> Any:  # noqa: N802
        known = {
            _SERVER: "Headwater",
            _PRODUCT: "Headwater",
            _PRODUCT_VERSION: headwater.__version__,
        }
        value = ttypes.TGetInfoValue(stringValue=known.get(req.infoType, ""))
        return ttypes.TGetInfoResp(_done(), value)

    def GetCatalogs(self, req: Any) -> Any:  # noqa: N802
        return self._listed(req, _KINDS.GET_CATALOGS, ttypes.TGetCatalogsResp, listings.catalogs)

    def GetSchemas(self, req: Any) -> Any:  # noqa: N802
        return self._asked(
            req,
            _KINDS.GET_SCHEMAS,
            ttypes.TGetSchemasResp,
            lambda run: listings.schemas(run, req.schemaName),
        )

    def GetTables(self, req: Any) -> Any:  # noqa: N802
        return self._asked(
            req,
            _KINDS.GET_TABLES,
            ttypes.TGetTablesResp,
            lambda run: listings.tables(run, req.schemaName, req.tableName, req.tableTypes),
        )

    def GetColumns(self, req: Any) -> Any:  # noqa: N802
        return self._asked(
            req,
            _KINDS.GET_COLUMNS,
            ttypes.TGetColumnsResp,
            lambda run: listings.columns(run, req.schemaName, req.tableName, req.columnName),
        )

    def GetTableTypes(self, req: Any) -> Any:  # noqa: N802
        kind, answer = _KINDS.GET_TABLE_TYPES, ttypes.TGetTableTypesResp
        return self._listed(req, kind, answer, listings.table_types)

    def GetTypeInfo(self, req: Any) -> Any:  # noqa: N802
        return self._listed(req, _KINDS.GET_TYPE_INFO, ttypes.TGetTypeInfoResp, listings.types)

    def GetFunctions(self, req: Any) -> Any:  # noqa: N802
        return self._listed(req, _KINDS.GET_FUNCTIONS, ttypes.TGetFunctionsResp, listings.functions)

    def _listed(self, req: Any, kind: int, answer: Any, make: Callable[[], Result]) -> Any:
        return self._asked(req, kind, answer, lambda run: make())

    def _asked(
        self, req: Any, kind: int, answer: Any, make: Callable[[listings.Run], Result]
    ) -> Any:
        session = self._session(req)
        if session is None:
            return answer(_no_handle())
        operation = Operation(lambda: make(session.run))
        operation.run()
        if operation.error is not None:
            return answer(_failed(operation.error))
        return answer(_done(), self._keep(operation, kind))

    def _session(self, req: Any) -> ClientSession | None:
        return self._sessions.get(req.sessionHandle.sessionId.guid)

    def _operation(self, req: Any) -> Operation | None:
        return self._operations.get(req.operationHandle.operationId.guid)

    def _keep(self, operation: Operation, kind: int) -> Any:
        handle = _new_handle()
        self._operations[handle.guid] = operation
        rows = True if operation.result is None else operation.result.returns_rows
        return ttypes.TOperationHandle(handle, kind, hasResultSet=rows)

    def _refused(self, answer: Any) -> Any:
        return answer(_failed_text("this call of Hive's protocol has no meaning here"))

    def GetLog(self, req: Any) -> Any:  # noqa: N802
        return self._refused(ttypes.TGetLogResp)

    def GetPrimaryKeys(self, req: Any) -> Any:  # noqa: N802
        return self._refused(ttypes.TGetPrimaryKeysResp)

    def GetCrossReference(self, req: Any) -> Any:  # noqa: N802
        return self._refused(ttypes.TGetCrossReferenceResp)

    def GetDelegationToken(self, req: Any) -> Any:  # noqa: N802
        return self._refused(ttypes.TGetDelegationTokenResp)

    def CancelDelegationToken(self, req: Any) -> Any:  # noqa: N802
        return self._refused(ttypes.TCancelDelegationTokenResp)

    def RenewDelegationToken(self, req: Any) -> Any:  # noqa: N802
        return self._refused(ttypes.TRenewDelegationTokenResp)


def _run(session: ClientSession, text: str) -> Result:
    """Run a statement; `USE default`, with which clients begin, may name what is not there."""
    try:
        return session.run(text)
    except UserError as error:
        words = text.replace("`", "").split()
        unasked = [word.lower() for word in words] == ["use", _HIVES_DEFAULT]
        if error.condition == "SCHEMA_NOT_FOUND" and unasked:
            return Result()
        raise


def _columns(operation: Operation) -> tuple[Column, ...]:
    assert operation.result is not None
    return operation.result.schema


def _new_handle() -> Any:
    return ttypes.THandleIdentifier(uuid.uuid4().bytes, secrets.token_bytes(16))


def _done() -> Any:
    return ttypes.TStatus(_STATUS.SUCCESS_STATUS)


def _failed(error: HeadwaterError) -> Any:
    return ttypes.TStatus(
        _STATUS.ERROR_STATUS, sqlState=error.sqlstate, errorCode=1, errorMessage=str(error)
    )


def _failed_text(why: str) -> Any:
    return ttypes.TStatus(_STATUS.ERROR_STATUS, errorCode=1, errorMessage=why)


def _no_handle() -> Any:
    return ttypes.TStatus(_STATUS.INVALID_HANDLE_STATUS, errorMessage="this handle is not known")
