"""The names that columns have in the files and in the log, by those that users know."""

from __future__ import annotations

import json
from collections.abc import Mapping

from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.delta_log.spark_types import physical_name


def physical_names(files: LogFiles, version: int) -> Mapping[str, str]:
    """Those of the table at a version."""
    metadata = read_metadata(files, version)
    fields = [] if metadata is None else json.loads(metadata.schema)["fields"]
    return {field["name"]: physical_name(field) for field in fields}
