"""The jar cache: what is trusted, what is fetched again, what is refused. Maven is a stand-in."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.errors import TransientError, UserError
from headwater.lake import jars
from headwater.lake.jars import cache_folder, jar_paths, locked_jars

CONTENTS = {"org.example:one:1.0": b"first jar", "org.example:two_2.13:2.0": b"second jar"}
NAMES = ["org.example_one-1.0.jar", "org.example_two_2.13-2.0.jar"]
LATER = f"""
[[later]]
coordinate = "org.example:one:1.1"
sha256 = "{hashlib.sha256(b"first jar").hexdigest()}"
"""
Maven = Callable[[dict[str, bytes]], list[list[str]]]


@pytest.fixture(autouse=True)
def small_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entries = [
        f'[[both]]\ncoordinate = "{name}"\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n'
        for name, content in CONTENTS.items()
    ]
    lock = tmp_path / "jars.lock"
    lock.write_text("\n".join([*entries, entries[0].replace("both", "one")]), encoding="utf-8")
    monkeypatch.setattr(jars, "LOCK", lock)


@pytest.fixture
def maven(monkeypatch: pytest.MonkeyPatch) -> Maven:
    """Replaces the Maven client by one that serves these contents; returns what it was asked."""

    def serve(contents: dict[str, bytes]) -> list[list[str]]:
        asked: list[list[str]] = []

        def run(coordinates: list[str], working: str) -> str:
            asked.append(coordinates)
            folder = Path(working, "jars")
            folder.mkdir()
            for coordinate in coordinates:
                if coordinate in contents:
                    group, artifact, version = coordinate.split(":")
                    path = folder / f"{group}_{artifact}-{version}.jar"
                    path.write_bytes(contents[coordinate])
            return "what Maven said"

        monkeypatch.setattr(jars, "_run_maven", run)
        return asked

    return serve


def test_missing_jars_are_fetched_in_one_go_and_then_kept(maven: Maven, tmp_path: Path) -> None:
    asked = maven(CONTENTS)
    paths = jar_paths(["both"], cache=tmp_path / "cache")
    assert [path.name for path in paths] == NAMES
    assert [path.read_bytes() for path in paths] == list(CONTENTS.values())
    assert jar_paths(["both"], cache=tmp_path / "cache") == paths
    assert asked == [list(CONTENTS)]


def test_nothing_but_jars_and_their_stamps_stays_in_the_cache(maven: Maven, tmp_path: Path) -> None:
    maven(CONTENTS)
    jar_paths(["both"], cache=tmp_path / "cache")
    left = {path.name for path in (tmp_path / "cache" / "jars").iterdir()}
    assert left == {*NAMES, *(f"{name}.verified" for name in NAMES)}


def test_a_jar_in_two_sets_is_listed_once(maven: Maven, tmp_path: Path) -> None:
    maven(CONTENTS)
    paths = jar_paths(["one", "both"], cache=tmp_path)
    assert [path.name for path in paths] == NAMES


def test_two_versions_of_an_artifact_are_fetched_one_after_the_other(
    maven: Maven, tmp_path: Path
) -> None:
    jars.LOCK.write_text(jars.LOCK.read_text() + LATER, encoding="utf-8")
    asked = maven({**CONTENTS, "org.example:one:1.1": b"first jar"})
    assert len(jar_paths(["both", "later"], cache=tmp_path)) == 3
    assert asked == [list(CONTENTS), ["org.example:one:1.1"]]


@pytest.mark.parametrize("damage", [b"", b"first", b"FIRST JAR", b"first jar and more"])
def test_a_damaged_jar_is_fetched_again_and_only_that_one(
    maven: Maven, tmp_path: Path, damage: bytes
) -> None:
    asked = maven(CONTENTS)
    path = jar_paths(["both"], cache=tmp_path)[0]
    path.write_bytes(damage)
    os.utime(path, (1, 1))
    assert jar_paths(["both"], cache=tmp_path)[0].read_bytes() == b"first jar"
    assert asked[1:] == [["org.example:one:1.0"]]


def test_a_full_check_finds_damage_that_kept_size_and_time(maven: Maven, tmp_path: Path) -> None:
    maven(CONTENTS)
    path = jar_paths(["one"], cache=tmp_path)[0]
    before = path.stat()
    path.write_bytes(b"FIRST JAR")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert jar_paths(["one"], cache=tmp_path, recheck=True)[0].read_bytes() == b"first jar"


def test_a_jar_put_there_by_hand_is_checked_and_taken(maven: Maven, tmp_path: Path) -> None:
    asked = maven({})
    path = tmp_path / "jars" / NAMES[0]
    path.parent.mkdir()
    path.write_bytes(b"first jar")
    assert jar_paths(["one"], cache=tmp_path) == [path]
    assert asked == []


def test_a_download_with_the_wrong_checksum_is_refused_and_not_kept(
    maven: Maven, tmp_path: Path
) -> None:
    maven({"org.example:one:1.0": b"something else"})
    with pytest.raises(UserError) as caught:
        jar_paths(["one"], cache=tmp_path)
    assert caught.value.condition == "JAR_CHECKSUM_MISMATCH"
    assert "org.example:one:1.0" in caught.value.message
    assert list((tmp_path / "jars").iterdir()) == []


def test_jars_that_cannot_be_fetched_are_a_transient_error_with_evidence(
    maven: Maven, tmp_path: Path
) -> None:
    maven({})
    with pytest.raises(TransientError) as caught:
        jar_paths(["both"], cache=tmp_path)
    assert caught.value.condition == "JARS_UNAVAILABLE"
    assert caught.value.detail == "what Maven said"
    assert "python -m headwater.lake.jars both" in str(caught.value.hint)
    assert list((tmp_path / "jars").iterdir()) == []


def test_without_fetching_a_missing_jar_is_an_error(maven: Maven, tmp_path: Path) -> None:
    asked = maven(CONTENTS)
    with pytest.raises(TransientError, match="JARS_UNAVAILABLE"):
        jar_paths(["both"], cache=tmp_path, fetch=False)
    assert asked == []


def test_a_cache_that_cannot_be_written_is_named(maven: Maven, tmp_path: Path) -> None:
    maven(CONTENTS)
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises(UserError, match="CACHE_NOT_WRITABLE"):
        jar_paths(["one"], cache=tmp_path / "file")


def test_an_unknown_set_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UserError) as caught:
        locked_jars(["kafka"])
    assert caught.value.message == "there is no jar set 'kafka'; the sets are: both, one"


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("HEADWATER_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path("/home/ada/.cache/headwater")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache/ada")
    assert cache_folder() == Path("/var/cache/ada/headwater")
    monkeypatch.setenv("HEADWATER_CACHE", "/srv/jars")
    assert cache_folder() == Path("/srv/jars")


def test_finding_cached_jars_takes_a_moment(maven: Maven, tmp_path: Path) -> None:
    maven(CONTENTS)
    jar_paths(["both"], cache=tmp_path)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        jar_paths(["both"], cache=tmp_path)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.005


def test_the_shipped_lock_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    shipped = locked_jars(["delta"])
    assert sorted(jar.coordinate.split(":")[1] for jar in shipped) == [
        "delta-kernel-api",
        "delta-kernel-defaults",
        "delta-kernel-unitycatalog",
        "delta-spark_4.2_2.13",
        "delta-storage",
        "unitycatalog-client",
        "unitycatalog-hadoop",
    ]
    for jar in shipped:
        assert jar.coordinate.count(":") == 2
        assert re.fullmatch(r"[0-9a-f]{64}", jar.sha256)


@pytest.mark.servers
def test_importing_the_module_does_not_import_pyspark() -> None:
    code = "import sys, headwater.lake.jars; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
