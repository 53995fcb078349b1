"""The API is what its description says."""

from __future__ import annotations

from scripts import openapi_file


def test_the_description_that_is_checked_in_is_current() -> None:
    current = openapi_file.FILE.read_text(encoding="utf-8") == openapi_file.text()
    assert current, "run: .venv/bin/python scripts/openapi_file.py"
