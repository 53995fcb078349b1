"""What a user sees of a store that does not let them in, is not there, or has no such bucket."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from tests.seaweedfs import KEYS, SeaweedServer
from tests.unit.files.conftest import Place, s3_place

import headwater

WRONG = "wr0ng-s3cret-of-a-user"


def with_volume(lake: headwater.Connection, place: Place) -> headwater.Connection:
    lake.sql(f"CREATE STORAGE CONNECTION c {place.connection}")
    lake.sql(f"CREATE EXTERNAL VOLUME v LOCATION '{place.location}' USING CONNECTION c")
    return lake


def statements(folder: Path) -> list[str]:
    (folder / "a.csv").write_bytes(b"1")
    return [
        "LIST VOLUME v",
        "SHOW VOLUME DIRECTORY v",
        f"PUT '{folder}/a.csv' TO VOLUME v",
        f"GET VOLUME v FILE 'a.csv' TO '{folder}/out'",
        "REMOVE VOLUME v FILE 'a.csv'",
        "REMOVE VOLUME v SUBDIRECTORY '/'",
    ]


def test_wrong_keys_are_denied_and_not_shown(
    lake: headwater.Connection, seaweedfs: SeaweedServer, tmp_path: Path
) -> None:
    with_volume(lake, s3_place(seaweedfs, secret=WRONG))
    for statement in statements(tmp_path):
        with pytest.raises(headwater.ProgrammingError, match="STORAGE_DENIED") as caught:
            lake.sql(statement)
        shown = f"{caught.value}{caught.value.detail}{caught.value.parameters}"
        assert WRONG not in shown
        assert KEYS.access_key not in shown
    assert not (tmp_path / "out").exists()
    jobs = lake.sql("SHOW JOBS").rows
    errors = [dict(lake.sql(f"DESC JOB '{job[0]}'").rows)["error_message"] for job in jobs]
    assert WRONG not in repr((jobs, errors))


def test_a_missing_bucket_is_named(
    lake: headwater.Connection, seaweedfs: SeaweedServer, tmp_path: Path
) -> None:
    with_volume(lake, s3_place(seaweedfs, bucket="no-such-bucket-here"))
    for statement in statements(tmp_path):
        with pytest.raises(headwater.ProgrammingError, match="BUCKET_NOT_FOUND") as caught:
            lake.sql(statement)
        assert "s3://no-such-bucket-here/the volume/" in str(caught.value)


def test_a_server_that_is_not_there_is_named_within_seconds(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with_volume(lake, s3_place(SeaweedServer(port), bucket="some-bucket"))
    started = time.monotonic()
    with pytest.raises(headwater.OperationalError, match="STORE_UNREACHABLE") as caught:
        lake.sql("LIST VOLUME v")
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("or_replace", ["", "OR REPLACE"])
def test_auto_refresh_looks_before_it_changes_anything(
    lake: headwater.Connection, seaweedfs: SeaweedServer, or_replace: str
) -> None:
    wrong = s3_place(seaweedfs, secret=WRONG)
    lake.sql(f"CREATE STORAGE CONNECTION c {wrong.connection}")
    if or_replace:
        lake.sql("CREATE VOLUME v")
    with pytest.raises(headwater.ProgrammingError, match="STORAGE_DENIED"):
        lake.sql(
            f"CREATE {or_replace} EXTERNAL VOLUME v LOCATION '{wrong.location}'"
            " USING CONNECTION c DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE)"
        )
    assert [row[3] for row in lake.sql("SHOW VOLUMES").rows] == ([False] if or_replace else [])


def test_a_refresh_that_fails_keeps_the_directory_table(
    lake: headwater.Connection, seaweedfs: SeaweedServer, tmp_path: Path
) -> None:
    from tests.unit.files.conftest import opened_volume

    from headwater.files.directory import directory_rows

    place = s3_place(seaweedfs)
    lake.sql(f"CREATE STORAGE CONNECTION c {place.connection}")
    lake.sql(
        f"CREATE EXTERNAL VOLUME v LOCATION '{place.location}' USING CONNECTION c"
        " DIRECTORY = (ENABLE = TRUE)"
    )
    (tmp_path / "a.csv").write_bytes(b"1")
    lake.sql(f"PUT '{tmp_path}/a.csv' TO VOLUME v; ALTER VOLUME v REFRESH")
    wrong = s3_place(seaweedfs, secret=WRONG).connection
    lake.sql(f"DROP CONNECTION c FORCE; CREATE STORAGE CONNECTION c {wrong}")
    with pytest.raises(headwater.ProgrammingError, match="STORAGE_DENIED"):
        lake.sql("ALTER VOLUME v REFRESH")
    rows = directory_rows(lake.session.lake, opened_volume(lake)).rows
    assert [row[0] for row in rows] == ["a.csv"]
