"""Empty catalogs in files: made once and copied, because a migration costs more than most tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.unit.catalog.samples import FakeClock

from headwater.catalog.store import Store


def new_catalog(path: Path) -> str:
    """The address of a new file at `path` that holds a current, empty catalog."""
    path.write_bytes(_content())
    return f"sqlite:///{path}"


@cache
def _content() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "catalog.db"
        Store.open(f"sqlite:///{path}", clock=FakeClock()).close()
        return path.read_bytes()
