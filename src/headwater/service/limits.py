"""How much the service takes on, and what it keeps. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits; those that users may set come from the settings of the lake."""

    computing: int = 8
    """How many statements that may need Spark run at once."""
    quick: int = 8
    """How many SHOW, DESC and the like run at once, beside those."""
    waiting: int = 200
    """How many statements may wait, of each of the two."""
    sessions: int = 1000
    session_seconds: float = 1800.0
    """How long a session lives that nobody uses."""
    statements: int = 2000
    """How many ended statements are remembered."""
    statement_seconds: float = 900.0
    fetched_seconds: float = 10.0
    """The same for a statement whose results a client has had in full."""
    result_bytes: int = 1024 * _MEGABYTE
    """How much memory the results of ended statements take."""
    head_bytes: int = 64 * 1024
    """How large the head of a request may be."""
    head_seconds: float = 10.0
    """How long the head of a request may take to arrive, and a refused body to end."""
    unread_bytes: int = 16 * _MEGABYTE
    """How much of a refused body may arrive after its answer; a client that is cut off in the
    middle of a body may never see why."""
    body_bytes: int = 8 * _MEGABYTE
    body_seconds: float = 30.0
    """How long the body of a request may take to arrive."""
    upload_bytes: int = 1024 * _MEGABYTE
    """The same for the files of a PUT or GET, which are written to disk as they arrive."""
    upload_seconds: float = 3600.0
    exchanges: int = 16
    """How many PUT and GET of clients may have files here at once."""
    exchange_seconds: float = 600.0
    """How long their files stay if nobody asks for them."""
    send_seconds: float = 60.0
    """How long a client may take to make room for the next piece of an answer."""
    wait_seconds: float = 60.0
    """How long a request may wait for a statement to end."""
    connections: int = 2000
    stop_seconds: float = 30.0
    """How long running statements have to end when the service is stopped."""

    def of_upload(self) -> Limits:
        """The limits of a request that sends a file."""
        return replace(self, body_bytes=self.upload_bytes, body_seconds=self.upload_seconds)
