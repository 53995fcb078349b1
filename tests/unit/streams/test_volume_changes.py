"""Streams over a folder of this machine: what each step shows, and what consuming leaves."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.streams.watching import Watching

from headwater.catalog.streams import StreamOffset
from headwater.errors import UserError
from headwater.files import directory
from headwater.runtime.clock import now


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "in"


def put(path: Path, content: str = "1") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def test_a_folder_needs_no_queue_and_is_listed_when_its_stream_is_read(
    local: Watching, folder: Path
) -> None:
    put(folder / "old.png")
    message = local.create().message
    assert message == "stream public.s created on volume public.v"
    assert local.rows() == []
    put(folder / "new.png", "22")
    put(folder / "below/deep.png", "333")
    before = now()
    changes = local.changes()
    assert [column.name for column in changes.rows.schema] == [
        "__change_type",
        "__commit_version",
        "__commit_timestamp",
        "relative_path",
        "url",
        "size",
        "last_modified_time",
    ]
    assert [(row[0], row[1], *row[3:6]) for row in changes.rows.rows] == [
        ("INSERT", 2, "below/deep.png", f"file://{folder}/below/deep.png", 3),
        ("INSERT", 2, "new.png", f"file://{folder}/new.png", 2),
    ]
    for row in changes.rows.rows:
        assert before <= row[2] <= now()
        modified = int((folder / row[3]).stat().st_mtime)
        assert row[6] == datetime.fromtimestamp(modified, UTC)
    assert changes.to == StreamOffset(2)
    assert local.stream().offset == StreamOffset(1)


def test_the_life_of_a_file_through_consumption(local: Watching, folder: Path) -> None:
    local.create()
    put(folder / "a")
    assert local.consume() == [("INSERT", 1, "a", 1)]
    assert local.consume() == []
    put(folder / "a", "22")
    assert local.rows() == [("UPDATE_BEFORE", 1, "a", 1), ("UPDATE_AFTER", 2, "a", 2)]
    put(folder / "a", "333")
    assert local.consume() == [("UPDATE_BEFORE", 1, "a", 1), ("UPDATE_AFTER", 3, "a", 3)]
    (folder / "a").unlink()
    assert local.consume() == [("DELETE", 3, "a", 3)]
    put(folder / "b")
    local.rows()
    (folder / "b").unlink()
    assert local.consume() == []


def test_a_row_that_is_gone_shows_when_it_was_first_seen(local: Watching, folder: Path) -> None:
    local.create()
    put(folder / "a")
    inserted = local.changes().rows.rows
    local.consume()
    (folder / "a").unlink()
    deleted = local.changes().rows.rows
    assert [row[0] for row in (*inserted, *deleted)] == ["INSERT", "DELETE"]
    assert deleted[0][1:] == inserted[0][1:]


def test_refreshing_the_volume_drives_its_streams(local: Watching, folder: Path) -> None:
    local.create()
    for content in ("1", "22"):
        put(folder / "a", content)
        local.sql("ALTER VOLUME v REFRESH")
    assert local.volume().directory_version == 2
    assert local.rows() == [("INSERT", 2, "a", 2)]


def test_streams_of_one_volume_are_independent(local: Watching, folder: Path) -> None:
    local.create("s")
    put(folder / "a")
    local.create("t")
    put(folder / "b")
    assert local.shown("s") == [("INSERT", "a"), ("INSERT", "b")]
    assert local.shown("t") == [("INSERT", "b")]
    local.consume("s")
    (folder / "b").unlink()
    assert local.shown("s") == [("DELETE", "b")]
    assert local.shown("t") == []


def test_a_stream_with_initial_rows_shows_what_is_there(local: Watching, folder: Path) -> None:
    put(folder / "a")
    put(folder / "b")
    local.create()
    initial = replace(local.stream(), offset=StreamOffset(1, initial=True))
    local.lake.store.streams.create(replace(initial, id="other"), replace=True)
    assert local.rows() == [("INSERT", 1, "a", 1), ("INSERT", 1, "b", 1)]
    (folder / "a").unlink()
    put(folder / "c")
    assert local.consume() == [("INSERT", 1, "b", 1), ("INSERT", 2, "c", 1)]
    assert local.stream().offset == StreamOffset(2)
    assert local.rows() == []


def test_files_that_are_still_being_written_are_not_shown(local: Watching, folder: Path) -> None:
    local.create()
    put(folder / ".headwater-0123.part")
    assert local.rows() == []
    os.replace(folder / ".headwater-0123.part", folder / "a")
    assert local.shown() == [("INSERT", "a")]


def test_a_clock_that_was_set_back_hides_nothing(
    local: Watching, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.create()
    local.rows()
    monkeypatch.setattr(directory, "now", lambda: now() - timedelta(hours=1))
    put(folder / "a")
    assert local.shown() == [("INSERT", "a")]
    put(folder / "b")
    assert local.shown() == [("INSERT", "a"), ("INSERT", "b")]


def test_a_volume_whose_schema_was_dropped(local: Watching, folder: Path) -> None:
    local.sql(
        "CREATE SCHEMA other; CREATE EXTERNAL VOLUME other.w"
        f" LOCATION 'file://{folder}/' USING CONNECTION c"
        " DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
    )
    local.create(volume="other.w")
    local.sql("DROP SCHEMA other CASCADE")
    with pytest.raises(UserError, match="STREAM_VOLUME_GONE") as caught:
        local.rows()
    assert caught.value.hint == "DROP TABLE STREAM public.s"


def test_a_folder_that_is_gone_is_an_error_and_not_a_deletion(
    local: Watching, folder: Path
) -> None:
    put(folder / "a")
    local.create()
    shutil.rmtree(folder)
    with pytest.raises(UserError):
        local.rows()
    folder.mkdir()
    assert local.shown() == [("DELETE", "a")]


def test_random_steps_of_consumption_lead_a_copy_to_what_is_there(
    local: Watching, folder: Path
) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    local.create()
    copy: dict[str, int] = {}
    for _ in range(60):
        path = folder / dice.choice(["a", "b", "c/d", "c/e"])
        match dice.choice(["put", "put", "remove", "refresh", "consume"]):
            case "put":
                put(path, "x" * dice.randrange(4))
            case "remove":
                path.unlink(missing_ok=True)
            case "refresh":
                local.sql("ALTER VOLUME v REFRESH")
            case _:
                for kind, _version, name, size in local.consume():
                    if kind in ("DELETE", "UPDATE_BEFORE"):
                        assert copy.pop(name) == size
                    else:
                        assert name not in copy
                        copy[name] = size
                there = [found for found in folder.rglob("*") if found.is_file()]
                sizes = {str(f.relative_to(folder)): f.stat().st_size for f in there}
                assert copy == sizes
