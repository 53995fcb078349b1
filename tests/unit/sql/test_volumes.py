"""Volumes: clauses in any order, both spellings, and every mistake with its place."""

from __future__ import annotations

import itertools

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.describe import DescTable
from headwater.sql.parse import parse
from headwater.sql.volume_paths import Location, read_location, relative_folder, relative_path
from headwater.sql.volumes import (
    AlterVolumeRefresh,
    CreateExternalVolume,
    CreateVolume,
    DescVolume,
    Directory,
    DropVolume,
    Notification,
    ShowVolumes,
)

NAME = ObjectName("v")
CONNECTION = ObjectName("c")
LOCATION = Location("oss", "b", "p/")


def refused(text: str) -> UserError:
    with pytest.raises(UserError) as raised:
        parse(text)
    return raised.value


def pointed(text: str) -> str:
    span = refused(text).span
    assert span is not None
    return text[span.start : span.end]


def test_clauses_come_in_any_order() -> None:
    clauses = [
        "LOCATION 'oss://b/p/'",
        "USING CONNECTION c",
        "DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = FALSE)",
        "RECURSIVE = TRUE",
        "COMMENT 'x'",
    ]
    expected = CreateExternalVolume(
        NAME, LOCATION, CONNECTION, Directory(enable=True), recursive=True, comment="x"
    )
    for order in itertools.permutations(clauses):
        assert parse(" ".join(["CREATE EXTERNAL VOLUME v", *order])) == expected


@pytest.mark.parametrize(
    "text",
    [
        "STORAGE_CONNECTION = c LOCATION = 'oss://b/p'",
        "LOCATION 'oss://b/p/' STORAGE_CONNECTION c",
        "LOCATION = 'oss://b/p' USING CONNECTION `C`",
        "USING CONNECTION 'c' LOCATION 'OSS://b/p/'",
    ],
)
def test_the_old_spelling_means_the_same(text: str) -> None:
    statement = parse(f"CREATE EXTERNAL VOLUME v {text}")
    assert statement == CreateExternalVolume(NAME, LOCATION, CONNECTION)


def test_the_notification_of_the_seed() -> None:
    statement = parse(
        "CREATE OR REPLACE EXTERNAL VOLUME s.v LOCATION 'oss://b/p/' USING CONNECTION w.c"
        " NOTIFICATION = ( QUEUE_TYPE = 'ALICLOUD_MNS', QUEUE_NAME = 'q', -- made in STEP-1\n"
        " VIRTUAL_CLUSTER = 'GP' ) DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
    )
    assert statement == CreateExternalVolume(
        ObjectName("v", "s"),
        LOCATION,
        ObjectName("c", workspace="w"),
        Directory(enable=True),
        recursive=True,
        notification=Notification("ALICLOUD_MNS", "q", "GP"),
        or_replace=True,
    )


def test_a_named_volume() -> None:
    statement = parse(
        "CREATE VOLUME IF NOT EXISTS v DIRECTORY=(enable=true auto_refresh=true) COMMENT = 'x'"
    )
    directory = Directory(enable=True, auto_refresh=True)
    assert statement == CreateVolume(NAME, directory, comment="x", if_not_exists=True)


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        ("CREATE EXTERNAL VOLUME v USING CONNECTION c", "VOLUME_CLAUSE_MISSING", ""),
        ("CREATE EXTERNAL VOLUME v LOCATION 's3://b/p/'", "VOLUME_CLAUSE_MISSING", ""),
        ("CREATE VOLUME v LOCATION 's3://b/p/'", "VOLUME_CLAUSE_NOT_ALLOWED", "LOCATION"),
        ("CREATE VOLUME v USING CONNECTION c", "VOLUME_CLAUSE_NOT_ALLOWED", "USING"),
        ("CREATE VOLUME v DIRECTORY = (ENABEL = TRUE)", "OPTION_UNKNOWN", "ENABEL"),
        ("CREATE VOLUME v DIRECTORY = (ENABLE = 1)", "OPTION_VALUE", "1"),
        ("CREATE VOLUME v DIRECTORY = (AUTO_REFRESH = TRUE)", "SYNTAX_ERROR", "AUTO_REFRESH"),
        ("CREATE VOLUME v RECURSIVE = YES", "SYNTAX_ERROR", "YES"),
        ("CREATE VOLUME v COMMENT 'a' COMMENT 'b'", "SYNTAX_ERROR", "COMMENT"),
        ("CREATE VOLUME v RECURSIV = TRUE", "SYNTAX_ERROR", "RECURSIV"),
        (
            "CREATE EXTERNAL VOLUME v LOCATION 'ftp://b/p/' USING CONNECTION c",
            "LOCATION_NOT_ALLOWED",
            "'ftp://b/p/'",
        ),
        (
            "CREATE EXTERNAL VOLUME v USING CONNECTION c STORAGE_CONNECTION = d",
            "SYNTAX_ERROR",
            "STORAGE_CONNECTION",
        ),
        (
            "CREATE EXTERNAL VOLUME v NOTIFICATION = (QUEUE_TYPE='KAFKA' QUEUE_NAME='q')",
            "OPTION_VALUE",
            "'KAFKA'",
        ),
        ("CREATE OR REPLACE VOLUME IF NOT EXISTS v", "CLAUSES_EXCLUDE", "IF NOT EXISTS"),
        ("ALTER VOLUME v SET COMMENT 'x'", "VOLUME_ALTERED", "SET"),
        ("ALTER VOLUME v", "SYNTAX_ERROR", ""),
    ],
)
def test_mistakes_have_a_place(text: str, condition: str, place: str) -> None:
    assert refused(text).condition == condition
    assert pointed(text) == place


