"""PUT and GET when something goes wrong: which file, what was done, nothing half or outside."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

import headwater
from headwater.errors import TransientError, UserError
from headwater.files.local_sources import MOST_BYTES
from headwater.files.local_targets import LocalFolder
from headwater.files.transfers import Transfer, TransferStatus, transfer_all
from headwater.storage.local_files import LocalFiles


def files(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(name.encode())
    return folder


def test_a_failure_names_its_file_and_what_was_done(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    local = files(tmp_path / "local", "a.csv", "b.csv", "c.csv")
    volume = lake.session.lake.folder.path / "volumes" / "user" / "tester"
    (volume / "b.csv").mkdir(parents=True)
    with pytest.raises(UserError) as caught:
        lake.sql(f"PUT '{local}/*' TO USER VOLUME PARALLEL = 1")
    assert f"'{local}/b.csv' was not copied to 'b.csv'" in caught.value.message
    assert caught.value.hint is not None
    assert f"1 of 3 files were copied: '{local}/a.csv'" in caught.value.hint
    assert sorted(path.name for path in volume.iterdir()) == ["a.csv", "b.csv"]


def test_the_error_keeps_its_condition_and_its_kind(lake: headwater.Connection) -> None:
    def fail() -> tuple[int, TransferStatus]:
        raise TransientError("STORE_BUSY", store="s3://b/", reason="slow down")

    with pytest.raises(TransientError, match=r"STORE_BUSY.*'a' was not copied to 'b'"):
        transfer_all(lake.session.lake, "job", [Transfer("a", "b", 1, fail)], parallel=None)
    assert lake.session.lake.transfers == {}


def test_a_bug_in_a_copy_is_not_swallowed(lake: headwater.Connection) -> None:
    def fail() -> tuple[int, TransferStatus]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        transfer_all(lake.session.lake, "job", [Transfer("a", "b", 1, fail)], parallel=None)


def test_the_outcomes_come_in_the_order_of_the_files_and_progress_is_counted(
    lake: headwater.Connection,
) -> None:
    seen: list[tuple[int, int]] = []

    def copy(number: int) -> tuple[int, TransferStatus]:
        time.sleep(0.05 * (3 - number))
        seen.append(lake.session.lake.transfers.get("job", (0, 0)))
        return number, TransferStatus.SUCCEED

    work = [Transfer(str(n), str(n), n, lambda n=n: copy(n)) for n in range(4)]
    done = transfer_all(lake.session.lake, "job", work, parallel=4)
    assert [each.target_size for each in done] == [0, 1, 2, 3]
    assert {total for _, total in seen} == {4}


@pytest.mark.servers
def test_a_put_can_be_cancelled(
    lake: headwater.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = files(tmp_path / "local", *(f"{number}.csv" for number in range(50)))
    put = LocalFiles.put

    def slow(self: LocalFiles, local_path: Path, path: str) -> None:
        time.sleep(0.1)
        put(self, local_path, path)

    monkeypatch.setattr(LocalFiles, "put", slow)
    threading.Timer(0.3, lake.cancel).start()
    with pytest.raises(headwater.ProgrammingError, match="JOB_CANCELLED"):
        lake.sql(f"PUT '{local}/*' TO USER VOLUME PARALLEL = 1")
    monkeypatch.undo()
    assert 0 < len(lake.sql("LIST USER VOLUME").rows) < 50


def test_a_file_above_five_terabytes_is_refused_before_anything_is_sent(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    local = files(tmp_path / "local", "a.csv")
    with (local / "huge.bin").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UserError, match=r"LOCAL_FILE_TOO_LARGE.*5497558138881 bytes"):
        lake.sql(f"PUT '{local}/*' TO USER VOLUME")
    assert lake.sql("LIST USER VOLUME").rows == []


def test_get_writes_nothing_through_a_link_out_of_its_folder(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    local = files(tmp_path / "local", "a.csv")
    lake.sql(f"PUT '{local}/a.csv' TO USER VOLUME SUBDIRECTORY 'sub'")
    outside = files(tmp_path / "outside")
    out = files(tmp_path / "out")
    (out / "sub").symlink_to(outside)
    with pytest.raises(UserError, match=r"LOCAL_FILE_UNWRITABLE.*is a symbolic link"):
        lake.sql(f"GET USER VOLUME TO '{out}'")
    assert list(outside.iterdir()) == []


def test_get_replaces_a_link_and_not_what_it_leads_to(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    local = files(tmp_path / "local", "a.csv")
    lake.sql(f"PUT '{local}/a.csv' TO USER VOLUME")
    precious = files(tmp_path / "outside", "precious") / "precious"
    out = files(tmp_path / "out")
    (out / "a.csv").symlink_to(precious)
    lake.sql(f"GET USER VOLUME TO '{out}'")
    assert precious.read_bytes() == b"precious"
    assert (out / "a.csv").read_bytes() == b"a.csv"


@pytest.mark.parametrize("name", ["../x", "a/../../x", "a//b", "./x", "x/", "", "a\0b"])
def test_no_name_leads_out_of_the_local_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="FILE_PATH_REFUSED"):
        LocalFolder(tmp_path).place(name)


def test_a_failed_get_leaves_no_piece_of_a_file(
    lake: headwater.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = files(tmp_path / "local", "a.csv")
    lake.sql(f"PUT '{local}/a.csv' TO USER VOLUME")
    monkeypatch.setattr("shutil.copyfileobj", _fails_half_way)
    with pytest.raises(UserError, match=r"'a.csv' was not copied to '.*out/a.csv'"):
        lake.sql(f"GET USER VOLUME TO '{tmp_path}/out'")
    assert list((tmp_path / "out").iterdir()) == []


def _fails_half_way(source: object, target: object) -> None:
    target.write(b"a")  # type: ignore[attr-defined]
    raise OSError(28, "No space left on device")


def test_a_table_volume_belongs_to_its_table_and_a_user_volume_to_its_user(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    local = files(tmp_path / "local", "a.csv")
    lake.sql(f"PUT '{local}/a.csv' TO USER VOLUME")
    with headwater.connect(tmp_path / "lake", user="some/one else") as other:
        assert other.sql("LIST USER VOLUME").rows == []
        other.sql(f"PUT '{local}/a.csv' TO USER VOLUME FILE 'b.csv'")
        assert [row[0] for row in other.sql("LIST USER VOLUME").rows] == ["b.csv"]
    assert [row[0] for row in lake.sql("LIST USER VOLUME").rows] == ["a.csv"]
