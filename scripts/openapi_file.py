"""Writes docs/reference/openapi.json from the pages of the service."""

from __future__ import annotations

import json
from pathlib import Path

from headwater.service.app import make_pages

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "openapi.json"


def text() -> str:
    """The whole file."""
    return json.dumps(make_pages().openapi(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
