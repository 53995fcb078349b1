"""SHOW JOBS for what somebody looks for. Pure.

Law: what is looked for is a value of the statement, never a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import quote_literal

STATES = ("RUNNING", "QUEUED", "SUCCEED", "FAILED", "CANCELLED")
_METADATA = ("SHOW", "DESC")
_MOST = 200


@dataclass(frozen=True, slots=True)
class JobFilter:
    """What jobs have to have; an empty text asks for nothing."""

    text: str = ""
    state: str = ""
    user: str = ""
    query_tag: str = ""
    metadata: bool = False
    """Whether statements that only look at the catalog are listed too."""

    def statement(self) -> str:
        """The statement that lists them.

        >>> JobFilter(text="50%", metadata=True).statement()
        "SHOW JOBS WHERE lower(job_text) LIKE '%50\\\\\\\\%%' LIMIT 200"
        """
        parts = []
        if self.text:
            parts.append(f"lower(job_text) LIKE {quote_literal(f'%{_plain(self.text.lower())}%')}")
        for column, value in (
            ("status", self.state),
            ("creator", self.user),
            ("query_tag", self.query_tag),
        ):
            if value:
                parts.append(f"{column} = {quote_literal(value)}")
        if not self.metadata:
            parts += [f"NOT upper(job_text) LIKE '{word}%'" for word in _METADATA]
        where = f" WHERE {' AND '.join(parts)}" if parts else ""
        return f"SHOW JOBS{where} LIMIT {_MOST}"


def _plain(text: str) -> str:
    """A text that stands for itself in a pattern of LIKE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
