"""The plan of every query in `tests/plans` is the one that its file shows; no JVM is needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golden_plans import FOLDER, GoldenFile, explained, parse

import headwater

OPERATORS = sorted(
    path.stem
    for path in (Path(headwater.__file__).parent / "incremental" / "operators").glob("*.py")
    if path.stem != "__init__"
)
FILES = sorted(FOLDER.rglob("*.test"))
FEWEST = 2


def _name(path: Path) -> str:
    return str(path.relative_to(FOLDER).with_suffix(""))


def _read(path: Path) -> GoldenFile:
    return parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_query_is_planned_as_its_file_shows(path: Path, bless: bool) -> None:
    """To bless is to take what came for what is expected."""
    file = _read(path)
    if bless:
        path.write_text(file.blessed().to_text(), encoding="utf-8")
        return
    for case in file.cases:
        assert explained(file.query, case.words) == case.expected, " ".join(case.words)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_is_written_as_it_was_read(path: Path) -> None:
    """To bless changes nothing but plans."""
    file = _read(path)
    assert file.cases
    assert file.to_text() == path.read_text(encoding="utf-8")


def test_operators_and_folders_have_the_same_names() -> None:
    """No rule without plans, no plans of a rule that is gone."""
    assert sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) == OPERATORS


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_has_some_plans(operator: str) -> None:
    """One would show one way of several."""
    assert len(list((FOLDER / operator).glob("*.test"))) >= FEWEST
