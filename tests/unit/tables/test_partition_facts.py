"""Partitions from a log alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headwater.lake.delta_log.files import LocalLogFiles
from headwater.tables.partition_facts import partition_facts

SCHEMA = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": name, "type": kind, "nullable": True, "metadata": {}}
            for name, kind in (("id", "integer"), ("ds", "string"), ("k", "string"))
        ],
    }
)
METADATA = {
    "metaData": {
        "id": "m",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": SCHEMA,
        "partitionColumns": ["ds", "k"],
        "configuration": {},
    }
}


def add(path: str, ds: str, k: str | None, *, rows: int = 1, change: bool = True) -> dict[str, Any]:
    values = {"ds": ds, "k": k}
    stats = json.dumps({"numRecords": rows})
    body = {"path": path, "partitionValues": values, "size": 10, "stats": stats}
    return {"add": {**body, "modificationTime": 0, "dataChange": change}}


def remove(path: str, ds: str, k: str | None, *, change: bool = True) -> dict[str, Any]:
    return {"remove": {"path": path, "partitionValues": {"ds": ds, "k": k}, "dataChange": change}}


def log(folder: Path, *commits: list[dict[str, Any]]) -> LocalLogFiles:
    """A log whose commit n is n seconds old."""
    (folder / "_delta_log").mkdir()
    for version, actions in enumerate(commits):
        info = {"commitInfo": {"timestamp": version * 1000, "operation": "WRITE"}}
        text = "\n".join(json.dumps(action) for action in [info, *actions])
        (folder / "_delta_log" / f"{version:020}.json").write_text(text)
    return LocalLogFiles(folder)


def test_partitions_have_rows_files_and_the_times_of_their_commits(tmp_path: Path) -> None:
    files = log(
        tmp_path,
        [METADATA],
        [add("a", "1", "x", rows=3), add("b", "1", None)],
        [add("c", "1", "x", rows=4), add("d", "2", "x")],
        [
            remove("a", "1", "x", change=False),
            remove("c", "1", "x", change=False),
            add("e", "1", "x", rows=7, change=False),
        ],
        [remove("d", "2", "x")],
    )
    found = partition_facts(files, 4, ("ds", "k"))
    assert [(one.name, one.rows, one.bytes, one.files) for one in found] == [
        ("ds=1/k=__HIVE_DEFAULT_PARTITION__", 1, 10, 1),
        ("ds=1/k=x", 7, 10, 1),
    ]
    times = ((one.created_at, one.modified_at, one.data_at, one.compacted_at) for one in found)
    seconds = [[at.timestamp() if at else None for at in row] for row in times]
    assert seconds == [[1.0, 1.0, 1.0, None], [1.0, 3.0, 2.0, 3.0]]


def test_each_version_has_partitions_of_its_own(tmp_path: Path) -> None:
    files = log(tmp_path, [METADATA], [add("a", "1", "x")], [add("b", "1", "x")])
    assert partition_facts(files, 1, ("ds", "k"))[0].rows == 1
    assert partition_facts(files, 2, ("ds", "k"))[0].rows == 2
