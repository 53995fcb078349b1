"""Every `.test` file of this folder is one test, on a lake of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sql_file import parse, render
from tests.sql_runner import NOTHING, Runner

_FOLDER = Path(__file__).parent
_ROOT = _FOLDER.parent.parent


def _cases() -> list[object]:
    return [_case(path) for path in sorted(_FOLDER.rglob("*.test"))]


def _case(path: Path) -> object:
    needs_spark = parse(path.read_text(encoding="utf-8")).meta("needs") != NOTHING
    marks = [pytest.mark.spark] if needs_spark else []
    return pytest.param(path, id=str(path.relative_to(_FOLDER).with_suffix("")), marks=marks)


@pytest.mark.parametrize("path", _cases())
def test_file(path: Path, tmp_path: Path, bless: bool) -> None:
    before = path.read_text(encoding="utf-8")
    file = parse(before)
    runner = Runner(file, path.relative_to(_ROOT), tmp_path / "lake", bless=bless)
    try:
        runner.run()
    finally:
        if runner.file != file:
            path.write_text(render(runner.file), encoding="utf-8")
