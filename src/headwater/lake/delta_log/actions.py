"""One commit of a Delta log, from its text to plain data.

Invariant: a data file's identity is its path and its deletion vector; rows are the records of the
file less those the vector deletes, and None where the writer kept no statistics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headwater.errors import UserError
from headwater.lake.delta_log.files import LOG_FOLDER, commit_name

# Spark writes the record count first, so most statistics need no JSON parser.
_RECORDS_FIRST = re.compile(r'\{"numRecords":(\d+)[,}]')


class FileId(NamedTuple):
    """What tells one version of a data file from another."""

    path: str
    deletion_vector: str | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that a commit adds or removes; `records` counts before the deletion vector."""

    id: FileId
    bytes: int | None
    records: int | None
    deleted: int = 0
    data_change: bool = True

    @property
    def rows(self) -> int | None:
        """Rows a reader sees."""
        return None if self.records is None else self.records - self.deleted


@dataclass(frozen=True, slots=True)
class Metadata:
    """The table's definition; `id` changes when the table is replaced."""

    id: str
    schema: str
    partition_columns: tuple[str, ...] = ()
    configuration: Mapping[str, str] = field(default_factory=dict)
    description: str | None = None


@dataclass(frozen=True, slots=True)
class TableProtocol:
    """What a reader or writer of the table must understand."""

    reader: int
    writer: int
    reader_features: tuple[str, ...] = ()
    writer_features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainMetadata:
    """Settings of one feature, such as the clustering columns."""

    domain: str
    configuration: str
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Transaction:
    """The last batch number an application committed."""

    application: str
    version: int


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything one commit says that Headwater reads."""

    version: int
    timestamp_ms: int | None = None
    operation: str = "UNKNOWN"
    operation_parameters: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    user_name: str | None = None
    user_metadata: str | None = None
    metadata: Metadata | None = None
    adds: tuple[DataFile, ...] = ()
    removes: tuple[DataFile, ...] = ()
    protocol: TableProtocol | None = None
    domain_metadata: tuple[DomainMetadata, ...] = ()
    transactions: tuple[Transaction, ...] = ()


def parse_commit(text: str, version: int, *, table: str) -> Commit:
    """The commit with this text; UserError DELTA_LOG_UNREADABLE when it is empty or cut short."""
    with _readable(version, table=table):
        return _commit(_actions(text), version)


def read_actions(text: str, version: int, *, table: str) -> list[dict[str, Any]]:
    """The actions of a commit as they stand there; UserError DELTA_LOG_UNREADABLE as above."""
    with _readable(version, table=table):
        return _actions(text)


def commit_timestamp(head: str) -> int | None:
    """The time a commit states, from its first line alone; None when that line does not say."""
    try:
        info = json.loads(head.split("\n", 1)[0])["commitInfo"]
        return _timestamp(info)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def record_count(stats: str | None) -> int | None:
    """The number of records that a file's statistics state."""
    if not stats:
        return None
    match = _RECORDS_FIRST.match(stats)
    count = int(match[1]) if match else json.loads(stats).get("numRecords")
    return None if count is None else int(count)


def deletion_vector_id(storage: str, path_or_inline: str, offset: int | None) -> str:
    """Delta's unique id of a deletion vector."""
    suffix = "" if offset is None else f"@{offset}"
    return f"{storage}{path_or_inline}{suffix}"


@contextmanager
def _readable(version: int, *, table: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            "DELTA_LOG_UNREADABLE",
            table=table,
            version=version,
            reason=_reason(error),
            file=f"{LOG_FOLDER}/{commit_name(version)}",
        ) from error


def _actions(text: str) -> list[dict[str, Any]]:
    # Not splitlines(): a value may hold U+2028, which ends a line for Python but not in JSON.
    actions = [json.loads(line) for line in text.split("\n") if line.strip()]
    if not actions:
        raise ValueError("the file is empty")
    return actions


def _commit(actions: list[dict[str, Any]], version: int) -> Commit:
    info: dict[str, Any] = {}
    metadata: Metadata | None = None
    protocol: TableProtocol | None = None
    adds: list[DataFile] = []
    removes: list[DataFile] = []
    domains: list[DomainMetadata] = []
    transactions: list[Transaction] = []
    for action in actions:
        for kind, body in action.items():
            match kind:
                case "add":
                    adds.append(parse_data_file(body))
                case "remove":
                    removes.append(parse_data_file(body))
                case "commitInfo":
                    info = body
                case "metaData":
                    metadata = parse_metadata(body)
                case "protocol":
                    protocol = _protocol(body)
                case "domainMetadata":
                    domains.append(parse_domain(body))
                case "txn":
                    transactions.append(Transaction(body["appId"], int(body["version"])))
    return Commit(
        version=version,
        timestamp_ms=_timestamp(info),
        operation=str(info.get("operation") or "UNKNOWN"),
        operation_parameters=_texts(info.get("operationParameters")),
        metrics=_texts(info.get("operationMetrics")),
        user_name=info.get("userName"),
        user_metadata=info.get("userMetadata"),
        metadata=metadata,
        adds=tuple(adds),
        removes=tuple(removes),
        protocol=protocol,
        domain_metadata=tuple(domains),
        transactions=tuple(transactions),
    )


def parse_metadata(body: Mapping[str, Any]) -> Metadata:
    """The `metaData` action."""
    return Metadata(
        id=body["id"],
        schema=body["schemaString"],
        partition_columns=tuple(body.get("partitionColumns") or ()),
        configuration=dict(body.get("configuration") or {}),
        description=body.get("description"),
    )


def parse_domain(body: Mapping[str, Any]) -> DomainMetadata:
    """The `domainMetadata` action."""
    removed = bool(body.get("removed"))
    return DomainMetadata(body["domain"], body.get("configuration") or "", removed)


def parse_data_file(body: Mapping[str, Any]) -> DataFile:
    """The `add` or `remove` action."""
    vector = body.get("deletionVector")
    return DataFile(
        id=file_id(body),
        bytes=body.get("size"),
        records=record_count(body.get("stats")),
        deleted=0 if vector is None else int(vector["cardinality"]),
        data_change=body.get("dataChange", True),
    )


def file_id(body: Mapping[str, Any]) -> FileId:
    """Which file the `add` or `remove` action is about."""
    vector = body.get("deletionVector")
    if vector is None:
        return FileId(body["path"])
    return FileId(
        body["path"],
        deletion_vector_id(vector["storageType"], vector["pathOrInlineDv"], vector.get("offset")),
    )


def _protocol(body: Mapping[str, Any]) -> TableProtocol:
    return TableProtocol(
        reader=int(body["minReaderVersion"]),
        writer=int(body["minWriterVersion"]),
        reader_features=tuple(body.get("readerFeatures") or ()),
        writer_features=tuple(body.get("writerFeatures") or ()),
    )


def _timestamp(info: Mapping[str, Any]) -> int | None:
    stated = info.get("inCommitTimestamp")
    stated = info.get("timestamp") if stated is None else stated
    return None if stated is None else int(stated)


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    """Parameters and metrics as text; Spark writes them so, other writers use numbers and lists."""
    return {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in (values or {}).items()
        if value is not None
    }


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
