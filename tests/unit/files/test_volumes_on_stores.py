"""Volumes from SQL, the same on a local folder and on a real S3 server."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.unit.files.conftest import Place, opened_volume

import headwater
from headwater.files.directory import directory_rows

ODD_NAMES = [
    "two words.csv",
    "100%.csv",
    "a%2Fb.csv",
    "#hash+plus.csv",
    'it\'s "quoted".csv',
    "日本語-ü.csv",
    "new\nline.csv",
    "[a]*?.csv",
    " leading and trailing ",
    "~tilde&amp;<x>.csv",
]


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path there."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def made(folder: Path, names: list[str]) -> Path:
    """A folder with these files, each with content of its own."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * 3)
    return folder


def paths(result: headwater.Result) -> list[str]:
    return [row[0] for row in result.rows]


def test_files_go_in_and_come_out_as_they_are(
    volume: headwater.Connection, place: Place, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", ["a.csv", "b.csv", "empty.csv"])
    (local / "empty.csv").write_bytes(b"")
    (local / "big.bin").write_bytes(bytes(range(256)) * 8192)
    put = volume.sql(f"PUT '{local}/*' TO VOLUME v SUBDIRECTORY 'd/e'")
    assert put.columns == ["source", "target", "source_size", "target_size", "status"]
    assert [(row[1], row[2] == row[3], row[4]) for row in put.rows] == [
        ("d/e/a.csv", True, "SUCCEED"),
        ("d/e/b.csv", True, "SUCCEED"),
        ("d/e/big.bin", True, "SUCCEED"),
        ("d/e/empty.csv", True, "SUCCEED"),
    ]
    listed = volume.sql("LIST VOLUME v")
    assert listed.columns == ["relative_path", "url", "size", "last_modified_time"]
    assert [row[1] for row in listed.rows] == [place.location + row[0] for row in listed.rows]
    assert [row[2] for row in listed.rows] == [15, 15, 2097152, 0]
    got = volume.sql(f"GET VOLUME v TO '{tmp_path}/out/all'")
    assert [row[3] for row in got.rows] == [15, 15, 2097152, 0]
    out = files_in(tmp_path / "out" / "all")
    assert {name.removeprefix("d/e/"): content for name, content in out.items()} == files_in(local)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_name_goes_in_and_comes_out_as_it_is(
    volume: headwater.Connection, tmp_path: Path, name: str
) -> None:
    local = made(tmp_path / "local", [name])
    volume.sql("PUT ? TO VOLUME v SUBDIRECTORY ?", [str(local / name), "odd # folder"])
    path = f"odd # folder/{name}"
    assert paths(volume.sql("LIST VOLUME v")) == [path]
    volume.sql("GET VOLUME v FILE ? TO ?", [path, str(tmp_path / "out")])
    assert files_in(tmp_path / "out") == files_in(local)
    volume.sql("ALTER VOLUME v REFRESH")
    rows = directory_rows(volume.session.lake, opened_volume(volume)).rows
    assert [row[0] for row in rows] == [path]
    assert volume.sql("REMOVE VOLUME v FILE ?", [path]).rows == [(path, "SUCCEED")]
    assert paths(volume.sql("LIST VOLUME v")) == []


def test_a_volume_that_is_not_recursive_shows_its_own_files_only(
    volume: headwater.Connection, place: Place, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", ["a.csv"])
    volume.sql(
        f"PUT '{local}/a.csv' TO VOLUME v; PUT '{local}/a.csv' TO VOLUME v FILE 'b/c.csv';"
        f"PUT '{local}/a.csv' TO VOLUME v FILE 'b/d/e.csv';"
        f"CREATE EXTERNAL VOLUME flat LOCATION '{place.location}' USING CONNECTION c"
        " DIRECTORY = (ENABLE = TRUE)"
    )
    assert paths(volume.sql("LIST VOLUME v")) == ["a.csv", "b/c.csv", "b/d/e.csv"]
    assert paths(volume.sql("LIST VOLUME flat")) == ["a.csv"]
    assert paths(volume.sql("SHOW VOLUME DIRECTORY flat")) == ["a.csv"]
    assert paths(volume.sql("LIST VOLUME flat SUBDIRECTORY 'b'")) == ["b/c.csv", "b/d/e.csv"]
    assert paths(volume.sql("LIST VOLUME flat REGEXP = '.*/e[.]csv'")) == ["b/d/e.csv"]
    volume.sql("ALTER VOLUME flat REFRESH")
    rows = directory_rows(volume.session.lake, opened_volume(volume, "flat")).rows
    assert [row[0] for row in rows] == ["a.csv"]


def test_a_pattern_is_for_the_whole_url(
    volume: headwater.Connection, place: Place, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", ["a.csv", "b.json"])
    volume.sql(f"PUT '{local}/*' TO VOLUME v SUBDIRECTORY 'x'")
    assert paths(volume.sql("LIST VOLUME v REGEXP = 'a.csv'")) == []
    pattern = place.location.replace("file://", "file:/{2}") + "x/[ab][.](csv|txt)"
    assert paths(volume.sql("LIST VOLUME v REGEXP = ?", [pattern])) == ["x/a.csv"]


def test_the_directory_table_shows_the_last_refresh(
    volume: headwater.Connection, place: Place, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", ["a.csv", "b.csv"])

    def directory() -> list[str]:
        rows = directory_rows(volume.session.lake, opened_volume(volume)).rows
        assert [row[1] for row in rows] == [place.location + row[0] for row in rows]
        assert all(row[3].tzinfo is not None for row in rows)
        return [row[0] for row in rows]

    volume.sql(f"PUT '{local}/*' TO VOLUME v")
    assert directory() == []
    assert "2 added, 0 changed, 0 removed" in volume.sql("ALTER VOLUME v REFRESH").message
    assert directory() == ["a.csv", "b.csv"]
    (local / "b.csv").write_bytes(b"longer than before")
    volume.sql(f"REMOVE VOLUME v FILE 'a.csv'; PUT '{local}/b.csv' TO VOLUME v")
    assert directory() == ["a.csv", "b.csv"]
    assert "0 added, 1 changed, 1 removed" in volume.sql("ALTER VOLUME v REFRESH").message
    assert directory() == ["b.csv"]


def test_with_auto_refresh_the_directory_table_shows_what_is_there(
    volume: headwater.Connection, place: Place, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", ["a.csv", "b.csv"])
    volume.sql(f"PUT '{local}/a.csv' TO VOLUME v")
    made_volume = volume.sql(
        f"CREATE OR REPLACE EXTERNAL VOLUME v LOCATION '{place.location}' USING CONNECTION c"
        " DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE) RECURSIVE = TRUE"
    )
    assert made_volume.message == "volume public.v replaced, its directory lists 1 file"
    volume.sql(f"PUT '{local}/b.csv' TO VOLUME v; REMOVE VOLUME v FILE 'a.csv'")
    assert paths(directory_rows(volume.session.lake, opened_volume(volume))) == ["b.csv"]


def test_unfinished_files_of_ours_are_not_shown(volume: headwater.Connection) -> None:
    store = opened_volume(volume).store
    store.write("a.csv", b"1")
    store.write("b/.headwater-0123.part", b"1")
    store.write(".headwater-staging/c.csv", b"1")
    store.write("d/not.headwater-x.csv", b"1")
    seen = ["a.csv", "d/not.headwater-x.csv"]
    assert paths(volume.sql("LIST VOLUME v")) == seen
    assert paths(volume.sql("SHOW VOLUME DIRECTORY v")) == seen
    volume.sql("ALTER VOLUME v REFRESH")
    assert paths(directory_rows(volume.session.lake, opened_volume(volume))) == seen


def test_what_is_there_can_be_kept(volume: headwater.Connection, tmp_path: Path) -> None:
    local = made(tmp_path / "local", ["a.csv"])
    volume.sql(f"PUT '{local}/a.csv' TO VOLUME v")
    (local / "a.csv").write_bytes(b"new")
    put = volume.sql(f"PUT '{local}/a.csv' TO VOLUME v OVERWRITE = FALSE")
    assert put.rows[0][2:] == (3, 15, "SKIPPED")
    got = volume.sql(f"GET VOLUME v TO '{local}' OVERWRITE = FALSE")
    assert got.rows[0][2:] == (15, 3, "SKIPPED")
    assert (local / "a.csv").read_bytes() == b"new"
    assert volume.sql(f"GET VOLUME v TO '{local}'").rows[0][4] == "SUCCEED"
    assert (local / "a.csv").read_bytes() == b"a.csva.csva.csv"


@pytest.mark.large
def test_a_folder_of_many_files_is_removed_as_a_whole(volume: headwater.Connection) -> None:
    store = opened_volume(volume).store
    with ThreadPoolExecutor(8) as pool:
        names = [f"many/{number:04}.csv" for number in range(1005)]
        list(pool.map(lambda name: store.write(name, b"x"), names))
    store.write("many.csv", b"x")
    removed = volume.sql("REMOVE VOLUME v SUBDIRECTORY 'many'")
    assert len(removed.rows) == 1005
    assert paths(volume.sql("LIST VOLUME v")) == ["many.csv"]


def test_a_file_that_is_missing_ends_remove_and_get_before_they_begin(
    volume: headwater.Connection, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", ["a.csv"])
    volume.sql(f"PUT '{local}/a.csv' TO VOLUME v")
    with pytest.raises(headwater.ProgrammingError, match=r"FILE_NOT_FOUND.*'nope.csv'"):
        volume.sql("REMOVE VOLUME v FILE 'a.csv', 'nope.csv'")
    with pytest.raises(headwater.ProgrammingError, match=r"FILE_NOT_FOUND.*'nope.csv'"):
        volume.sql(f"GET VOLUME v FILE 'a.csv', 'nope.csv' TO '{tmp_path}/out'")
    assert paths(volume.sql("LIST VOLUME v")) == ["a.csv"]
    assert not (tmp_path / "out").exists()


def test_many_files_at_once_arrive_as_they_are(
    volume: headwater.Connection, tmp_path: Path
) -> None:
    local = made(tmp_path / "local", [f"{number:03}.bin" for number in range(100)])
    put = volume.sql(f"PUT '{local}/*' TO VOLUME v SUBDIRECTORY 'n' PARALLEL = 16")
    assert [row[1] for row in put.rows] == [f"n/{number:03}.bin" for number in range(100)]
    volume.sql(f"GET VOLUME v SUBDIRECTORY 'n' TO '{tmp_path}/out' PARALLEL = 16")
    assert digest(tmp_path / "out") == digest(local)


def digest(folder: Path) -> str:
    """One text for all files of a folder."""
    files = sorted(files_in(folder).items())
    return hashlib.sha256(repr(files).encode()).hexdigest()
