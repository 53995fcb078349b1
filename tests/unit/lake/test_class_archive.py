"""Which archive of Spark's classes a JVM is told to use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from headwater.lake.class_archive import archive_file, archive_option

JAVA = Path("/java/17")
JARS = ("delta.jar",)


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))


def make() -> Path:
    file = archive_file(JAVA, JARS)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"classes")
    return file


def test_a_start_without_an_archive_gets_no_option():
    assert archive_option(JAVA, JARS, "") == ""


def test_an_archive_that_is_there_is_used():
    file = make()
    assert archive_option(JAVA, JARS, "-XX:+UseSerialGC") == f"-XX:SharedArchiveFile={file}"


@pytest.mark.parametrize(
    "own", ["-XX:SharedArchiveFile=/mine.jsa", "-XX:ArchiveClassesAtExit=/mine.jsa", "-Xshare:off"]
)
def test_an_archive_of_the_users_own_goes_first(own):
    make()
    assert archive_option(JAVA, JARS, f"-Xss4m {own}") == ""


def test_another_java_or_other_jars_have_another_archive():
    files = {
        archive_file(JAVA, JARS),
        archive_file(Path("/java/21"), JARS),
        archive_file(JAVA, ["delta-2.jar"]),
    }
    assert len(files) == 3
