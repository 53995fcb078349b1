"""A checkpoint of a Delta log: classic, in several parts, or with sidecars, read with pyarrow.

Invariant: only the columns that say which files are live and how large they are get read. pyarrow
is imported here and nowhere else in this package, and only when a checkpoint is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.errors import UserError
from headwater.lake.delta_log.actions import (
    DataFile,
    DomainMetadata,
    FileId,
    Metadata,
    deletion_vector_id,
    parse_data_file,
    parse_domain,
    parse_metadata,
    record_count,
)
from headwater.lake.delta_log.files import LOG_FOLDER, Checkpoint, LogFiles

if TYPE_CHECKING:
    import pyarrow as pa

_METADATA = (
    "metaData.id",
    "metaData.description",
    "metaData.schemaString",
    "metaData.partitionColumns",
    "metaData.configuration",
)
_COLUMNS = (
    "add.path",
    "add.size",
    "add.stats",
    "add.stats_parsed.numRecords",
    "add.deletionVector.storageType",
    "add.deletionVector.pathOrInlineDv",
    "add.deletionVector.offset",
    "add.deletionVector.cardinality",
    *_METADATA,
    "domainMetadata",
    "sidecar.path",
)


@dataclass(slots=True)
class CheckpointState:
    """What a checkpoint says, filled while its files are read."""

    metadata: Metadata | None = None
    files: list[DataFile] = field(default_factory=list)
    domains: list[DomainMetadata] = field(default_factory=list)
    sidecars: list[str] = field(default_factory=list)


def read_checkpoint(files: LogFiles, checkpoint: Checkpoint) -> CheckpointState:
    """The state a checkpoint holds, its sidecars included."""
    return _read(files, checkpoint, columns=_COLUMNS)


def read_checkpoint_metadata(files: LogFiles, checkpoint: Checkpoint) -> Metadata | None:
    """The table's definition in a checkpoint, without looking at the table's files."""
    return _read(files, checkpoint, columns=_METADATA).metadata


def _read(files: LogFiles, checkpoint: Checkpoint, *, columns: Sequence[str]) -> CheckpointState:
    state = CheckpointState()
    try:
        for name in checkpoint.names:
            if name.endswith(".json"):
                _read_json(files, name, state=state)
            else:
                _read_parquet(files, name, columns=columns, state=state)
        for name in tuple(state.sidecars) if columns is _COLUMNS else ():
            _read_parquet(files, f"_sidecars/{name}", columns=columns, state=state)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            "DELTA_LOG_UNREADABLE",
            table=files.table,
            version=checkpoint.version,
            reason=str(error),
            file=f"{LOG_FOLDER}/{name}",
        ) from error
    return state


def _read_json(files: LogFiles, name: str, *, state: CheckpointState) -> None:
    with files.open(name) as file:
        for line in file:
            action = json.loads(line)
            if "add" in action:
                state.files.append(parse_data_file(action["add"]))
            elif "metaData" in action:
                state.metadata = parse_metadata(action["metaData"])
            elif "domainMetadata" in action:
                state.domains.append(parse_domain(action["domainMetadata"]))
            elif "sidecar" in action:
                state.sidecars.append(action["sidecar"]["path"])


def _read_parquet(
    files: LogFiles, name: str, *, columns: Sequence[str], state: CheckpointState
) -> None:
    import pyarrow.parquet as pq

    with files.open(name) as file:
        for batch in pq.ParquetFile(file).iter_batches(columns=list(columns)):
            state.files.extend(_data_files(batch))
            for body in _actions(batch, "metaData"):
                configuration = dict(body.get("configuration") or ())
                state.metadata = parse_metadata({**body, "configuration": configuration})
            state.domains.extend(parse_domain(body) for body in _actions(batch, "domainMetadata"))
            state.sidecars.extend(body["path"] for body in _actions(batch, "sidecar"))


def _actions(batch: pa.RecordBatch, kind: str) -> list[dict[str, Any]]:
    """The actions of one kind; every row of a checkpoint holds exactly one action."""
    if kind not in batch.schema.names:
        return []
    rows: list[dict[str, Any]] = batch.column(kind).drop_null().to_pylist()
    return rows


def _data_files(batch: pa.RecordBatch) -> Iterator[DataFile]:
    if "add" not in batch.schema.names:
        return
    add = batch.column("add").drop_null()
    stats = [record_count(text) for text in _values(add, "stats")]
    parsed = _values(add, "stats_parsed", "numRecords")
    for path, size, counted, typed, storage, place, offset, cardinality in zip(
        _values(add, "path"),
        _values(add, "size"),
        stats,
        parsed,
        _values(add, "deletionVector", "storageType"),
        _values(add, "deletionVector", "pathOrInlineDv"),
        _values(add, "deletionVector", "offset"),
        _values(add, "deletionVector", "cardinality"),
        strict=True,
    ):
        vector = None if storage is None else deletion_vector_id(storage, place, offset)
        yield DataFile(
            id=FileId(path, vector),
            bytes=size,
            records=typed if counted is None else counted,
            deleted=cardinality or 0,
        )


def _values(array: pa.StructArray, *path: str) -> Sequence[Any]:
    """One leaf of a struct column, None where the leaf or a parent is null or not in the file."""
    import pyarrow.compute as pc

    found: pa.Array = array
    for name in path:
        if found.type.get_field_index(name) < 0:
            return [None] * len(array)
        found = pc.struct_field(found, name)
    values: list[Any] = found.to_pylist()
    return values
