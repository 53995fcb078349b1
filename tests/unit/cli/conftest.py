"""Lakes for the command line's tests: real folders, and statements that need no Spark."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from headwater.cli.main import cli

Run = Callable[..., Result]


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_lake, tmp_path / "lake")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings from outside, and a current folder that is no lake."""
    for name in ("HEADWATER_LAKE", "HEADWATER_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)


@pytest.fixture
def run() -> Run:
    """Runs the command line in this process."""

    def invoke(*arguments: str | Path, **options: object) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], **options)

    return invoke
