"""What every store does, on a local folder and on a real S3 server."""

from __future__ import annotations

import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError, NotSupported, UserError
from headwater.storage.addresses import StoreAddress
from headwater.storage.store import FileInfo, Store

NAMES = [
    "plain.txt",
    "a b.txt",
    " leading",
    "trailing ",
    "100%.txt",
    "%41.txt",
    "a%2Fb.txt",
    "x#y?z=1&w.txt",
    "a+b.txt",
    'it\'s "quoted".txt',
    "ünï-日本.txt",
    "e\u0301.txt",
    "😀.txt",
    "new\nline.txt",
    "return\r.txt",
    "tab\t.txt",
    "bell\x07.txt",
    "ends in a line break\n",
    "a*b[1]{2}.txt",
    "~;:@=,$!()<>|^`.txt",
    "..two dots",
    "...",
    ".hidden",
]


def listed(store: Store, folder: str = "", **options: object) -> list[FileInfo]:
    return [file for page in store.list(folder, **options) for file in page]  # type: ignore[arg-type]


def paths(store: Store, folder: str = "", **options: object) -> list[str]:
    return [file.path for file in listed(store, folder, **options)]


def test_names_come_back_as_they_were_given(store: Store, tmp_path: Path) -> None:
    everywhere = [
        *NAMES,
        *(f"sub folder/{name}" for name in NAMES),
        *(f"{n}/x" for n in NAMES[1:9]),
    ]
    everywhere = [
        path for path in everywhere if path not in {p.split("/")[0] for p in everywhere if "/" in p}
    ]
    for path in everywhere:
        store.write(path, path.encode())
    assert sorted(paths(store)) == sorted(everywhere)
    for number, path in enumerate(everywhere):
        info = store.head(path)
        assert info is not None
        assert (info.path, info.size) == (path, len(path.encode()))
        assert store.read(path) == path.encode()
        store.get(path, tmp_path / f"copy-{number}")
        assert (tmp_path / f"copy-{number}").read_bytes() == path.encode()
    assert store.delete_many(everywhere) == {}
    assert paths(store) == []


def test_a_listing_and_head_agree(store: Store) -> None:
    before = datetime.now(UTC) - timedelta(seconds=2)
    store.write("a/b.csv", b"1,2\n")
    (file,) = listed(store)
    assert file == store.head("a/b.csv")
    assert file.size == 4
    assert file.modified_at.tzinfo is UTC
    assert before <= file.modified_at <= datetime.now(UTC) + timedelta(seconds=2)


def test_the_etag_changes_with_the_content(store: Store) -> None:
    store.write("a", b"one")
    first = store.head("a")
    assert first == store.head("a")
    store.write("a", b"two")
    second = store.head("a")
    assert first is not None
    assert second is not None
    assert first.etag != second.etag


def test_only_files_are_listed_and_folders_only_if_asked(store: Store) -> None:
    for path in ("top", "a/1", "a/2", "a/b/3", "ab/4"):
        store.write(path, b"x")
    assert sorted(paths(store, recursive=False)) == ["top"]
    assert sorted(paths(store, "a", recursive=False)) == ["a/1", "a/2"]
    assert sorted(paths(store, "a")) == sorted(paths(store, "a/")) == ["a/1", "a/2", "a/b/3"]
    assert paths(store, "nowhere") == []
    assert paths(store, "top") == []


def test_a_listing_can_start_behind_a_path(store: Store) -> None:
    names = [f"f{number:02}" for number in range(20)]
    for name in names:
        store.write(name, b"")
    assert paths(store) == names
    assert paths(store, start_after="f09") == names[10:]
    assert paths(store, start_after="f09x") == names[10:]
    assert paths(store, start_after="z") == []


@pytest.mark.large
def test_long_listings_come_in_pages(store: Store) -> None:
    names = {f"d{number % 3}/f{number:04}" for number in range(2100)}
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: store.write(name, b"x"), names))
    pages = [len(page) for page in store.list()]
    assert len(pages) >= 3
    assert max(pages) <= 1000
    assert set(paths(store)) == names
    first = next(iter(store.list()))
    assert len(first) == 1000, "a reader may stop after the first page"
    assert store.delete_many(names) == {}
    assert paths(store) == []


