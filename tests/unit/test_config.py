"""Settings: defaults, the file, the environment, arguments, in this order; mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.config import FILE_NAME, TEMPLATE, load_config
from headwater.errors import UserError


def write(folder: Path, text: str) -> Path:
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def test_the_template_is_a_valid_file_that_changes_nothing(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, TEMPLATE), environment={}) == load_config(
        tmp_path / "none", environment={}
    )


def test_later_places_win(tmp_path: Path) -> None:
    write(tmp_path, '[spark]\nmaster = "local[1]"\n[lake]\nworkspace = "filed"\n')
    environment = {"HEADWATER_SPARK_MASTER": "local[2]", "HEADWATER_METADATA_URL": "sqlite:///x"}
    config = load_config(tmp_path, environment=environment, metadata_url="sqlite:///y")
    assert (config.workspace, config.spark_master, config.metadata_url) == (
        "filed",
        "local[2]",
        "sqlite:///y",
    )


def test_spark_settings_add_up_and_may_be_written_with_dots(tmp_path: Path) -> None:
    write(tmp_path, '[spark.conf]\nspark.sql.ansi.enabled = true\n"spark.a" = "file"\n')
    environment = {"HEADWATER_SPARK_CONF": '{"spark.a": "variable", "spark": {"b": 1}}'}
    config = load_config(tmp_path, environment=environment, spark_conf={"spark.a": "argument"})
    assert config.spark_conf == {
        "spark.sql.ansi.enabled": "true",
        "spark.a": "argument",
        "spark.b": "1",
    }


def test_spark_settings_in_a_variable_are_json(tmp_path: Path) -> None:
    for text in ("spark.a=1", '["spark.a"]'):
        with pytest.raises(UserError, match="HEADWATER_SPARK_CONF"):
            load_config(tmp_path, environment={"HEADWATER_SPARK_CONF": text})


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("[lake\n", "CONFIG_CORRUPT", "line 1"),
        ('[lake]\nworkspac = "x"\n', "CONFIG_UNKNOWN_KEY", "did you mean lake.workspace?"),
        ("[jobs]\nretention_days = 0\n", "CONFIG_VALUE", "at least 1"),
        ('[jobs]\nretention_days = "many"\n', "CONFIG_VALUE", "whole number"),
        ("[lake]\nworkspace = 5\n", "CONFIG_VALUE", "a text"),
        ('[lake]\ntime_zone = "Mars/Base"\n', "CONFIG_VALUE", "time zone"),
        ("workspace = 1\n", "CONFIG_UNKNOWN_KEY", "workspace"),
    ],
)
def test_a_mistake_in_the_file_is_named(
    tmp_path: Path, text: str, condition: str, says: str
) -> None:
    with pytest.raises(UserError) as caught:
        load_config(write(tmp_path, text), environment={})
    assert caught.value.condition == condition
    assert says in str(caught.value)


def test_bytes_that_are_no_text_are_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="CONFIG_UNREADABLE"):
        load_config(tmp_path, environment={})


def test_an_argument_that_does_not_exist_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean spark_master"):
        load_config(tmp_path, environment={}, spark_mastr="local")


def test_pools_of_clusters_are_a_table_that_adds_up(tmp_path: Path) -> None:
    write(tmp_path, '[clusters.pools]\nLOADING = "production"\n')
    environment = {"HEADWATER_CLUSTERS_POOLS": '{"REPORTS": "people"}'}
    config = load_config(tmp_path, environment=environment)
    assert config.cluster_pools == {"LOADING": "production", "REPORTS": "people"}
    with pytest.raises(UserError, match="HEADWATER_CLUSTERS_POOLS"):
        load_config(tmp_path, environment={"HEADWATER_CLUSTERS_POOLS": "production"})
