"""Every operator with a delta rule has a page, and a law that it is held to."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater

ROOT = Path(__file__).parents[3]
OPERATORS = sorted(
    path.stem
    for path in (Path(headwater.__file__).parent / "incremental" / "operators").glob("*.py")
    if path.stem != "__init__"
)
PAGES = ROOT / "docs" / "operators"


def test_operators_and_pages_have_the_same_names() -> None:
    """No rule without a page, no page without a rule."""
    assert sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "README") == OPERATORS


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_page_says_law_example_cost_and_limits(operator: str) -> None:
    """The four things to know of a rule, in this order."""
    page = (PAGES / f"{operator}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {operator}\n")
    places = [page.find(f"**{part}.**") for part in ("Law", "Example", "Cost", "Limits")]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_index_links_the_page(operator: str) -> None:
    """Each page can be found."""
    assert f"]({operator}.md)" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("operator", [name for name in OPERATORS if name != "scan"])
def test_the_operator_has_a_law(operator: str) -> None:
    """A scan is below every other operator."""
    assert (ROOT / "tests" / "laws" / f"test_{operator}.py").is_file()


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_module_says_its_law(operator: str) -> None:
    """The law stands on top of the rule."""
    module = Path(headwater.__file__).parent / "incremental" / "operators" / f"{operator}.py"
    assert "\nLaw: " in module.read_text(encoding="utf-8").split('"""')[1]
