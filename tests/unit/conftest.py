"""What the unit tests share: a lake that is made once and copied."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater


@pytest.fixture(scope="session")
def new_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake nobody has used: copied by each test, because making one takes half a second."""
    folder = tmp_path_factory.mktemp("lakes") / "new"
    headwater.connect(folder).close()
    return folder
