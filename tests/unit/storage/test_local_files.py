"""A local folder: nothing leads out of it, and files appear whole."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import HeadwaterError, UserError
from headwater.storage.addresses import parse_location
from headwater.storage.local_files import LocalFiles
from headwater.storage.open_store import open_store
from headwater.storage.store import Store

SECRET = b"outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "volume"
    folder.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(SECRET)
    return folder


@pytest.fixture
def store(root: Path) -> Store:
    return open_store(parse_location(f"file://{root}"))


def paths(store: Store, folder: str = "", **options: str) -> list[str]:
    return [file.path for page in store.list(folder, **options) for file in page]  # type: ignore[arg-type]


def uses(store: Store, path: str, folder: Path) -> list[Callable[[], object]]:
    (folder / "source").write_bytes(b"x")
    return [
        lambda: store.head(path),
        lambda: store.read(path),
        lambda: store.get(path, folder / "copy"),
    ]


@pytest.mark.parametrize("target", ["../outside/secret", "inside", "nowhere", "/etc/passwd"])
def test_a_link_is_no_file(store: Store, root: Path, target: str, tmp_path: Path) -> None:
    (root / "inside").write_bytes(b"x")
    (root / "link").symlink_to(target)
    assert paths(store) == ["inside"]
    for use in uses(store, "link", tmp_path):
        with pytest.raises(UserError, match="is a symbolic link"):
            use()
    assert not (tmp_path / "copy").exists()


def test_a_link_to_a_folder_leads_nowhere(store: Store, root: Path, tmp_path: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "out").symlink_to(tmp_path / "outside")
    assert paths(store) == []
    assert paths(store, "a") == []
    for use in (
        *uses(store, "a/out/secret", tmp_path),
        lambda: store.write("a/out/new", b"x"),
        lambda: store.put(tmp_path / "source", "a/out/secret"),
        lambda: list(store.list("a/out")),
    ):
        with pytest.raises(UserError, match="is a symbolic link"):
            use()
    assert list(store.delete_many(["a/out/secret"])) == ["a/out/secret"]
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["secret"]
    assert (tmp_path / "outside" / "secret").read_bytes() == SECRET


def test_writing_replaces_a_link_and_not_what_it_names(
    store: Store, root: Path, tmp_path: Path
) -> None:
    (root / "link").symlink_to(tmp_path / "outside" / "secret")
    store.write("link", b"new")
    assert store.read("link") == b"new"
    assert (tmp_path / "outside" / "secret").read_bytes() == SECRET


def test_deleting_removes_a_link_and_not_what_it_names(
    store: Store, root: Path, tmp_path: Path
) -> None:
    (root / "link").symlink_to(tmp_path / "outside" / "secret")
    assert store.delete_many(["link"]) == {}
    assert (tmp_path / "outside" / "secret").read_bytes() == SECRET


def test_the_folder_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "name").symlink_to(root)
    store = open_store(parse_location(f"file://{tmp_path}/name"))
    store.write("a", b"x")
    assert paths(store) == ["a"]


def test_pipes_and_sockets_are_no_files(
    store: Store, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(root / "pipe")
    # A short name, because addresses of sockets are short.
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert paths(store) == []
        for name in ("pipe", "socket"):
            for use in uses(store, name, tmp_path):
                with pytest.raises(HeadwaterError):
                    use()


def test_a_folder_is_not_read_or_replaced(store: Store, root: Path, tmp_path: Path) -> None:
    (root / "a").mkdir()
    assert store.head("a") is None
    for use in (lambda: store.read("a"), lambda: store.write("a", b"x")):
        with pytest.raises(UserError):
            use()
    assert list(store.delete_many(["a"])) == ["a"]
    store.write("file", b"x")
    with pytest.raises(UserError):
        store.write("file/below", b"x")
    assert store.read("file") == b"x"


def test_a_write_that_fails_leaves_the_old_file(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write("a", b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HeadwaterError, match="No space left"):
        store.write("a", b"new")
    assert store.read("a") == b"old"
    assert [path.name for path in root.iterdir()] == ["a"]


def test_unfinished_files_are_not_listed(store: Store, root: Path) -> None:
    (root / ".headwater-0123.part").write_bytes(b"half")
    (root / ".hidden").write_bytes(b"x")
    assert paths(store) == [".hidden"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    store = open_store(parse_location(f"file://{tmp_path}/nowhere"))
    for use in (lambda: list(store.list()), lambda: store.head("a"), lambda: store.read("a")):
        with pytest.raises(UserError, match=r"there is no folder .*nowhere"):
            use()
    store.write("a/b", b"x")
    assert paths(store) == ["a/b"]


def test_a_name_that_is_no_text_is_named(store: Store, root: Path) -> None:
    with open(os.fsencode(root) + b"/bad-\xff", "wb"):
        pass
    with pytest.raises(UserError, match=r"FILE_NAME_NOT_TEXT.*bad-") as caught:
        paths(store)
    str(caught.value).encode()


def test_a_changed_file_of_the_same_size_and_time_has_another_etag(
    store: Store, root: Path
) -> None:
    store.write("a", b"one")
    first = store.head("a")
    seen = (root / "a").stat()
    store.write("a", b"two")
    os.utime(root / "a", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert store.head("a") != first


@given(
    st.lists(st.text("ab-/.0", min_size=1, max_size=6), max_size=12), st.text("ab-/.0", max_size=6)
)
def test_listings_have_the_order_of_object_stores(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], after: str
) -> None:
    folder = tmp_path_factory.mktemp("order")
    store = LocalFiles(parse_location(f"file://{folder}"))
    written: set[str] = set()
    for name in names:
        try:
            store.write(name, b"")
            written.add(name)
        except UserError:
            continue
    ordered = sorted(written, key=str.encode)
    assert paths(store) == ordered
    assert paths(store, start_after=after) == [n for n in ordered if n.encode() > after.encode()]


@pytest.mark.large
def test_a_deep_tree_is_listed(store: Store) -> None:
    path = "/".join(["d"] * 300) + "/f"
    store.write(path, b"x")
    assert paths(store) == [path]
