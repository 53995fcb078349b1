"""What DESC PIPE EXTENDED says, as the pages show it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.studio.facts import size_text
from headwater.studio.shown_times import duration

_VOLUME = "volume:"


@dataclass(frozen=True, slots=True)
class PipeFacts:
    """The rows of the statement, by name."""

    rows: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        """A value; None where there is none."""
        value = self.rows.get(name)
        return None if value in (None, "") else str(value)

    def number(self, name: str) -> int:
        """A count; 0 where there is none."""
        return int(self.text(name) or 0)

    @property
    def status(self) -> str:
        """RUNNING, PAUSED or INVALID."""
        return self.text("pipe_status") or ""

    @property
    def loads_files(self) -> bool:
        """Whether it reads a volume."""
        return self.text("pipe_kind") == "VOLUME"

    @property
    def volume(self) -> str | None:
        """The volume it reads, as it stands in SQL.

        >>> PipeFacts({"input_name": "volume:headwater.public.v"}).volume
        'headwater.public.v'
        """
        name = self.text("input_name") or ""
        return name.removeprefix(_VOLUME) if name.startswith(_VOLUME) else None

    @property
    def pending(self) -> str:
        """What waits, in a few words."""
        lag = self.lag
        if lag is not None:
            return f"{lag.get('offsetLag', 0)} messages"
        files = self.number("pending_files")
        return f"{files} ({size_text(self.number('pending_bytes'))})" if files else ""

    @property
    def failures(self) -> int:
        """Files it could not read; of Kafka, batches that failed."""
        return self.number("files_failed" if self.loads_files else "failures_total")

    @property
    def lag(self) -> Mapping[str, Any] | None:
        """How far a pipe over Kafka is behind."""
        text = self.text("pipe_latency")
        found = json.loads(text).get("kafka") if text is not None else None
        return found if isinstance(found, dict) else None

    @property
    def tiles(self) -> dict[str, str]:
        """The numbers that matter first."""
        lag = self.lag or {}
        if not self.loads_files:
            behind = lag.get("timeLag", -1)
            return {
                "Messages behind": str(lag.get("offsetLag", "-")),
                "Time behind": duration(behind / 1000) if behind >= 0 else "-",
                "Rows loaded": str(self.number("rows_loaded")),
                "Failures": str(self.number("failures_total")),
            }
        return {
            "Pending files": str(self.number("pending_files")),
            "Pending": size_text(self.number("pending_bytes")),
            "Oldest pending": self.text("oldest_pending_time") or "-",
            "Files loaded": str(self.number("files_loaded")),
            "Files failed": str(self.number("files_failed")),
            "Files skipped": str(self.number("files_skipped")),
            "Rows loaded": str(self.number("rows_loaded")),
        }

    @property
    def seen_files(self) -> tuple[str | None, ...]:
        """What changes when the load history does."""
        names = ("files_loaded", "files_failed", "files_skipped", "last_batch_time")
        return tuple(self.text(name) for name in names)
