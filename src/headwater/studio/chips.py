"""States as words in a colour: what is good, bad, under way, or asks for attention. Pure."""

from __future__ import annotations

_GOOD = frozenset({"ACTIVE", "SUCCEED", "SUCCEEDED", "SUCCESS", "RUNNING_OK", "RESUMED", "FRESH"})
_GOOD_TOO = frozenset({"INCREMENTAL", "NO_DATA", "LOADED", "ONLINE", "TRUE"})
_BAD = frozenset({"FAILED", "FAILURE", "ERROR", "STALE", "SUSPENDED_DUE_TO_ERRORS", "TIMEOUT"})
_BAD_TOO = frozenset({"INVALID", "LOAD_FAILED"})
_RUNNING = frozenset({"RUNNING", "QUEUED", "WAITING", "STARTING", "EXECUTING", "PENDING", "READY"})
_WARNING = frozenset({"SUSPENDED", "PAUSED", "CANCELLED", "SUSPENDED_UPSTREAM", "LATE", "SKIPPED"})
_STOPPED = frozenset({"TERMINATED"})


def tone(state: object) -> str:
    """The class of a state's colour; none for one that is neither good nor bad.

    >>> tone("SUCCEED"), tone("failed"), tone("FULL")
    ('hw-good', 'hw-bad', '')
    """
    word = str(state or "").upper()
    for tones, name in (
        (_GOOD | _GOOD_TOO, "hw-good"),
        (_BAD | _BAD_TOO, "hw-bad"),
        (_RUNNING, "hw-run"),
        (_WARNING | _STOPPED, "hw-warn"),
    ):
        if word in tones:
            return name
    return ""
