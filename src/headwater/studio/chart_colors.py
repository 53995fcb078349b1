"""The colours of charts, which do not know whether their page is light or dark."""

from __future__ import annotations

WORDS = "#75808f"
"""Grey that can be read on both: at least four to one."""

LINES = {"lineStyle": {"color": "#94a3b8", "opacity": 0.35}}
"""Grey that can be seen on both."""
