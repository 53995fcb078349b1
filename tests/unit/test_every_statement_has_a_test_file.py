"""A statement without a `.test` file is a statement nobody has tried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sql_file import parse, render

from headwater.statements.dispatch import HANDLERS

_FOLDER = Path(__file__).parent.parent / "sql"


@pytest.mark.parametrize("handler", HANDLERS.values(), ids=lambda handler: handler.__name__)
def test_every_statement_has_a_test_file(handler: Callable[..., Any]) -> None:
    name = handler.__module__.rpartition(".")[2]
    assert (_FOLDER / f"{name}.test").is_file(), f"tests/sql/{name}.test is missing"


@pytest.mark.parametrize("path", sorted(_FOLDER.rglob("*.test")), ids=lambda path: path.stem)
def test_every_test_file_says_what_it_is_and_is_written_as_bless_writes_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    file = parse(text)
    assert file.meta("name") == path.stem
    assert file.meta("description")
    assert render(file) == text
