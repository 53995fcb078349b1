"""Delta logs written by hand: small enough to read, close enough to what Spark writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.lake.delta_log.files import LocalLogFiles

FIRST_TIME = 1_700_000_000_000
SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True}]}
VECTOR = pa.struct(
    [
        ("storageType", pa.string()),
        ("pathOrInlineDv", pa.string()),
        ("offset", pa.int32()),
        ("sizeInBytes", pa.int32()),
        ("cardinality", pa.int64()),
    ]
)
ADD = pa.struct(
    [
        ("path", pa.string()),
        ("partitionValues", pa.map_(pa.string(), pa.string())),
        ("size", pa.int64()),
        ("dataChange", pa.bool_()),
        ("stats", pa.string()),
        ("stats_parsed", pa.struct([("numRecords", pa.int64())])),
        ("deletionVector", VECTOR),
    ]
)
METADATA = pa.struct(
    [
        ("id", pa.string()),
        ("description", pa.string()),
        ("schemaString", pa.string()),
        ("partitionColumns", pa.list_(pa.string())),
        ("configuration", pa.map_(pa.string(), pa.string())),
    ]
)
DOMAIN = pa.struct(
    [("domain", pa.string()), ("configuration", pa.string()), ("removed", pa.bool_())]
)
CHECKPOINT = pa.schema(
    [
        ("add", ADD),
        ("metaData", METADATA),
        ("domainMetadata", DOMAIN),
        ("sidecar", pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64())])),
    ]
)


class Actions:
    """The lines of a commit."""

    @staticmethod
    def vector(name: str, deleted: int) -> dict[str, Any]:
        return {
            "storageType": "u",
            "pathOrInlineDv": name,
            "offset": 1,
            "sizeInBytes": 34,
            "cardinality": deleted,
        }

    @staticmethod
    def file(
        path: str,
        rows: int | None = 1,
        *,
        size: int | None = 100,
        vector: dict[str, Any] | None = None,
        data_change: bool = True,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"path": path, "partitionValues": {}, "dataChange": data_change}
        if size is not None:
            body["size"] = size
        if rows is not None:
            body["stats"] = json.dumps({"numRecords": rows}, separators=(",", ":"))
        if vector is not None:
            body["deletionVector"] = vector
        return body

    def add(self, path: str, rows: int | None = 1, **options: Any) -> dict[str, Any]:
        return {"add": self.file(path, rows, **options)}

    def remove(self, path: str, rows: int | None = 1, **options: Any) -> dict[str, Any]:
        return {"remove": self.file(path, rows, **options)}

    @staticmethod
    def metadata(
        schema: dict[str, Any] | None = None,
        *,
        properties: dict[str, str] | None = None,
        comment: str | None = None,
        partitioned_by: list[str] | None = None,
    ) -> dict[str, Any]:
        body = {
            "id": "a-table",
            "description": comment,
            "schemaString": json.dumps(schema or SCHEMA),
            "partitionColumns": partitioned_by or [],
            "configuration": properties or {},
        }
        return {"metaData": body}

    @staticmethod
    def clustering(*paths: list[str], removed: bool = False) -> dict[str, Any]:
        configuration = json.dumps({"clusteringColumns": list(paths)})
        body = {"domain": "delta.clustering", "configuration": configuration, "removed": removed}
        return {"domainMetadata": body}

    @staticmethod
    def info(
        operation: str = "WRITE",
        *,
        at: int | None = FIRST_TIME,
        job: str | None = None,
        metrics: dict[str, Any] | None = None,
        mode: str | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"operation": operation, "operationMetrics": metrics or {}, **more}
        body["operationParameters"] = {"mode": mode} if mode else {}
        if at is not None:
            body["timestamp"] = at
        if job is not None:
            stamp = {"job": job, "operation": "INSERT_INTO", "user": "ann", "fence": 7}
            body["userMetadata"] = json.dumps({"headwater": stamp})
        return {"commitInfo": body}

    @staticmethod
    def text(*actions: dict[str, Any]) -> str:
        return "".join(json.dumps(action) + "\n" for action in actions)


class Log(Actions):
    """A log folder that grows by one commit a call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "_delta_log"
        self.log.mkdir(parents=True)
        self.newest = -1
        self.files = LocalLogFiles(folder)

    def path(self, version: int, suffix: str = "json") -> Path:
        return self.log / f"{version:020d}.{suffix}"

    def commit(self, *actions: dict[str, Any], **info: Any) -> int:
        self.newest += 1
        info.setdefault("at", FIRST_TIME + self.newest * 1000)
        self.path(self.newest).write_text(self.text(self.info(**info), *actions))
        return self.newest

    def create(self, *actions: dict[str, Any], **info: Any) -> int:
        return self.commit(self.metadata(), *actions, **{"operation": "CREATE TABLE", **info})

    def checkpoint(
        self, version: int, *, parts: int = 1, sidecar: bool = False, hint: bool = True
    ) -> None:
        """Writes what Delta would: the live actions of all commits up to `version`."""
        live: dict[Any, dict[str, Any]] = {}
        for number in range(version + 1):
            for line in self.path(number).read_text().splitlines():
                for kind, body in json.loads(line).items():
                    vector = (body.get("deletionVector") or {}).get("pathOrInlineDv")
                    if kind == "remove":
                        live.pop(("add", body["path"], vector), None)
                    elif kind == "add":
                        live[kind, body["path"], vector] = {kind: body}
                    elif kind == "metaData":
                        pairs = list(body["configuration"].items())
                        live[kind,] = {kind: {**body, "configuration": pairs}}
                    elif kind == "domainMetadata":
                        live[kind, body["domain"]] = {kind: body}
        rows = list(live.values())
        stem = f"{version:020d}.checkpoint"
        about: dict[str, Any] = {"version": version}
        if sidecar:
            (self.log / "_sidecars").mkdir(exist_ok=True)
            self._parquet(f"_sidecars/s{version}.parquet", [r for r in rows if "add" in r])
            rows = [r for r in rows if "add" not in r]
            rows.append({"sidecar": {"path": f"s{version}.parquet", "sizeInBytes": 1}})
            name = f"{stem}.80a083e8-7026-4e79-81be-64bd76c43a11.parquet"
            about["v2Checkpoint"] = {"path": name}
            self._parquet(name, rows)
        elif parts == 1:
            self._parquet(f"{stem}.parquet", rows)
        else:
            about["parts"] = parts
            for part in range(parts):
                name = f"{stem}.{part + 1:010d}.{parts:010d}.parquet"
                self._parquet(name, rows[part::parts])
        if hint:
            (self.log / "_last_checkpoint").write_text(json.dumps(about))

    def forget(self, *versions: int) -> None:
        """Removes commits, as Delta's clean-up does."""
        for version in versions:
            self.path(version).unlink()

    def _parquet(self, name: str, rows: list[dict[str, Any]]) -> None:
        columns = {
            field.name: pa.array([row.get(field.name) for row in rows], type=field.type)
            for field in CHECKPOINT
        }
        pq.write_table(pa.table(columns, schema=CHECKPOINT), self.log / name)


@pytest.fixture(scope="session")
def actions() -> Actions:
    """The lines of commits, without a folder."""
    return Actions()


@pytest.fixture(scope="session")
def new_log() -> type[Log]:
    """Makes a log in a given folder."""
    return Log


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """An empty log."""
    return Log(tmp_path / "t")