def test_a_clause_nearly_right_is_suggested() -> None:
    assert refused("CREATE VOLUME v DIRECTROY = (ENABLE = TRUE)").hint == "did you mean DIRECTORY?"
    assert refused("CREATE VOLUME v DIRECTORY = (ENABEL = TRUE)").hint == "did you mean ENABLE?"
    assert refused("DROP EXTERNAL VOLUME v").hint == "did you mean DROP VOLUME?"


def test_the_small_statements() -> None:
    assert parse("ALTER VOLUME s.v REFRESH") == AlterVolumeRefresh(ObjectName("v", "s"))
    assert parse("DROP VOLUME IF EXISTS v") == DropVolume(NAME, if_exists=True)
    assert parse("DESCRIBE VOLUME v") == DescVolume(NAME)
    assert parse("DESC VOLUME EXTENDED s.v") == DescVolume(ObjectName("v", "s"), extended=True)
    shown = parse("SHOW VOLUMES WHERE external = true")
    assert isinstance(shown, ShowVolumes)
    assert shown.filter.where == "external = true"
    assert parse("SHOW VOLUMES IN s") == ShowVolumes(ObjectName("s"))


def test_a_table_may_be_called_volume() -> None:
    assert parse("DESC volume") == DescTable(ObjectName("volume"))
    assert parse("DESC volume EXTENDED") == DescTable(ObjectName("volume"), extended=True)
    assert parse("DESC volume.t") == DescTable(ObjectName("t", "volume"))
    assert parse("DESC TABLE volume") == DescTable(ObjectName("volume"))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("s3://bucket/a/b", "s3://bucket/a/b/"),
        ("s3a://bucket/a/", "s3://bucket/a/"),
        ("COSN://bucket-125/a", "cos://bucket-125/a/"),
        ("oss://bucket", "oss://bucket/"),
        ("file:///tmp/a b/ü%20#/", "file:///tmp/a b/ü%20#/"),
    ],
)
def test_a_location_is_written_in_one_way(text: str, written: str) -> None:
    assert str(read_location(text)) == written
    assert read_location(written) == read_location(text)
    assert read_location(text).is_bucket_root == (text == "oss://bucket")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bucket/a",
        "/tmp/a",
        "http://host/a",
        "gs://bucket/a",
        "s3:///a",
        "s3://",
        "s3://key:secret@bucket/a",
        "s3://bucket/a/../b",
        "s3://bucket/..",
        "s3://bucket/./a",
        "s3://bucket/a%2fb",
        "s3://bucket/%2E%2E/b",
        "s3://bucket/a//b",
        "s3://bucket//a",
        "s3://bucket/a\\b",
        "s3://bucket/a\nb",
        "s3://bucket/a\0",
        "s3://bu cket/a",
        "file:///",
        "file:////etc",
        "file://host/a",
        "file:///a/../../etc",
        "file:/tmp/a",
    ],
)
def test_a_location_that_leads_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(UserError) as raised:
        read_location(text)
    assert raised.value.condition == "LOCATION_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a.csv", "a.csv"),
        ("/a/b.csv", "a/b.csv"),
        ("a/..b/c..d", "a/..b/c..d"),
        ("a %2F#+'\"ü\n.csv", "a %2F#+'\"ü\n.csv"),
    ],
)
def test_the_names_of_files_are_taken_as_they_are(text: str, path: str) -> None:
    assert relative_path(text) == path


@pytest.mark.parametrize("text", ["", "/", "a/", "..", "../a", "a/../b", "a/.", "s3://b/a", "a\0"])
def test_a_path_that_leads_out_of_the_volume_is_refused(text: str) -> None:
    with pytest.raises(UserError) as raised:
        relative_path(text)
    assert raised.value.condition == "PATH_NOT_ALLOWED"


def test_folders_end_with_a_slash_and_the_root_is_empty() -> None:
    assert [relative_folder(text) for text in ("", "/", "a", "/a/b/")] == ["", "", "a/", "a/b/"]
    with pytest.raises(UserError):
        relative_folder("a/../..")
