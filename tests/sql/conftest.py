"""`pytest --bless` writes what came out into the `.test` files, for review with git diff."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the option."""
    parser.addoption(
        "--bless", action="store_true", help="rewrite the expected rows of tests/sql/**/*.test"
    )


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    """Whether mismatches become the new expectation."""
    return bool(request.config.getoption("--bless", default=False))
