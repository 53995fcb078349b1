"""Files under other names: links on this machine, copies in the lake's store for workers."""

from __future__ import annotations

import pyarrow
import pytest

from headwater.files.staging import Staging
from headwater.files.volumes import OpenVolume
from headwater.runtime.lake_store import LakeStore
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import StoreConnection
from headwater.storage.open_store import open_store
from headwater.storage.spark_settings import SparkAccess


@pytest.fixture
def volume(tmp_path) -> OpenVolume:
    (tmp_path / "volume").mkdir()
    address = parse_location(f"file://{tmp_path}/volume/")
    return OpenVolume("volume public.v", address, open_store(address))


@pytest.fixture
def remote(tmp_path) -> LakeStore:
    """A store of the lake's that is a folder here and a bucket for Spark."""
    (tmp_path / "bucket").mkdir()
    address = parse_location(f"file://{tmp_path}/bucket/")
    connection = StoreConnection(Scheme.S3)
    return LakeStore(address, connection, open_store(address), SparkAccess("s3a://b/lake/"))


def paths(remote: LakeStore) -> list[str]:
    return [file.path for page in remote.store.list() for file in page]


def test_on_one_machine_a_link_will_do(volume, tmp_path):
    volume.store.write("_a.csv", b"1\n")
    staging = Staging(tmp_path / "staging" / "x")
    path = staging.stage(volume, volume.store.head("_a.csv"), None)
    target = tmp_path / "staging" / "x" / "file1"
    assert path == f"file:{target}"
    assert target.is_symlink()
    staging.clear()
    assert not target.parent.exists()
    assert volume.store.read("_a.csv") == b"1\n"


def test_workers_find_a_copy_in_the_store_of_the_lake(volume, remote, tmp_path):
    volume.store.write("_a.csv", b"1\n")
    volume.store.write(":b.csv.gz", b"packed")
    staging = Staging(tmp_path / "staging" / "x", remote)
    first = staging.stage(volume, volume.store.head("_a.csv"), None)
    second = staging.stage(volume, volume.store.head(":b.csv.gz"), None)
    assert [first, second] == ["s3a://b/lake/staging/x/file1", "s3a://b/lake/staging/x/file2.gz"]
    assert remote.store.read("staging/x/file1") == b"1\n"
    assert remote.store.read("staging/x/file2.gz") == b"packed"
    assert not any((tmp_path / "staging" / "x").iterdir())
    staging.clear()
    assert paths(remote) == []
    assert volume.store.read("_a.csv") == b"1\n"


def test_what_workers_cannot_unpack_is_unpacked_on_the_way(volume, remote, tmp_path):
    packed = pyarrow.compress(b"1\n", codec="zstd", asbytes=True)
    volume.store.write("a.csv.zst", packed)
    staging = Staging(tmp_path / "staging" / "x", remote)
    staging.stage(volume, volume.store.head("a.csv.zst"), "zstd")
    assert remote.store.read("staging/x/file1") == b"1\n"
