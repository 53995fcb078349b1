"""The files of the example are what the programs they are for would take."""

from __future__ import annotations

import configparser
import shutil
from pathlib import Path

from headwater.config import load_config
from headwater.runtime.lake_store import ACCESS_VARIABLE, SECRET_VARIABLE, open_lake_store

FOLDER = Path(__file__).parents[2] / "examples" / "scale-out"
KEYS = {ACCESS_VARIABLE: "a", SECRET_VARIABLE: "s"}


def test_the_settings_name_a_store_and_a_cluster(tmp_path):
    shutil.copy(FOLDER / "headwater.toml", tmp_path)
    config = load_config(tmp_path, environment={})
    found = open_lake_store(config, environment=KEYS)
    assert found is not None
    assert found.url == "s3a://lake/production/"
    assert config.spark_master.startswith("spark://")


def test_the_unit_starts_a_command_that_there_is():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment]
    unit.read(FOLDER / "headwater.service")
    assert unit["Service"]["ExecStart"].endswith("/headwater serve")


def test_no_secret_is_written_into_the_example():
    text = (FOLDER / "compose.yaml").read_text()
    secrets = [line for line in text.splitlines() if "SECRET" in line or "PASSWORD" in line]
    assert all("${" in line or line.startswith("#") for line in secrets), secrets
