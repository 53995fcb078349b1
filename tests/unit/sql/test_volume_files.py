"""SHOW VOLUME DIRECTORY, LIST, PUT, GET and REMOVE."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.parse import parse
from headwater.sql.volume_files import Get, ListVolume, Put, Remove, ShowVolumeDirectory
from headwater.sql.volume_refs import USER_VOLUME, VolumeKind, VolumeRef

V = VolumeRef(VolumeKind.NAMED, ObjectName("v"))
T = VolumeRef(VolumeKind.TABLE, ObjectName("t", "s"))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SHOW VOLUME DIRECTORY v", ShowVolumeDirectory(V)),
        ("SHOW VOLUME DIRECTORY v SUBDIRECTORY 'a/b'", ShowVolumeDirectory(V, "a/b/")),
        ("SHOW USER VOLUME DIRECTORY", ShowVolumeDirectory(USER_VOLUME)),
        ("SHOW USER VOLUME DIRECTORY SUBDIRECTORY '/'", ShowVolumeDirectory(USER_VOLUME, "")),
        ("SHOW TABLE VOLUME DIRECTORY s.t", ShowVolumeDirectory(T)),
        ("LIST VOLUME v", ListVolume(V)),
        ("LIST USER VOLUME REGEXP = '.*[.]csv'", ListVolume(USER_VOLUME, None, ".*[.]csv")),
        ("LIST TABLE VOLUME s.t SUBDIRECTORY 'a' REGEXP 'x'", ListVolume(T, "a/", "x")),
        ("list volume v regexp 'x' subdirectory 'a'", ListVolume(V, "a/", "x")),
        ("PUT '/p/*.csv' TO VOLUME v", Put(("/p/*.csv",), V)),
        ("PUT 'file:///p/a', 'b' TO USER VOLUME", Put(("/p/a", "b"), USER_VOLUME)),
        ("PUT 'a' TO TABLE VOLUME s.t FILE 'n.csv'", Put(("a",), T, file="n.csv")),
        (
            "PUT 'a' TO VOLUME v SUBDIRECTORY 'd/' overwrite = false PARALLEL=4",
            Put(("a",), V, "d/", overwrite=False, parallel=4),
        ),
        ("GET VOLUME v TO '/tmp'", Get(V, "/tmp")),
        ("GET USER VOLUME FILE 'a', 'd/b' TO 'x'", Get(USER_VOLUME, "x", files=("a", "d/b"))),
        ("GET VOLUME v SUBDIRECTORY 'd' TO 'file:///tmp/x'", Get(V, "/tmp/x", "d/")),
        ("REMOVE VOLUME v FILE 'a'", Remove(V, files=("a",))),
        ("REMOVE USER VOLUME SUBDIRECTORY '/'", Remove(USER_VOLUME, "")),
    ],
)
def test_commands_are_read(text: str, statement: object) -> None:
    assert parse(text) == statement


@pytest.mark.parametrize(
    ("text", "condition", "place", "hint"),
    [
        ("LIST v", "SYNTAX_ERROR", "v", "VOLUME <name>"),
        ("LIST VOLUME v REGEXP '('", "REGEXP_NOT_VALID", "'('", ""),
        ("LIST VOLUME v LIKE 'x'", "SYNTAX_ERROR", "LIKE", ""),
        ("PUT a TO VOLUME v", "SYNTAX_ERROR", "a", ""),
        ("PUT 'a' VOLUME v", "SYNTAX_ERROR", "VOLUME", ""),
        ("PUT 'a', 'b' TO VOLUME v FILE 'c'", "SYNTAX_ERROR", "FILE", "SUBDIRECTORY"),
        ("PUT 'a' TO VOLUME v OVERWIRTE = TRUE", "OPTION_UNKNOWN", "OVERWIRTE", "OVERWRITE"),
        ("PUT 'a' TO VOLUME v PARALLEL = 0", "OPTION_VALUE", "0", ""),
        ("PUT 'a' TO VOLUME v FILE '../b'", "PATH_NOT_ALLOWED", "'../b'", ""),
        ("GET VOLUME v SUBDIRECTORY 'a' FILE 'b' TO 'c'", "CLAUSES_EXCLUDE", "FILE", ""),
        ("GET VOLUME v FILE 'b' SUBDIRECTORY 'a' TO 'c'", "CLAUSES_EXCLUDE", "SUBDIRECTORY", ""),
        ("GET VOLUME v", "SYNTAX_ERROR", "", ""),
        ("REMOVE VOLUME v", "SYNTAX_ERROR", "", "SUBDIRECTORY '/'"),
        ("REMOVE VOLUME v SUBDIRECTORY '..'", "PATH_NOT_ALLOWED", "'..'", ""),
        ("SHOW VOLUME DIRECTORY", "SYNTAX_ERROR", "", ""),
    ],
)
def test_mistakes_have_a_place_and_a_hint(text: str, condition: str, place: str, hint: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    error = raised.value
    assert error.condition == condition
    assert error.span is not None
    assert text[error.span.start : error.span.end] == place
    assert hint in (error.hint or "")


def test_a_volume_knows_its_place() -> None:
    text = "REMOVE  TABLE  VOLUME s . t FILE 'a'"
    statement = parse(text)
    assert isinstance(statement, Remove)
    span = statement.volume.span
    assert span is not None
    assert text[span.start : span.end] == "TABLE  VOLUME s . t"
