"""The mark Headwater leaves in each of its commits: the log alone says which job made it.

Invariant: reading gives back what was written; any other `userMetadata` is another tool's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

_KEY = "headwater"


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which job committed, doing what, for whom, under which fencing number."""

    job: str
    operation: str | None = None
    user: str | None = None
    fence: int | None = None

    def to_json(self) -> str:
        """The text for `userMetadata`.

        >>> Stamp("j1", "INSERT_INTO", "ann", 7).to_json()
        '{"headwater": {"job": "j1", "operation": "INSERT_INTO", "user": "ann", "fence": 7}}'
        """
        body = {
            "job": self.job,
            "operation": self.operation,
            "user": self.user,
            "fence": self.fence,
        }
        return json.dumps({_KEY: body})


def read_stamp(user_metadata: str | None) -> Stamp | None:
    """The stamp in a commit's `userMetadata`, or None for a commit of another tool."""
    # Other tools put any text here: most of it need not be parsed to know it is not ours.
    if user_metadata is None or f'"{_KEY}"' not in user_metadata:
        return None
    try:
        body = json.loads(user_metadata)[_KEY]
        return Stamp(
            job=str(body["job"]),
            operation=body.get("operation"),
            user=body.get("user"),
            fence=body.get("fence"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
