"""A folder of a volume: what lies directly in it, from a list of paths. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_FORMATS = {
    "csv": "CSV",
    "tsv": "CSV",
    "parquet": "PARQUET",
    "orc": "ORC",
    "json": "JSON",
    "jsonl": "JSON",
    "ndjson": "JSON",
}
_PACKED = (".gz", ".gzip", ".zst", ".zstd", ".zlib", ".deflate")
FORMATS = ("CSV", "PARQUET", "ORC", "JSON", "TEXT")


def entries(files: Sequence[Mapping[str, Any]], folder: str) -> list[dict[str, Any]]:
    """Folders first, then files, each by name; the size of a folder is that of all below it.

    >>> files = [{"relative_path": "a/b.csv", "size": 2, "last_modified_time": None}]
    >>> entries(files, "")
    [{'name': 'a/', 'path': 'a/', 'is_folder': True, 'files': 1, 'size': 2, 'modified': None}]
    """
    found: dict[str, dict[str, Any]] = {}
    for file in files:
        path = str(file["relative_path"])
        if not path.startswith(folder):
            continue
        first, slash, _ = path[len(folder) :].partition("/")
        name = first + slash
        known = found.setdefault(
            name,
            {
                "name": name,
                "path": folder + name,
                "is_folder": bool(slash),
                "files": 0,
                "size": 0,
                "modified": None,
            },
        )
        known["files"] += 1
        known["size"] += file["size"] or 0
        times = [t for t in (known["modified"], file["last_modified_time"]) if t is not None]
        known["modified"] = max(times, default=None)
    return sorted(found.values(), key=lambda entry: (not entry["is_folder"], entry["name"]))


def parents(folder: str) -> list[tuple[str, str]]:
    """The folders on the way to a folder, the folder included: their names and paths.

    >>> parents("a/b/")
    [('a', 'a/'), ('b', 'a/b/')]
    """
    parts = [part for part in folder.split("/") if part]
    return [(part, "/".join(parts[: place + 1]) + "/") for place, part in enumerate(parts)]


def format_of(path: str) -> str:
    """What a file most likely holds, by its name; text if that says nothing.

    >>> format_of("in/A.CSV.gz"), format_of("notes")
    ('CSV', 'TEXT')
    """
    name = path.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return _FORMATS.get(name.rpartition(".")[2], "TEXT")
