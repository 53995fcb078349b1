"""A table as its log states it: the `add` action of each live file, and who committed what last.

Law: the same files as Delta's own snapshot of that version, without a Spark job.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from headwater.errors import UserError
from headwater.lake.delta_log.actions import FileId, file_id, read_actions, record_count
from headwater.lake.delta_log.files import LOG_FOLDER, Checkpoint, LogFiles, folder_path
from headwater.lake.delta_log.snapshot import newest_checkpoint

Body = Mapping[str, Any]
Within = Mapping[str, str | None]
"""Values of partition columns, under the names and in the spelling of the log."""
_COLUMNS = (
    "add.path",
    "add.partitionValues",
    "add.size",
    "add.modificationTime",
    "add.stats",
    "add.stats_parsed.numRecords",
    "add.tags",
    "add.deletionVector",
    "add.baseRowId",
    "add.defaultRowCommitVersion",
    "add.clusteringProvider",
    "txn",
    "metaData.configuration",
    "sidecar.path",
)
_MAPS = ("partitionValues", "tags", "configuration")


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table at `version`."""

    version: int
    files: tuple[Body, ...] = ()
    configuration: Mapping[str, str] = field(default_factory=dict)
    transactions: Mapping[str, int] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """How much the live files hold."""
        return sum(int(file.get("size") or 0) for file in self.files)

    @property
    def rows(self) -> int | None:
        """The rows a reader sees; None if a file does not say."""
        counts = [live_rows(file) for file in self.files]
        return None if None in counts else sum(count or 0 for count in counts)

    def within(self, values: Within) -> StoredTable:
        """The files that have these partition values."""
        kept = (file for file in self.files if values.items() <= _values(file).items())
        return replace(self, files=tuple(kept))

    def sharing_partitions(self, others: Iterable[Body]) -> StoredTable:
        """The files of the partitions that others lie in."""
        known = [_values(other) for other in others]
        return replace(self, files=tuple(file for file in self.files if _values(file) in known))

    def is_on(self, key: str) -> bool:
        """Whether a property of the table is `true`."""
        return self.configuration.get(key, "").lower() == "true"


def _values(file: Body) -> dict[str, str | None]:
    """Its partition values; Delta takes an empty text for NULL."""
    found: Mapping[str, str | None] = file.get("partitionValues") or {}
    return {name: value or None for name, value in found.items()}


def live_rows(file: Body) -> int | None:
    """The rows a reader sees of a file; None if its writer kept no statistics."""
    records = record_count(file.get("stats"))
    vector = file.get("deletionVector")
    if records is None:
        return None
    return records - (0 if vector is None else int(vector["cardinality"]))


def place_of(path: str, table: str) -> str:
    """Where a file lies, for a path of the log and for the address that Spark gives it.

    >>> place_of("p=a%20b/x.parquet", "/t")
    '/t/p=a b/x.parquet'
    >>> place_of("file:///t/p=a%20b/x.parquet", "/t")
    '/t/p=a b/x.parquet'
    >>> place_of("s3a://b/t/p=a%20b/x.parquet", "s3a://b/t") == place_of("p=a b/x.parquet", "/t")
    True
    """
    parts = urlsplit(path)
    decoded = unquote(parts.path)
    if parts.scheme or decoded.startswith("/"):
        return decoded
    return f"{folder_path(table).rstrip('/')}/{decoded}"


def read_stored_table(files: LogFiles, version: int) -> StoredTable:
    """The table at `version`, from one checkpoint and the commits after it."""
    live: dict[FileId, Body] = {}
    configuration: Mapping[str, str] = {}
    transactions: dict[str, int] = {}
    checkpoint = newest_checkpoint(files, version)
    for action in _all_actions(files, checkpoint, version):
        for kind, body in action.items():
            match kind:
                case "add":
                    live[file_id(body)] = body
                case "remove":
                    live.pop(file_id(body), None)
                case "metaData":
                    configuration = body.get("configuration") or {}
                case "txn":
                    transactions[body["appId"]] = int(body["version"])
    return StoredTable(version, tuple(live.values()), configuration, transactions)


def _all_actions(
    files: LogFiles, checkpoint: Checkpoint | None, version: int
) -> Iterator[Mapping[str, Any]]:
    if checkpoint is not None:
        try:
            yield from _of_checkpoint(files, checkpoint)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                "DELTA_LOG_UNREADABLE",
                table=files.table,
                version=checkpoint.version,
                reason=str(error),
                file=f"{LOG_FOLDER}/{checkpoint.names[0]}",
            ) from error
    for number in range(0 if checkpoint is None else checkpoint.version + 1, version + 1):
        text = files.read_commit(number)
        if text is None:
            raise UserError("DELTA_LOG_INCOMPLETE", table=files.table, version=version)
        actions = read_actions(text, number, table=files.table)
        # The order inside a commit means nothing: an `add` of a file may stand before its `remove`.
        yield from sorted(actions, key=lambda action: "add" in action)


def _of_checkpoint(files: LogFiles, checkpoint: Checkpoint) -> Iterator[Mapping[str, Any]]:
    """Its actions as they stand in commits; those of its sidecars after them."""
    sidecars: list[str] = []
    for name in checkpoint.names:
        for action in _of_file(files, name):
            if "sidecar" in action:
                sidecars.append(action["sidecar"]["path"])
            else:
                yield action
    for name in sidecars:
        yield from _of_file(files, f"_sidecars/{name}")


def _of_file(files: LogFiles, name: str) -> Iterator[Mapping[str, Any]]:
    with files.open(name) as file:
        if name.endswith(".json"):
            yield from (json.loads(line) for line in file)
            return
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(file).iter_batches(columns=list(_COLUMNS)):
            for kind in batch.schema.names:
                for body in batch.column(kind).drop_null().to_pylist():
                    yield {kind: _as_in_a_commit(body)}


def _as_in_a_commit(body: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is NULL, with maps as maps, and with statistics as a text."""
    made = {key: _plain(key, value) for key, value in body.items() if value is not None}
    parsed = made.pop("stats_parsed", None)
    if parsed and "stats" not in made:
        made["stats"] = json.dumps({"numRecords": parsed["numRecords"]})
    return made


def _plain(key: str, value: Any) -> Any:
    if key in _MAPS:
        pairs: Iterable[tuple[str, Any]] = value
        return dict(pairs)
    if isinstance(value, dict):
        return {name: part for name, part in value.items() if part is not None}
    return value
