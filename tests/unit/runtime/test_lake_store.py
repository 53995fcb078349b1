"""Which store holds the tables, and that its keys are never shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

import headwater
from headwater.catalog.objects import TableState
from headwater.config import Config
from headwater.errors import UserError
from headwater.files.loads import purge
from headwater.files.unreadable import source_file
from headwater.files.volumes import Whose, open_volume, remove_table_volume
from headwater.names import QualifiedName
from headwater.runtime.lake_store import (
    ACCESS_VARIABLE,
    SECRET_VARIABLE,
    TOKEN_VARIABLE,
    open_lake_store,
)
from headwater.sql.parse import parse
from headwater.tables.commits import Author
from headwater.tables.create import new_table

KEYS = {ACCESS_VARIABLE: "who", SECRET_VARIABLE: "hw-s3cret"}


def config(location: str | None = "s3://bucket/lake", **settings: str) -> Config:
    return Config(tables_location=location, **settings)


def test_without_a_location_the_lake_folder_holds_the_tables():
    assert open_lake_store(config(None), environment=KEYS) is None


@pytest.mark.parametrize(
    "location", ["s3://bucket/lake", "s3a://bucket/lake/", "S3A://bucket/lake"]
)
def test_a_location_is_spelled_as_spark_does_or_as_volumes_do(location):
    found = open_lake_store(config(location), environment=KEYS)
    assert found is not None
    assert found.url == "s3a://bucket/lake/"
    assert found.address.url == "s3://bucket/lake/"


def test_spark_gets_the_same_server_and_keys():
    given = config(tables_endpoint="http://127.0.0.1:9", tables_region="eu-1")
    found = open_lake_store(given, environment={**KEYS, TOKEN_VARIABLE: "t0ken"})
    assert found is not None
    settings = {
        name.rpartition("bucket.bucket.")[2]: v for name, v in found.access.settings.items()
    }
    assert settings["endpoint"] == "http://127.0.0.1:9"
    assert settings["endpoint.region"] == "eu-1"
    assert settings["access.key"] == "who"
    assert settings["secret.key"] == "hw-s3cret"
    assert settings["session.token"] == "t0ken"
    assert found.access.jar_set == "s3"
    assert "hw-s3cret" not in repr(found)
    assert "t0ken" not in repr(found)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("oss://bucket/lake", "'oss'"),
        ("hdfs://host/lake", "'hdfs'"),
        ("lake/tables", "does not start with"),
        ("s3://b/../x", "bucket"),
        ("s3://bucket/a/../b", ".."),
        ("s3://me:hw-s3cret@bucket/a", "user name"),
    ],
)
def test_other_locations_are_refused(location, reason):
    with pytest.raises(UserError) as caught:
        open_lake_store(config(location), environment=KEYS)
    assert caught.value.condition == "TABLES_LOCATION_REFUSED"
    assert reason in str(caught.value)
    assert "hw-s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "environment", [{}, {ACCESS_VARIABLE: "a"}, {SECRET_VARIABLE: "hw-s3cret"}]
)
def test_keys_that_are_missing_are_asked_for(environment):
    with pytest.raises(UserError) as caught:
        open_lake_store(config(), environment=environment)
    assert caught.value.condition == "TABLES_KEYS_MISSING"
    assert ACCESS_VARIABLE in str(caught.value.hint)
    assert "hw-s3cret" not in str(caught.value)


def test_keys_may_be_in_a_file_that_nobody_else_reads(tmp_path):
    path = tmp_path / "keys"
    path.write_text("who\nhw-s3cret\n")
    path.chmod(0o600)
    found = open_lake_store(config(tables_key_file=str(path)), environment={})
    assert found is not None
    assert found.connection.keys is not None
    assert found.connection.keys.secret_key == "hw-s3cret"
    path.chmod(0o640)
    with pytest.raises(UserError) as caught:
        open_lake_store(config(tables_key_file=str(path)), environment={})
    assert caught.value.condition == "TABLES_KEY_FILE_EXPOSED"


@pytest.mark.parametrize("content", [None, "", "hw-s3cret", "who hw-s3cret more"])
def test_a_file_without_two_keys_is_refused_without_showing_it(tmp_path, content):
    path = tmp_path / "keys"
    if content is not None:
        path.write_text(content)
        path.chmod(0o600)
    with pytest.raises(UserError) as caught:
        open_lake_store(config(tables_key_file=str(path)), environment={})
    assert caught.value.condition == "TABLES_KEY_FILE_UNUSABLE"
    assert "hw-s3cret" not in str(caught.value)


def _table_volumes_go_with_their_tables(connection, source):
    lake = connection.session.lake
    author = Author("job", "me")
    for name in ("t", "u"):
        table = new_table(lake, QualifiedName(lake.config.workspace, "public", name), author=author)
        lake.store.tables.insert_active(replace(table, state=TableState.ACTIVE))
        connection.sql(f"PUT '{source}' TO TABLE VOLUME {name}")
    (gone,) = (each for each in lake.store.tables.list(table.workspace) if each.name == "t")
    assert remove_table_volume(lake, gone)
    assert connection.sql("LIST TABLE VOLUME t").rows == []
    assert [row[0] for row in connection.sql("LIST TABLE VOLUME u").rows] == ["a.csv"]


def _loaded_files_of_its_volumes_can_be_deleted(connection):
    """As a COPY with PURGE does it: what is loaded is known by its address alone."""
    lake = connection.session.lake
    table = lake.store.tables.get(lake.config.workspace, "public", "u")
    whose = Whose(lake.config.workspace, "public", "me")
    volume = open_volume(lake, parse("LIST VOLUME v").volume, whose)
    (file,) = (file for page in volume.store.list() for file in page)
    history = lake.store.load_history
    history.record_intent(table.id, "job", [source_file(volume, file)], purge=True)
    history.confirm("job", 1)
    assert purge(lake, "job") == []
    assert connection.sql("LIST VOLUME v").rows == []


def test_volumes_of_a_lake_in_a_store_are_beside_its_tables(tmp_path, monkeypatch, seaweedfs):
    keys = seaweedfs.connection.keys
    monkeypatch.setenv(ACCESS_VARIABLE, keys.access_key)
    monkeypatch.setenv(SECRET_VARIABLE, keys.secret_key)
    source = tmp_path / "a.csv"
    source.write_text("1,x\n")
    bucket = seaweedfs.create_bucket()
    with headwater.connect(
        tmp_path / "lake",
        tables_location=f"s3a://{bucket}/lake",
        tables_endpoint=seaweedfs.endpoint,
    ) as connection:
        connection.sql("CREATE VOLUME v")
        for volume in ("VOLUME v", "USER VOLUME"):
            connection.sql(f"PUT '{source}' TO {volume}")
            assert [row[0] for row in connection.sql(f"LIST {volume}").rows] == ["a.csv"]
            connection.sql(f"GET {volume} FILE 'a.csv' TO '{tmp_path}/back/'")
            assert (tmp_path / "back" / "a.csv").read_text() == "1,x\n"
        assert not (tmp_path / "lake" / "volumes").exists()
        assert f"s3://{bucket}/lake/volumes/named/" in str(connection.sql("DESC VOLUME v").rows)
        told = str(connection.sql("SHOW JOBS").rows)
        _table_volumes_go_with_their_tables(connection, source)
        _loaded_files_of_its_volumes_can_be_deleted(connection)
        assert keys.secret_key not in told