def test_files_are_copied_in_and_out(store: Store, tmp_path: Path) -> None:
    source = tmp_path / "big"
    source.write_bytes(bytes(range(256)) * 40_000)
    store.put(source, "deep/er/big")
    info = store.head("deep/er/big")
    assert info is not None
    assert info.size == source.stat().st_size
    target = tmp_path / "back"
    target.write_bytes(b"old")
    store.get("deep/er/big", target)
    assert target.read_bytes() == source.read_bytes()
    assert [path.name for path in tmp_path.glob(".headwater-*")] == []


def test_an_empty_file_is_a_file(store: Store, tmp_path: Path) -> None:
    store.write("empty", b"")
    (tmp_path / "nothing").touch()
    store.put(tmp_path / "nothing", "put")
    assert [(file.path, file.size) for file in listed(store)] == [("empty", 0), ("put", 0)]
    assert store.read("empty") == b""
    store.get("empty", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b""


def test_a_missing_file_is_named(store: Store, tmp_path: Path) -> None:
    assert store.head("no/such") is None
    for use in (lambda: store.read("no/such"), lambda: store.get("no/such", tmp_path / "x")):
        with pytest.raises(UserError, match="there is no file 'no/such'") as caught:
            use()
        assert caught.value.condition == "FILE_NOT_FOUND"
    assert not (tmp_path / "x").exists()
    assert store.delete_many(["no/such"]) == {}


def test_a_folder_is_no_file(store: Store) -> None:
    store.write("a/b", b"x")
    assert store.head("a") is None


@pytest.mark.parametrize(
    "path", ["", "/a", "a//b", "../a", "a/..", "./a", "a/./b", "a/", "a\0b", "\ud800"]
)
def test_paths_that_lead_elsewhere_are_refused(store: Store, path: str, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"x")
    for use in (
        lambda: store.head(path),
        lambda: store.read(path),
        lambda: store.get(path, tmp_path / "x"),
        lambda: store.write(path, b"x"),
        lambda: store.put(tmp_path / "source", path),
        lambda: store.delete_many([path]),
        lambda: store.presign(path),
    ):
        with pytest.raises(UserError, match="cannot be the path of a file") as caught:
            use()
        str(caught.value).encode()
    if path.strip("/"):
        with pytest.raises(UserError):
            list(store.list(path.removesuffix("/") if path != "a/" else "../b"))


def test_a_local_file_that_cannot_be_used_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing") as caught:
        store.put(tmp_path / "missing", "a")
    assert caught.value.condition == "LOCAL_FILE_UNREADABLE"
    store.write("a", b"x")
    with pytest.raises(UserError, match="no folder") as caught:
        store.get("a", tmp_path / "no folder" / "a")
    assert caught.value.condition == "LOCAL_FILE_UNWRITABLE"


def test_a_store_is_safe_to_use_from_many_threads(store: Store) -> None:
    def round_trip(number: int) -> bool:
        path = f"t{number % 7}/{number}"
        store.write(path, path.encode())
        return store.read(path) == path.encode()

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(round_trip, range(200)))


def test_an_address_for_a_while(store: Store, address: StoreAddress) -> None:
    name = "a b/ünï+100%.txt"
    store.write(name, b"content")
    if address.scheme == "file":
        with pytest.raises(NotSupported, match="PRESIGN_LOCAL"):
            store.presign(name)
        return
    with urllib.request.urlopen(store.presign(name, seconds=60)) as answer:
        assert answer.read() == b"content"
    for seconds in (0, -1, 8 * 24 * 3600):
        with pytest.raises(UserError, match="PRESIGN_SECONDS"):
            store.presign(name, seconds=seconds)


@pytest.mark.parametrize("address", ["s3"], indirect=True)
def test_a_presigned_address_ends(store: Store) -> None:
    store.write("a", b"x")
    url = store.presign("a", seconds=1)
    time.sleep(2.1)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(url)


def test_errors_are_ours(store: Store) -> None:
    with pytest.raises(HeadwaterError):
        store.read("nope")


def test_a_file_is_found_with_what_is_known_of_it(store: Store) -> None:
    store.write("a b/c.txt", b"content")
    found = store.find("a b/c.txt")
    assert found is not None
    assert found.content == b"content"
    assert found.info == store.head("a b/c.txt")
    store.write("a b/c.txt", b"other")
    later = store.find("a b/c.txt")
    assert later is not None
    assert later.info.etag != found.info.etag


def test_a_file_that_is_not_there_is_not_found(store: Store) -> None:
    assert store.find("none") is None
    assert store.find("none/deeper") is None
