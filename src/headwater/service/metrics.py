"""Every metric of the service: its name, what it counts, its labels. Pure.

The page of metrics is made from these, and the pages of documentation and the dashboard are held
against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PREFIX = "headwater_"


class MetricKind(StrEnum):
    """How a metric behaves, in the words of Prometheus."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; of a counter the name ends with `_total`."""

    short_name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """As it is shown to the world."""
        return PREFIX + self.short_name


_LONG = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000)
_SHORT = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
_C, _G, _H = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM

REFRESH_DURATION = Metric(
    "refresh_duration_seconds", _H, "how long refreshes took", ("mode",), _LONG
)
REFRESHES = Metric("refresh_total", _C, "refreshes that have ended", ("state",))
FULL_FALLBACKS = Metric(
    "full_fallback_total", _C, "refreshes in full of tables that may be incremental", ("reason",)
)
DELTA_ROWS = Metric("delta_rows", _G, "rows that the newest refresh changed", ("table",))
LAG = Metric("lag_seconds", _G, "how old the contents of a dynamic table are", ("table",))
TARGET_LAG = Metric("target_lag_seconds", _G, "how old they may be", ("table",))
PENDING_FILES = Metric("pipe_pending_files", _G, "files that wait for a pipe", ("pipe",))
PENDING_BYTES = Metric("pipe_pending_bytes", _G, "their size", ("pipe",))
OLDEST_PENDING = Metric(
    "pipe_oldest_pending_seconds", _G, "how long the oldest of them waits", ("pipe",)
)
PIPE_ROWS = Metric(
    "pipe_rows_total", _C, "rows that a pipe has loaded since it was made", ("pipe",)
)
OFFSET_LAG = Metric("pipe_offset_lag", _G, "messages that a pipe has not read", ("pipe",))
PIPE_INVALID = Metric("pipe_invalid", _G, "1 if a pipe has stopped by itself", ("pipe",))
LOAD_ERRORS = Metric("load_errors_total", _C, "batches of a pipe that failed", ("pipe",))
TO_STALE = Metric("stream_seconds_to_stale", _G, "how long a stream can still be read", ("stream",))
LEASE_LOST = Metric("lease_lost_total", _C, "how often the lake was taken over from this process")
ACTIVE = Metric("active", _G, "1 if this process holds the lake, 0 of a standby")
TICK = Metric("scheduler_tick_seconds", _H, "how long a look at the schedule took", (), _SHORT)
STATEMENTS = Metric("statements_total", _C, "statements that have ended", ("lane", "state"))
STATEMENT_SECONDS = Metric(
    "statement_seconds", _H, "from when a statement came to its end", ("lane",), _SHORT
)
WAITING = Metric("statements_waiting", _G, "statements that wait for their turn", ("lane",))
RUNNING = Metric("statements_running", _G, "statements that run", ("lane",))
REFUSED = Metric("statements_refused_total", _C, "statements turned away with 429")
SESSIONS = Metric("sessions_open", _G, "open sessions")
RESULT_BYTES = Metric("results_kept_bytes", _G, "memory of results that wait for their clients")

METRICS = (
    REFRESH_DURATION,
    REFRESHES,
    FULL_FALLBACKS,
    DELTA_ROWS,
    LAG,
    TARGET_LAG,
    PENDING_FILES,
    PENDING_BYTES,
    OLDEST_PENDING,
    PIPE_ROWS,
    OFFSET_LAG,
    PIPE_INVALID,
    LOAD_ERRORS,
    TO_STALE,
    LEASE_LOST,
    ACTIVE,
    TICK,
    STATEMENTS,
    STATEMENT_SECONDS,
    WAITING,
    RUNNING,
    REFUSED,
    SESSIONS,
    RESULT_BYTES,
)
